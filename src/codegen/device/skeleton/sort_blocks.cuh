// Radix sorts for GPUs: a block moves a tile of keys at a time.
//
// Long rows: a histogram of all digits, then one pass a digit (sort_pass.cuh). Other rows: a block
// each, tile after tile.
//
// Sorts are stable.
#pragma once

#include "sort_keys.cuh"

enum { __ww_sort_threads = 256, __ww_sort_warps = 8 };

// Where elements come from, and passes: the first reads elements, in the order of places that are
// given (`order` may be null), later ones keys.
template <class Sort>
struct __ww_sort_source {
    typedef typename Sort::bits bits;
    typedef typename Sort::index index;
    const typename Sort::memory* in;
    const long long* order;
    long long step;
    const bits* keys;
    const index* places;
    bool is_first;
    __device__ __forceinline__ long long at(long long i) const {
        return order != nullptr ? order[i] : i;
    }
    __device__ __forceinline__ bits key(long long i) const {
        return is_first ? Sort::input::key(in[at(i) * step]) : keys[i];
    }
    __device__ __forceinline__ index place(long long i) const {
        if (!Sort::has_index) return index();
        return is_first ? Sort::place(at(i)) : places[i];
    }
};
template <class Sort>
struct __ww_sort_target {
    typedef typename Sort::bits bits;
    typedef typename Sort::index index;
    bits* keys;
    index* places;
    void* out;
    bool is_last;
    __device__ __forceinline__ void put_key(long long at, bits key) const {
        if (!is_last) {
            keys[at] = key;
        } else if (!Sort::has_index) {
            ((typename Sort::memory*)out)[at] = Sort::input::element(key);
        }
    }
    __device__ __forceinline__ void put_place(long long at, index place) const {
        if (is_last) {
            __ww_put_place((long long*)out, at, place);
        } else {
            places[at] = place;
        }
    }
};

// Lanes whose digit of eight bits is this lane's: by votes, which are faster than
// __match_any_sync().
__device__ __forceinline__ unsigned int __ww_lanes_with_digit(unsigned int digit) {
    unsigned int same = 0xffffffffu;
#pragma unroll
    for (int bit = 0; bit < 8; ++bit) {
        const bool is_set = (digit >> bit & 1u) != 0;
        const unsigned int set = __ballot_sync(0xffffffffu, is_set);
        same &= is_set ? set : ~set;
    }
    return same;
}

// The sum of what the threads before have. Threads behind the first 256 have nothing, and get
// nothing of use.
template <class Sum>
__device__ __forceinline__ Sum __ww_sum_before(Sum value, Sum* sums) {
    const int lane = (int)(threadIdx.x & 31);
    const int warp = (int)(threadIdx.x >> 5);
    Sum all = value;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const Sum other = __shfl_up_sync(0xffffffffu, all, step);
        if (lane >= step) all += other;
    }
    if (lane == 31 && warp < __ww_sort_warps) sums[warp] = all;
    __syncthreads();
    Sum base = 0;
    for (int i = 0; i < warp && i < __ww_sort_warps; ++i) base += sums[i];
    __syncthreads();
    return base + all - value;
}

// Numbers of what is sorted: of the type of its places.
template <class Index>
struct __ww_sort_number {
    typedef Index type;
};
template <>
struct __ww_sort_number<__ww_no_index> {
    typedef long long type;
};

// Moves places through shared memory: those of the thread to `at` in the tile, and what is in the
// tile to the result, `to` for the thread's elements. Fewer than kItems a thread where `count`
// says.
template <int kThreads, int kItems, class Index, class Number, class Target>
__device__ __forceinline__ void __ww_move_places(const Index (&place)[kItems],
                                                 const unsigned int (&at)[kItems],
                                                 const Number (&to)[kItems], Index* places,
                                                 int count, const Target& target) {
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kItems; ++j) places[at[j]] = place[j];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kItems; ++j) {
        const int i = (int)threadIdx.x + j * kThreads;
        if (i < count) target.put_place((long long)to[j], places[i]);
    }
}

// Shared memory of a tile.
template <class Sort, int kItems>
struct __ww_sort_tile {
    typedef typename Sort::bits bits;
    typedef typename Sort::index index;
    enum { kTile = __ww_sort_threads * kItems };
    unsigned int of_warps[__ww_sort_warps][256];  // counts, then sums over the warps before
    unsigned int starts[256];                     // of digits in the tile
    unsigned int warp_sums[__ww_sort_warps];
    long long targets[256];  // of digits in the result, less their start in the tile
    union {
        bits keys[kTile];
        index places[kTile];
    };

    __device__ __forceinline__ void clear() {
        for (int i = threadIdx.x; i < __ww_sort_warps * 256; i += __ww_sort_threads) {
            (&of_warps[0][0])[i] = 0;
        }
        __syncthreads();
    }

    // Ranks of the thread's keys among those of its warp with the same digit.
    __device__ __forceinline__ void rank(const bits (&key)[kItems], int shift,
                                         unsigned int (&ranks)[kItems]) {
        const int lane = (int)(threadIdx.x & 31);
        unsigned int* const counts = of_warps[threadIdx.x >> 5];
        const unsigned int before = (1u << lane) - 1;
#pragma unroll
        for (int j = 0; j < kItems; ++j) {
            const unsigned int digit = (unsigned int)(key[j] >> shift) & 255u;
            const unsigned int same = __ww_lanes_with_digit(digit);
            const int leader = __ffs((int)same) - 1;
            unsigned int old = 0;
            if (lane == leader) {
                old = counts[digit];
                counts[digit] = old + (unsigned int)__popc(same);
            }
            __syncwarp();
            ranks[j] = __shfl_sync(0xffffffffu, old, leader) + (unsigned int)__popc(same & before);
        }
        __syncthreads();
    }

    // Thread `digit` sums its digit over the warps; the count of the tile.
    __device__ __forceinline__ unsigned int sum_warps() {
        unsigned int sum = 0;
#pragma unroll
        for (int warp = 0; warp < __ww_sort_warps; ++warp) {
            const unsigned int count = of_warps[warp][threadIdx.x];
            of_warps[warp][threadIdx.x] = sum;
            sum += count;
        }
        return sum;
    }

    // Moves keys, and places, of the tile to the result, in order of their digits.
    __device__ __forceinline__ void move(const bits (&key)[kItems], const index (&place)[kItems],
                                         const unsigned int (&ranks)[kItems], int shift, int count,
                                         const __ww_sort_target<Sort>& target) {
        unsigned int at[kItems];
        const unsigned int* const sums = of_warps[threadIdx.x >> 5];
#pragma unroll
        for (int j = 0; j < kItems; ++j) {
            const unsigned int digit = (unsigned int)(key[j] >> shift) & 255u;
            at[j] = starts[digit] + sums[digit] + ranks[j];
            keys[at[j]] = key[j];
        }
        __syncthreads();
        long long to[kItems];
#pragma unroll
        for (int j = 0; j < kItems; ++j) {
            const int i = (int)threadIdx.x + j * __ww_sort_threads;
            const bits one = keys[i];
            to[j] = targets[(unsigned int)(one >> shift) & 255u] + i;
            if (i < count) target.put_key(to[j], one);
        }
        if (!Sort::has_index) return;
        __ww_move_places<__ww_sort_threads>(place, at, to, places, count, target);
    }

    // The tile's keys: a warp has kItems times 32 neighbours. Behind the end: keys that come last.
    __device__ __forceinline__ static void load(const __ww_sort_source<Sort>& source,
                                                long long first, int count, bits (&key)[kItems],
                                                index (&place)[kItems]) {
        const int base = (int)(threadIdx.x >> 5) * (32 * kItems) + (int)(threadIdx.x & 31);
#pragma unroll
        for (int j = 0; j < kItems; ++j) {
            const int i = base + j * 32;
            key[j] = (bits) ~(bits)0;
            place[j] = index();
            if (i < count) {
                key[j] = source.key(first + i);
                place[j] = source.place(first + i);
            }
        }
    }
};

// --- Long rows.

// Counts all digits of all keys: counts[pass * 256 + digit], zero before.
template <class Sort>
__device__ __forceinline__ void __ww_sort_histogram(const __ww_sort_source<Sort>& source,
                                                    long long length, void* result) {
    enum { passes = sizeof(typename Sort::bits) };
    __shared__ unsigned int counts[passes * 256];
    for (int i = threadIdx.x; i < passes * 256; i += __ww_sort_threads) counts[i] = 0;
    __syncthreads();
    const long long all = (long long)gridDim.x * __ww_sort_threads;
    for (long long i = (long long)blockIdx.x * __ww_sort_threads + threadIdx.x; i < length;
         i += all) {
        const typename Sort::bits key = source.key(i);
#pragma unroll
        for (int digit = 0; digit < passes; ++digit) {
            atomicAdd(&counts[digit * 256 + ((key >> (digit * 8)) & 255)], 1u);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < passes * 256; i += __ww_sort_threads) {
        if (counts[i] != 0) {
            atomicAdd((unsigned long long*)result + i, (unsigned long long)counts[i]);
        }
    }
}

// --- A block sorts a row: of `length` elements, with room for two times as many keys and places.
template <class Sort, int kItems>
__device__ __forceinline__ void __ww_sort_row_by_block(const void* from, const void* order,
                                                       void* to, void* all_keys, void* all_places,
                                                       long long length, long long step) {
    typedef typename Sort::bits bits;
    typedef typename Sort::index index;
    typedef __ww_sort_tile<Sort, kItems> Tile;
    __shared__ Tile tile;
    __shared__ unsigned int counts[256];
    __shared__ long long next[256];
    __shared__ long long sums[__ww_sort_warps];
    enum { passes = sizeof(bits) };
    const long long row = blockIdx.x;
    const long long rows = gridDim.x;
    bits* const keys[2] = {(bits*)all_keys + row * length, (bits*)all_keys + (rows + row) * length};
    index* const places[2] = {(index*)all_places + (Sort::has_index ? row * length : 0),
                              (index*)all_places + (Sort::has_index ? (rows + row) * length : 0)};
    __ww_sort_source<Sort> source = {
        (const typename Sort::memory*)from + row * length * step,
        order != nullptr ? (const long long*)order + row * length : nullptr,
        step,
        nullptr,
        nullptr,
        true};
    __ww_sort_target<Sort> target = {nullptr, nullptr,
                                     Sort::has_index
                                         ? (void*)((long long*)to + row * length)
                                         : (void*)((typename Sort::memory*)to + row * length),
                                     false};
    for (int pass = 0; pass < passes; ++pass) {
        const int shift = pass * 8;
        target.keys = keys[pass & 1];
        target.places = places[pass & 1];
        target.is_last = pass == passes - 1;
        counts[threadIdx.x] = 0;
        __syncthreads();
        for (long long i = threadIdx.x; i < length; i += __ww_sort_threads) {
            atomicAdd(&counts[(unsigned int)(source.key(i) >> shift) & 255u], 1u);
        }
        __syncthreads();
        next[threadIdx.x] = __ww_sum_before((long long)counts[threadIdx.x], sums);
        for (long long first = 0; first < length; first += Tile::kTile) {
            const int count =
                length - first < Tile::kTile ? (int)(length - first) : (int)Tile::kTile;
            bits key[kItems];
            index place[kItems];
            unsigned int ranks[kItems];
            tile.clear();
            Tile::load(source, first, count, key, place);
            tile.rank(key, shift, ranks);
            unsigned int mine = tile.sum_warps();
            const unsigned int start = __ww_sum_before(mine, tile.warp_sums);
            if (threadIdx.x == 255) mine -= (unsigned int)(Tile::kTile - count);
            tile.starts[threadIdx.x] = start;
            tile.targets[threadIdx.x] = next[threadIdx.x] - start;
            next[threadIdx.x] += mine;
            __syncthreads();
            tile.move(key, place, ranks, shift, count, target);
            __syncthreads();
        }
        source.is_first = false;
        source.keys = keys[pass & 1];
        source.places = places[pass & 1];
    }
}
