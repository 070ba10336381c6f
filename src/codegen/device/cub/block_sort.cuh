// cub::BlockRadixSort, BlockMergeSort, BlockHistogram. The radix sort splits by one bit after the
// other, which keeps equal keys in their order; any number of bits per pass gives the same result.
#pragma once
#include "block_io.cuh"

extern "C++" {

namespace cub {

// Keys as unsigned words that sort alike.
template <class Key, int bytes = sizeof(Key)>
struct __ww_word;
template <class Key>
struct __ww_word<Key, 1> {
    typedef unsigned char type;
};
template <class Key>
struct __ww_word<Key, 2> {
    typedef unsigned short type;
};
template <class Key>
struct __ww_word<Key, 4> {
    typedef unsigned int type;
};
template <class Key>
struct __ww_word<Key, 8> {
    typedef unsigned long long type;
};

template <class Key>
__device__ __forceinline__ typename __ww_word<Key>::type __ww_sortable(const Key& key) {
    typedef typename __ww_word<Key>::type Word;
    constexpr Word top = static_cast<Word>(Word(1) << (sizeof(Key) * 8 - 1));
    Word word;
    __builtin_memcpy(&word, &key, sizeof(Key));
    if (std::is_integral<Key>::value) {
        return std::is_signed<Key>::value ? static_cast<Word>(word ^ top) : word;
    }
    return static_cast<Word>((word & top) != 0 ? ~word : word ^ top);
}

template <class Key, int BLOCK_DIM_X, int n, class Value = NullType, int RADIX_BITS = 4,
          bool MEMOIZE_OUTER_SCAN = true,
          BlockScanAlgorithm INNER_SCAN_ALGORITHM = BLOCK_SCAN_WARP_SCANS, int SMEM_CONFIG = 0,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockRadixSort {
    enum { threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z };
    typedef BlockScan<int, BLOCK_DIM_X, BLOCK_SCAN_RAKING, BLOCK_DIM_Y, BLOCK_DIM_Z> Scan;
    typedef BlockExchange<Key, BLOCK_DIM_X, n, false, BLOCK_DIM_Y, BLOCK_DIM_Z> Keys;
    typedef BlockExchange<Value, BLOCK_DIM_X, n, false, BLOCK_DIM_Y, BLOCK_DIM_Z> Values;

  public:
    struct TempStorage {
        typename Scan::TempStorage scan;
        typename Keys::TempStorage keys;
        typename Values::TempStorage values;
    };
    __device__ __forceinline__ BlockRadixSort() : storage_(own()) {}
    __device__ __forceinline__ BlockRadixSort(TempStorage& storage) : storage_(storage) {}

    __device__ __forceinline__ void Sort(Key (&keys)[n], int begin = 0, int end = sizeof(Key) * 8) {
        NullType none[n];
        sort<false>(keys, none, begin, end);
    }
    __device__ __forceinline__ void Sort(Key (&keys)[n], Value (&values)[n], int begin = 0,
                                         int end = sizeof(Key) * 8) {
        sort<false>(keys, values, begin, end);
    }
    __device__ __forceinline__ void SortDescending(Key (&keys)[n], int begin = 0,
                                                   int end = sizeof(Key) * 8) {
        NullType none[n];
        sort<true>(keys, none, begin, end);
    }
    __device__ __forceinline__ void SortDescending(Key (&keys)[n], Value (&values)[n],
                                                   int begin = 0, int end = sizeof(Key) * 8) {
        sort<true>(keys, values, begin, end);
    }
    __device__ __forceinline__ void SortBlockedToStriped(Key (&keys)[n], int begin = 0,
                                                         int end = sizeof(Key) * 8) {
        Sort(keys, begin, end);
        to_striped(keys);
    }
    __device__ __forceinline__ void SortBlockedToStriped(Key (&keys)[n], Value (&values)[n],
                                                         int begin = 0, int end = sizeof(Key) * 8) {
        Sort(keys, values, begin, end);
        to_striped(keys);
        Values(storage_.values).BlockedToStriped(values);
    }
    __device__ __forceinline__ void SortDescendingBlockedToStriped(Key (&keys)[n], int begin = 0,
                                                                   int end = sizeof(Key) * 8) {
        SortDescending(keys, begin, end);
        to_striped(keys);
    }
    __device__ __forceinline__ void SortDescendingBlockedToStriped(Key (&keys)[n],
                                                                   Value (&values)[n],
                                                                   int begin = 0,
                                                                   int end = sizeof(Key) * 8) {
        SortDescending(keys, values, begin, end);
        to_striped(keys);
        Values(storage_.values).BlockedToStriped(values);
    }

  private:
    static __device__ __forceinline__ TempStorage& own() {
        __shared__ TempStorage storage;
        return storage;
    }
    __device__ __forceinline__ void to_striped(Key (&keys)[n]) {
        Keys(storage_.keys).BlockedToStriped(keys);
        __syncthreads();
    }
    __device__ __forceinline__ void move(NullType (&)[n], int (&)[n]) {}
    template <class V>
    __device__ __forceinline__ void move(V (&values)[n], int (&ranks)[n]) {
        Values(storage_.values).ScatterToBlocked(values, ranks);
    }
    template <bool descending, class V>
    __device__ __forceinline__ void sort(Key (&keys)[n], V (&values)[n], int begin, int end) {
        int first = RowMajorTid(BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z) * n;
        for (int bit = begin; bit < end; ++bit) {
            int zeros[n];
            int ranks[n];
            int total;
            for (int i = 0; i < n; ++i) {
                int digit = static_cast<int>(__ww_sortable(keys[i]) >> bit) & 1;
                zeros[i] = descending ? digit : 1 - digit;
            }
            Scan(storage_.scan).ExclusiveSum(zeros, ranks, total);
            for (int i = 0; i < n; ++i) {
                if (zeros[i] == 0) ranks[i] = total + first + i - ranks[i];
            }
            Keys(storage_.keys).ScatterToBlocked(keys, ranks);
            move(values, ranks);
            __syncthreads();
        }
    }
    TempStorage& storage_;
};

// A stable sort by comparison, by rank among all items of a group of threads: Group is the class
// derived from it, and identifies its threads: place(i), of this thread's item i among all, and
// sync().
template <class Group, class Key, int n, class Value, int threads>
class __ww_rank_sort {
  public:
    struct TempStorage {
        alignas(Key) alignas(8) unsigned char keys[sizeof(Key) * threads * n];
        alignas(Value) alignas(8) unsigned char values[sizeof(Value) * threads * n];
    };
    template <class Less>
    __device__ __forceinline__ void Sort(Key (&keys)[n], Less less) {
        NullType none[n];
        sort(keys, none, less, threads * n);
    }
    // Items from `valid` on come last; `largest` stands for them.
    template <class Less>
    __device__ __forceinline__ void Sort(Key (&keys)[n], Less less, int valid, Key largest) {
        NullType none[n];
        fill(keys, valid, largest);
        sort(keys, none, less, valid);
    }
    template <class Less>
    __device__ __forceinline__ void Sort(Key (&keys)[n], Value (&values)[n], Less less) {
        sort(keys, values, less, threads * n);
    }
    template <class Less>
    __device__ __forceinline__ void Sort(Key (&keys)[n], Value (&values)[n], Less less, int valid,
                                         Key largest) {
        fill(keys, valid, largest);
        sort(keys, values, less, valid);
    }
    template <class Less>
    __device__ __forceinline__ void StableSort(Key (&keys)[n], Less less) {
        Sort(keys, less);
    }
    template <class Less>
    __device__ __forceinline__ void StableSort(Key (&keys)[n], Value (&values)[n], Less less) {
        Sort(keys, values, less);
    }

  protected:
    __device__ __forceinline__ __ww_rank_sort(TempStorage& storage) : storage_(storage) {}

  private:
    __device__ __forceinline__ const Group& group() const {
        return static_cast<const Group&>(*this);
    }
    __device__ __forceinline__ void fill(Key (&keys)[n], int valid, const Key& largest) {
        for (int i = 0; i < n; ++i) {
            if (group().place(i) >= valid) keys[i] = largest;
        }
    }
    template <class V>
    __device__ __forceinline__ void scatter(V* table, V (&items)[n], int (&ranks)[n]) {
        for (int i = 0; i < n; ++i) table[ranks[i]] = items[i];
        group().sync();
        for (int i = 0; i < n; ++i) items[i] = table[group().place(i)];
        group().sync();
    }
    __device__ __forceinline__ void move(NullType (&)[n], int (&)[n]) {}
    template <class V>
    __device__ __forceinline__ void move(V (&values)[n], int (&ranks)[n]) {
        scatter(reinterpret_cast<V*>(storage_.values), values, ranks);
    }
    template <class V, class Less>
    __device__ __forceinline__ void sort(Key (&keys)[n], V (&values)[n], Less less, int valid) {
        Key* all = reinterpret_cast<Key*>(storage_.keys);
        for (int i = 0; i < n; ++i) all[group().place(i)] = keys[i];
        group().sync();
        int ranks[n];
        for (int i = 0; i < n; ++i) {
            const int own = group().place(i);
            ranks[i] = own;
            if (own >= valid) continue;
            int rank = 0;
            for (int j = 0; j < valid; ++j) {
                bool before = j < own ? !less(keys[i], all[j]) : less(all[j], keys[i]);
                rank += j != own && before ? 1 : 0;
            }
            ranks[i] = rank;
        }
        group().sync();
        scatter(all, keys, ranks);
        move(values, ranks);
    }
    TempStorage& storage_;
};

template <class Key, int BLOCK_DIM_X, int n, class Value = NullType, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1>
class BlockMergeSort
    : public __ww_rank_sort<BlockMergeSort<Key, BLOCK_DIM_X, n, Value, BLOCK_DIM_Y, BLOCK_DIM_Z>,
                            Key, n, Value, BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z> {
    typedef __ww_rank_sort<BlockMergeSort, Key, n, Value, BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z>
        Ranks;
    friend Ranks;

  public:
    typedef typename Ranks::TempStorage TempStorage;
    __device__ __forceinline__ BlockMergeSort() : Ranks(own()) {}
    __device__ __forceinline__ BlockMergeSort(TempStorage& storage) : Ranks(storage) {}

  private:
    static __device__ __forceinline__ TempStorage& own() {
        __shared__ TempStorage storage;
        return storage;
    }
    __device__ __forceinline__ int place(int i) const {
        return RowMajorTid(BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z) * n + i;
    }
    __device__ __forceinline__ void sync() const { __syncthreads(); }
};

template <class T, int BLOCK_DIM_X, int n, int BINS,
          BlockHistogramAlgorithm ALGORITHM = BLOCK_HISTO_SORT, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockHistogram {
  public:
    typedef __ww_no_storage TempStorage;
    __device__ __forceinline__ BlockHistogram() {}
    __device__ __forceinline__ BlockHistogram(TempStorage&) {}
    template <class Counter>
    __device__ __forceinline__ void InitHistogram(Counter (&histogram)[BINS]) {
        constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;
        int thread = RowMajorTid(BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z);
        for (int bin = thread; bin < BINS; bin += threads) histogram[bin] = 0;
    }
    template <class Counter>
    __device__ __forceinline__ void Composite(T (&items)[n], Counter (&histogram)[BINS]) {
        for (int i = 0; i < n; ++i) atomicAdd(&histogram[items[i]], Counter(1));
    }
    template <class Counter>
    __device__ __forceinline__ void Histogram(T (&items)[n], Counter (&histogram)[BINS]) {
        InitHistogram(histogram);
        __syncthreads();
        Composite(items, histogram);
    }
};

}  // namespace cub

}  // extern "C++"
