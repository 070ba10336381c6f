// CUB's loads, stores, exchanges and sorts of a logical warp, and the decoding of runs of a block.
// Where items lie and which thread holds which is as in CUB; how they get there is our own.
#pragma once
#include "block_sort.cuh"

extern "C++" {

namespace cub {

enum WarpLoadAlgorithm {
    WARP_LOAD_DIRECT,
    WARP_LOAD_STRIPED,
    WARP_LOAD_VECTORIZE,
    WARP_LOAD_TRANSPOSE
};
enum WarpStoreAlgorithm {
    WARP_STORE_DIRECT,
    WARP_STORE_STRIPED,
    WARP_STORE_VECTORIZE,
    WARP_STORE_TRANSPOSE
};
enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };

template <class T, int n, WarpLoadAlgorithm ALGORITHM = WARP_LOAD_DIRECT,
          int LOGICAL_WARP_THREADS = 32, int LEGACY_PTX_ARCH = 0>
class WarpLoad {
  public:
    typedef __ww_no_storage TempStorage;
    __device__ __forceinline__ WarpLoad() {}
    __device__ __forceinline__ WarpLoad(TempStorage&) {}
    template <class It, class... Rest>
    __device__ __forceinline__ void Load(It from, T (&items)[n], Rest... rest) {
        int lane = static_cast<int>(__ww_warp<LOGICAL_WARP_THREADS>().lane);
        if (ALGORITHM == WARP_LOAD_STRIPED) {
            LoadDirectStriped<LOGICAL_WARP_THREADS>(lane, from, items, rest...);
        } else {
            LoadDirectBlocked(lane, from, items, rest...);
        }
    }
};

template <class T, int n, WarpStoreAlgorithm ALGORITHM = WARP_STORE_DIRECT,
          int LOGICAL_WARP_THREADS = 32, int LEGACY_PTX_ARCH = 0>
class WarpStore {
  public:
    typedef __ww_no_storage TempStorage;
    __device__ __forceinline__ WarpStore() {}
    __device__ __forceinline__ WarpStore(TempStorage&) {}
    template <class It, class... Rest>
    __device__ __forceinline__ void Store(It to, T (&items)[n], Rest... rest) {
        int lane = static_cast<int>(__ww_warp<LOGICAL_WARP_THREADS>().lane);
        if (ALGORITHM == WARP_STORE_STRIPED) {
            StoreDirectStriped<LOGICAL_WARP_THREADS>(lane, to, items, rest...);
        } else {
            StoreDirectBlocked(lane, to, items, rest...);
        }
    }
};

// A table of a logical warp's items in shared memory.
template <class T, int n, int threads>
struct __ww_warp_table {
    struct TempStorage {
        alignas(T) alignas(8) unsigned char bytes[sizeof(T) * threads * n];
    };
    T* items;
    __ww_warp<threads> warp;
    __device__ __forceinline__ __ww_warp_table(TempStorage& storage)
        : items(reinterpret_cast<T*>(storage.bytes)) {}
    __device__ __forceinline__ int blocked(int i) const {
        return static_cast<int>(warp.lane) * n + i;
    }
    __device__ __forceinline__ int striped(int i) const {
        return i * threads + static_cast<int>(warp.lane);
    }
    __device__ __forceinline__ void sync() const { __syncwarp(warp.mask); }
};

template <class T, int n, int LOGICAL_WARP_THREADS = 32, int LEGACY_PTX_ARCH = 0,
          WarpExchangeAlgorithm ALGORITHM = WARP_EXCHANGE_SMEM>
class WarpExchange {
    typedef __ww_warp_table<T, n, LOGICAL_WARP_THREADS> Table;

  public:
    typedef typename Table::TempStorage TempStorage;
    __device__ __forceinline__ WarpExchange(TempStorage& storage) : table_(storage) {}
    template <class Out>
    __device__ __forceinline__ void BlockedToStriped(const T (&in)[n], Out (&out)[n]) {
        for (int i = 0; i < n; ++i) table_.items[table_.blocked(i)] = in[i];
        table_.sync();
        for (int i = 0; i < n; ++i) out[i] = table_.items[table_.striped(i)];
        table_.sync();
    }
    template <class Out>
    __device__ __forceinline__ void StripedToBlocked(const T (&in)[n], Out (&out)[n]) {
        for (int i = 0; i < n; ++i) table_.items[table_.striped(i)] = in[i];
        table_.sync();
        for (int i = 0; i < n; ++i) out[i] = table_.items[table_.blocked(i)];
        table_.sync();
    }
    template <class Out, class Rank>
    __device__ __forceinline__ void ScatterToStriped(const T (&in)[n], Out (&out)[n],
                                                     Rank (&ranks)[n]) {
        for (int i = 0; i < n; ++i) table_.items[ranks[i]] = in[i];
        table_.sync();
        for (int i = 0; i < n; ++i) out[i] = table_.items[table_.striped(i)];
        table_.sync();
    }
    template <class Rank>
    __device__ __forceinline__ void ScatterToStriped(T (&items)[n], Rank (&ranks)[n]) {
        ScatterToStriped(items, items, ranks);
    }

  private:
    Table table_;
};

template <class Key, int n, int LOGICAL_WARP_THREADS = 32, class Value = NullType,
          int LEGACY_PTX_ARCH = 0>
class WarpMergeSort
    : public __ww_rank_sort<WarpMergeSort<Key, n, LOGICAL_WARP_THREADS, Value, LEGACY_PTX_ARCH>,
                            Key, n, Value, LOGICAL_WARP_THREADS> {
    typedef __ww_rank_sort<WarpMergeSort, Key, n, Value, LOGICAL_WARP_THREADS> Ranks;
    friend Ranks;

  public:
    typedef typename Ranks::TempStorage TempStorage;
    __device__ __forceinline__ WarpMergeSort(TempStorage& storage) : Ranks(storage) {}
    __device__ __forceinline__ unsigned int get_member_mask() const { return warp_.mask; }

  private:
    __device__ __forceinline__ int place(int i) const {
        return static_cast<int>(warp_.lane) * n + i;
    }
    __device__ __forceinline__ void sync() const { __syncwarp(warp_.mask); }
    __ww_warp<LOGICAL_WARP_THREADS> warp_;
};

// Runs of a block, blocked over its threads, decoded a window at a time.
template <class T, int BLOCK_DIM_X, int runs, int items, class Offset = unsigned int,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1>
class BlockRunLengthDecode {
    enum { threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, total_runs = threads * runs };
    typedef BlockScan<Offset, BLOCK_DIM_X, BLOCK_SCAN_RAKING, BLOCK_DIM_Y, BLOCK_DIM_Z> Scan;

  public:
    struct TempStorage {
        typename Scan::TempStorage scan;
        Offset begins[total_runs];
        alignas(T) alignas(8) unsigned char values[sizeof(T) * total_runs];
    };
    template <class Length, class Total>
    __device__ __forceinline__ BlockRunLengthDecode(TempStorage& storage, T (&values)[runs],
                                                    Length (&lengths)[runs], Total& total)
        : storage_(storage) {
        Offset begins[runs], all;
        for (int i = 0; i < runs; ++i) begins[i] = static_cast<Offset>(lengths[i]);
        Scan(storage.scan).ExclusiveSum(begins, begins, all);
        put(values, begins);
        total = static_cast<Total>(all);
    }
    // From where each run begins.
    template <class Begin>
    __device__ __forceinline__ BlockRunLengthDecode(TempStorage& storage, T (&values)[runs],
                                                    Begin (&begins)[runs])
        : storage_(storage) {
        put(values, begins);
    }
    template <class Place>
    __device__ __forceinline__ void RunLengthDecode(T (&decoded)[items], Place (&places)[items],
                                                    Offset window = 0) {
        const Offset first = window + static_cast<Offset>(thread() * items);
        for (int i = 0; i < items; ++i) {
            const Offset item = first + static_cast<Offset>(i);
            int run = 0;
            for (int step = 1 << 16; step > 0; step /= 2) {
                const int next = run + step;
                if (next < total_runs && storage_.begins[next] <= item) run = next;
            }
            decoded[i] = reinterpret_cast<const T*>(storage_.values)[run];
            places[i] = static_cast<Place>(item - storage_.begins[run]);
        }
    }
    __device__ __forceinline__ void RunLengthDecode(T (&decoded)[items], Offset window = 0) {
        Offset places[items];
        RunLengthDecode(decoded, places, window);
    }

  private:
    static __device__ __forceinline__ int thread() {
        return RowMajorTid(BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z);
    }
    template <class Begin>
    __device__ __forceinline__ void put(T (&values)[runs], Begin (&begins)[runs]) {
        for (int i = 0; i < runs; ++i) {
            storage_.begins[thread() * runs + i] = static_cast<Offset>(begins[i]);
            reinterpret_cast<T*>(storage_.values)[thread() * runs + i] = values[i];
        }
        __syncthreads();
    }
    TempStorage& storage_;
};

}  // namespace cub

}  // extern "C++"
