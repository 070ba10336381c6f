// cub::BlockLoad, BlockStore, BlockExchange, BlockShuffle, the free functions that load and store,
// and BlockDiscontinuity, BlockAdjacentDifference. How a load is made never changes what is loaded:
// but for STRIPED, every algorithm gives each thread a run of neighbours.
#pragma once
#include "block_reduce.cuh"

extern "C++" {

namespace cub {

template <class T, int n, class It>
__device__ __forceinline__ void LoadDirectBlocked(int thread, It from, T (&items)[n]) {
    for (int i = 0; i < n; ++i) items[i] = from[thread * n + i];
}
template <class T, int n, class It>
__device__ __forceinline__ void LoadDirectBlocked(int thread, It from, T (&items)[n], int valid) {
    for (int i = 0; i < n; ++i) {
        if (thread * n + i < valid) items[i] = from[thread * n + i];
    }
}
template <class T, class Default, int n, class It>
__device__ __forceinline__ void LoadDirectBlocked(int thread, It from, T (&items)[n], int valid,
                                                  Default other) {
    for (int i = 0; i < n; ++i) {
        items[i] =
            thread * n + i < valid ? static_cast<T>(from[thread * n + i]) : static_cast<T>(other);
    }
}
template <class T, int n, class It>
__device__ __forceinline__ void LoadDirectBlockedVectorized(int thread, It from, T (&items)[n]) {
    LoadDirectBlocked(thread, from, items);
}
template <int threads, class T, int n, class It>
__device__ __forceinline__ void LoadDirectStriped(int thread, It from, T (&items)[n]) {
    for (int i = 0; i < n; ++i) items[i] = from[thread + i * threads];
}
template <int threads, class T, int n, class It>
__device__ __forceinline__ void LoadDirectStriped(int thread, It from, T (&items)[n], int valid) {
    for (int i = 0; i < n; ++i) {
        if (thread + i * threads < valid) items[i] = from[thread + i * threads];
    }
}
template <int threads, class T, class Default, int n, class It>
__device__ __forceinline__ void LoadDirectStriped(int thread, It from, T (&items)[n], int valid,
                                                  Default other) {
    for (int i = 0; i < n; ++i) {
        items[i] = thread + i * threads < valid ? static_cast<T>(from[thread + i * threads])
                                                : static_cast<T>(other);
    }
}
template <class T, int n, class It>
__device__ __forceinline__ void StoreDirectBlocked(int thread, It to, T (&items)[n]) {
    for (int i = 0; i < n; ++i) to[thread * n + i] = items[i];
}
template <class T, int n, class It>
__device__ __forceinline__ void StoreDirectBlocked(int thread, It to, T (&items)[n], int valid) {
    for (int i = 0; i < n; ++i) {
        if (thread * n + i < valid) to[thread * n + i] = items[i];
    }
}
template <class T, int n>
__device__ __forceinline__ void StoreDirectBlockedVectorized(int thread, T* to, T (&items)[n]) {
    StoreDirectBlocked(thread, to, items);
}
template <int threads, class T, int n, class It>
__device__ __forceinline__ void StoreDirectStriped(int thread, It to, T (&items)[n]) {
    for (int i = 0; i < n; ++i) to[thread + i * threads] = items[i];
}
template <int threads, class T, int n, class It>
__device__ __forceinline__ void StoreDirectStriped(int thread, It to, T (&items)[n], int valid) {
    for (int i = 0; i < n; ++i) {
        if (thread + i * threads < valid) to[thread + i * threads] = items[i];
    }
}

struct __ww_no_storage {
    char unused;
};

template <class T, int BLOCK_DIM_X, int n, BlockLoadAlgorithm ALGORITHM = BLOCK_LOAD_DIRECT,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockLoad {
  public:
    typedef __ww_no_storage TempStorage;
    __device__ __forceinline__ BlockLoad() {}
    __device__ __forceinline__ BlockLoad(TempStorage&) {}
    template <class It, class... Rest>
    __device__ __forceinline__ void Load(It from, T (&items)[n], Rest... rest) {
        int thread = RowMajorTid(BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z);
        if (ALGORITHM == BLOCK_LOAD_STRIPED) {
            constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;
            LoadDirectStriped<threads>(thread, from, items, rest...);
        } else {
            LoadDirectBlocked(thread, from, items, rest...);
        }
    }
};

template <class T, int BLOCK_DIM_X, int n, BlockStoreAlgorithm ALGORITHM = BLOCK_STORE_DIRECT,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockStore {
  public:
    typedef __ww_no_storage TempStorage;
    __device__ __forceinline__ BlockStore() {}
    __device__ __forceinline__ BlockStore(TempStorage&) {}
    template <class It, class... Rest>
    __device__ __forceinline__ void Store(It to, T (&items)[n], Rest... rest) {
        int thread = RowMajorTid(BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z);
        if (ALGORITHM == BLOCK_STORE_STRIPED) {
            constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;
            StoreDirectStriped<threads>(thread, to, items, rest...);
        } else {
            StoreDirectBlocked(thread, to, items, rest...);
        }
    }
};

template <class T, int BLOCK_DIM_X, int n, bool WARP_TIME_SLICING = false, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockExchange {
    enum { threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z };

  public:
    struct TempStorage {
        alignas(T) alignas(8) unsigned char bytes[sizeof(T) * threads * n];
    };
    __device__ __forceinline__ BlockExchange() : BlockExchange(own()) {}
    __device__ __forceinline__ BlockExchange(TempStorage& storage)
        : items_(reinterpret_cast<T*>(storage.bytes)),
          thread_(RowMajorTid(BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z)) {}

    template <class Out>
    __device__ __forceinline__ void StripedToBlocked(const T (&in)[n], Out (&out)[n]) {
        move(in, out, Striped{}, Blocked{});
    }
    template <class Out>
    __device__ __forceinline__ void BlockedToStriped(const T (&in)[n], Out (&out)[n]) {
        move(in, out, Blocked{}, Striped{});
    }
    template <class Out>
    __device__ __forceinline__ void WarpStripedToBlocked(const T (&in)[n], Out (&out)[n]) {
        move(in, out, WarpStriped{}, Blocked{});
    }
    template <class Out>
    __device__ __forceinline__ void BlockedToWarpStriped(const T (&in)[n], Out (&out)[n]) {
        move(in, out, Blocked{}, WarpStriped{});
    }
    __device__ __forceinline__ void StripedToBlocked(T (&items)[n]) {
        StripedToBlocked(items, items);
    }
    __device__ __forceinline__ void BlockedToStriped(T (&items)[n]) {
        BlockedToStriped(items, items);
    }
    __device__ __forceinline__ void WarpStripedToBlocked(T (&items)[n]) {
        WarpStripedToBlocked(items, items);
    }
    __device__ __forceinline__ void BlockedToWarpStriped(T (&items)[n]) {
        BlockedToWarpStriped(items, items);
    }
    template <class Out, class Rank>
    __device__ __forceinline__ void ScatterToBlocked(const T (&in)[n], Out (&out)[n],
                                                     Rank (&ranks)[n]) {
        scatter(in, ranks);
        gather(out, Blocked{});
    }
    template <class Out, class Rank>
    __device__ __forceinline__ void ScatterToStriped(const T (&in)[n], Out (&out)[n],
                                                     Rank (&ranks)[n]) {
        scatter(in, ranks);
        gather(out, Striped{});
    }
    template <class Rank>
    __device__ __forceinline__ void ScatterToBlocked(T (&items)[n], Rank (&ranks)[n]) {
        ScatterToBlocked(items, items, ranks);
    }
    template <class Rank>
    __device__ __forceinline__ void ScatterToStriped(T (&items)[n], Rank (&ranks)[n]) {
        ScatterToStriped(items, items, ranks);
    }

  private:
    struct Blocked {
        __device__ __forceinline__ int operator()(int thread, int i) const {
            return thread * n + i;
        }
    };
    struct Striped {
        __device__ __forceinline__ int operator()(int thread, int i) const {
            return i * threads + thread;
        }
    };
    struct WarpStriped {
        __device__ __forceinline__ int operator()(int thread, int i) const {
            return thread / 32 * 32 * n + i * 32 + thread % 32;
        }
    };
    static __device__ __forceinline__ TempStorage& own() {
        __shared__ TempStorage storage;
        return storage;
    }
    template <class Out, class From, class To>
    __device__ __forceinline__ void move(const T (&in)[n], Out (&out)[n], From from, To to) {
        for (int i = 0; i < n; ++i) items_[from(thread_, i)] = in[i];
        gather(out, to);
    }
    template <class Rank>
    __device__ __forceinline__ void scatter(const T (&in)[n], Rank (&ranks)[n]) {
        for (int i = 0; i < n; ++i) items_[static_cast<int>(ranks[i])] = in[i];
    }
    template <class Out, class To>
    __device__ __forceinline__ void gather(Out (&out)[n], To to) {
        __syncthreads();
        for (int i = 0; i < n; ++i) out[i] = items_[to(thread_, i)];
    }
    T* items_;
    int thread_;
};

// One value of each thread, in shared memory.
template <class T, int x, int y, int z>
struct __ww_row {
    struct TempStorage {
        alignas(T) alignas(8) unsigned char bytes[sizeof(T) * (x * y * z + 1)];
    };
    T* values;
    int thread;
    __device__ __forceinline__ __ww_row(TempStorage& storage)
        : values(reinterpret_cast<T*>(storage.bytes)), thread(RowMajorTid(x, y, z)) {}
    __device__ __forceinline__ void put(const T& value) {
        values[thread] = value;
        __syncthreads();
    }
    static __device__ __forceinline__ TempStorage& own() {
        __shared__ TempStorage storage;
        return storage;
    }
};

template <class T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1,
          int LEGACY_PTX_ARCH = 0>
class BlockShuffle {
    typedef __ww_row<T, BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z> Row;
    enum { threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z };

  public:
    typedef typename Row::TempStorage TempStorage;
    __device__ __forceinline__ BlockShuffle() : row_(Row::own()) {}
    __device__ __forceinline__ BlockShuffle(TempStorage& storage) : row_(storage) {}
    __device__ __forceinline__ void Offset(T input, T& output, int distance = 1) {
        row_.put(input);
        int from = row_.thread + distance;
        if (from >= 0 && from < threads) output = row_.values[from];
    }
    __device__ __forceinline__ void Rotate(T input, T& output, unsigned int distance = 1) {
        row_.put(input);
        output = row_.values[(static_cast<unsigned int>(row_.thread) + distance) % threads];
    }
    // The first thread's first item stays what it was.
    template <int n>
    __device__ __forceinline__ void Up(T (&input)[n], T (&output)[n]) {
        row_.put(input[n - 1]);
        for (int i = n - 1; i > 0; --i) output[i] = input[i - 1];
        if (row_.thread > 0) output[0] = row_.values[row_.thread - 1];
    }
    template <int n>
    __device__ __forceinline__ void Up(T (&input)[n], T (&output)[n], T& last) {
        Up(input, output);
        last = row_.values[threads - 1];
    }
    template <int n>
    __device__ __forceinline__ void Down(T (&input)[n], T (&output)[n]) {
        row_.put(input[0]);
        for (int i = 0; i < n - 1; ++i) output[i] = input[i + 1];
        if (row_.thread < threads - 1) output[n - 1] = row_.values[row_.thread + 1];
    }

  private:
    Row row_;
};

// Asks whether neighbours differ. Operators with an index get that of the right one.
template <class Op, class T>
__device__ __forceinline__ auto __ww_flag(Op op, const T& a, const T& b, int index, int)
    -> decltype(op(a, b, index)) {
    return op(a, b, index);
}
template <class Op, class T>
__device__ __forceinline__ auto __ww_flag(Op op, const T& a, const T& b, int, long)
    -> decltype(op(a, b)) {
    return op(a, b);
}

template <class T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1,
          int LEGACY_PTX_ARCH = 0>
class BlockDiscontinuity {
    typedef __ww_row<T, BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z> Row;
    enum { threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z };

  public:
    struct TempStorage {
        typename Row::TempStorage first, last;
    };
    __device__ __forceinline__ BlockDiscontinuity() : BlockDiscontinuity(own()) {}
    __device__ __forceinline__ BlockDiscontinuity(TempStorage& storage)
        : first_(storage.first), last_(storage.last) {}

    template <int n, class Flag, class Op>
    __device__ __forceinline__ void FlagHeads(Flag (&heads)[n], T (&items)[n], Op op) {
        last_.put(items[n - 1]);
        inner_heads(heads, items, op);
        heads[0] = last_.thread == 0 ? Flag(1) : head(op, last_.values[last_.thread - 1], items[0]);
    }
    template <int n, class Flag, class Op>
    __device__ __forceinline__ void FlagHeads(Flag (&heads)[n], T (&items)[n], Op op, T before) {
        last_.put(items[n - 1]);
        inner_heads(heads, items, op);
        heads[0] = head(op, last_.thread == 0 ? before : last_.values[last_.thread - 1], items[0]);
    }
    template <int n, class Flag, class Op>
    __device__ __forceinline__ void FlagTails(Flag (&tails)[n], T (&items)[n], Op op) {
        first_.put(items[0]);
        inner_tails(tails, items, op);
        bool is_last = first_.thread == threads - 1;
        tails[n - 1] = is_last ? Flag(1) : tail(op, items[n - 1], first_.values[first_.thread + 1]);
    }
    template <int n, class Flag, class Op>
    __device__ __forceinline__ void FlagTails(Flag (&tails)[n], T (&items)[n], Op op, T after) {
        first_.put(items[0]);
        inner_tails(tails, items, op);
        bool is_last = first_.thread == threads - 1;
        tails[n - 1] = tail(op, items[n - 1], is_last ? after : first_.values[first_.thread + 1]);
    }
    template <int n, class Flag, class Op>
    __device__ __forceinline__ void FlagHeadsAndTails(Flag (&heads)[n], Flag (&tails)[n],
                                                      T (&items)[n], Op op) {
        FlagHeads(heads, items, op);
        FlagTails(tails, items, op);
    }

  private:
    static __device__ __forceinline__ TempStorage& own() {
        __shared__ TempStorage storage;
        return storage;
    }
    template <class Op>
    __device__ __forceinline__ bool head(Op op, const T& a, const T& b, int i = 0, int n = 1) {
        return __ww_flag(op, a, b, first_.thread * n + i, 0);
    }
    template <class Op>
    __device__ __forceinline__ bool tail(Op op, const T& a, const T& b, int i = 0, int n = 1) {
        return __ww_flag(op, a, b, first_.thread * n + i, 0);
    }
    template <int n, class Flag, class Op>
    __device__ __forceinline__ void inner_heads(Flag (&heads)[n], T (&items)[n], Op op) {
        for (int i = 1; i < n; ++i) heads[i] = head(op, items[i - 1], items[i], i, n);
    }
    template <int n, class Flag, class Op>
    __device__ __forceinline__ void inner_tails(Flag (&tails)[n], T (&items)[n], Op op) {
        for (int i = 0; i < n - 1; ++i) tails[i] = tail(op, items[i], items[i + 1], i + 1, n);
    }
    Row first_, last_;
};

template <class T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1,
          int LEGACY_PTX_ARCH = 0>
class BlockAdjacentDifference {
    typedef __ww_row<T, BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z> Row;
    enum { threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z };

  public:
    typedef typename Row::TempStorage TempStorage;
    __device__ __forceinline__ BlockAdjacentDifference() : row_(Row::own()) {}
    __device__ __forceinline__ BlockAdjacentDifference(TempStorage& storage) : row_(storage) {}
    // The first item of the block stays as it is.
    template <int n, class Out, class Op>
    __device__ __forceinline__ void SubtractLeft(T (&input)[n], Out (&output)[n], Op op) {
        row_.put(input[n - 1]);
        for (int i = n - 1; i > 0; --i) output[i] = op(input[i], input[i - 1]);
        output[0] = row_.thread == 0 ? Out(input[0]) : op(input[0], row_.values[row_.thread - 1]);
    }
    template <int n, class Out, class Op>
    __device__ __forceinline__ void SubtractRight(T (&input)[n], Out (&output)[n], Op op) {
        row_.put(input[0]);
        for (int i = 0; i < n - 1; ++i) output[i] = op(input[i], input[i + 1]);
        bool is_last = row_.thread == threads - 1;
        output[n - 1] =
            is_last ? Out(input[n - 1]) : op(input[n - 1], row_.values[row_.thread + 1]);
    }

  private:
    Row row_;
};

}  // namespace cub

}  // extern "C++"
