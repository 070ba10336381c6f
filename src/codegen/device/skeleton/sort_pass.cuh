// A pass of the sort of a long row on GPUs: tiles learn by decoupled look-back where their keys go
// (A. Adinets, D. Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022).
//
// 1. Warps count their keys' digits. The tile's counts are published before anything else, since
//    other tiles wait for them.
// 2. Keys are ranked: each lane sets its bit in a mask of its digit in shared memory. By votes on
//    eight bits a sort of 2^26 float32 takes 1.92 ms on an H200 instead of 1.64 (384 x 16).
// 3. Keys are put in order in shared memory, and go to the result by neighbouring lanes.
#pragma once

#include "sort_blocks.cuh"

// 256 words a tile, a digit each: the tile's count with bit 62, or that of it and all tiles before
// with bit 63; zero before. A thread has the digit of its number.
struct __ww_sort_states {
    enum { kAtOnce = 4 };
    volatile unsigned long long* words;
    static __device__ __forceinline__ unsigned long long bit(int i) { return 1ull << i; }
    __device__ __forceinline__ void set(long long tile, bool is_whole,
                                        unsigned long long count) const {
        words[tile * 256 + threadIdx.x] = bit(is_whole ? 63 : 62) | count;
    }
    // What all tiles before this one come to. Several words are asked for at once.
    __device__ __forceinline__ unsigned long long before(long long tile) const {
        unsigned long long sum = 0;
        bool is_open = tile > 0;
        for (long long other = tile - 1; is_open; other -= kAtOnce) {
            unsigned long long word[kAtOnce];
#pragma unroll
            for (int k = 0; k < kAtOnce; ++k) {
                word[k] = words[(other > k ? other - k : 0) * 256 + threadIdx.x];
            }
#pragma unroll
            for (int k = 0; k < kAtOnce; ++k) {
                if (!is_open) continue;
                while (word[k] < bit(62)) word[k] = words[(other - k) * 256 + threadIdx.x];
                sum += word[k] & (bit(62) - 1);
                is_open = word[k] < bit(63);
            }
        }
        return sum;
    }
};

// kThreads: 256 or more, of which the first 256 have a digit each. kItems keys of a thread.
template <class Sort, int kThreads, int kItems>
struct __ww_sort_pass {
    typedef typename Sort::bits bits;
    typedef typename Sort::index index;
    enum { kWarps = kThreads / 32, kTile = kThreads * kItems };
    struct Ranking {
        // Counts of a warp's digits, then where its next one goes.
        unsigned int offsets[kWarps][256];
        // Lanes that have the digit; zero between keys.
        unsigned int masks[kWarps][256];
    };
    union Room {
        Ranking ranking;
        bits keys[kTile];
        index places[kTile];
    };
    struct Shared {
        unsigned long long ticket;
        long long targets[256];  // of digits in the result, less their start in the tile
        long long sums[8];
        unsigned int tile_sums[8];
        Room room;
    };

    static __device__ __forceinline__ unsigned int digit(bits key, int shift) {
        return (unsigned int)(key >> shift) & 255u;
    }

    // A warp has kItems times 32 neighbours. Behind the end: keys that come last.
    static __device__ __forceinline__ void load(bits (&key)[kItems],
                                                const __ww_sort_source<Sort>& source,
                                                long long first, int count) {
        const int base = (int)(threadIdx.x >> 5) * (32 * kItems) + (int)(threadIdx.x & 31);
        if (count == kTile) {
#pragma unroll
            for (int j = 0; j < kItems; ++j) key[j] = source.key(first + base + j * 32);
            return;
        }
#pragma unroll
        for (int j = 0; j < kItems; ++j) {
            const int i = base + j * 32;
            key[j] = (bits) ~(bits)0;
            if (i < count) key[j] = source.key(first + i);
        }
    }

    // Where keys go in the tile.
    static __device__ __forceinline__ void rank(unsigned int (&at)[kItems],
                                                const bits (&key)[kItems], int shift,
                                                Ranking& ranking) {
        const int lane = (int)(threadIdx.x & 31);
        unsigned int* const offsets = ranking.offsets[threadIdx.x >> 5];
        unsigned int* const masks = ranking.masks[threadIdx.x >> 5];
#pragma unroll
        for (int j = 0; j < kItems; ++j) {
            const unsigned int own = digit(key[j], shift);
            atomicOr(&masks[own], 1u << lane);
            __syncwarp();
            const unsigned int same = masks[own];
            const int leader = 31 - __clz((int)same);
            unsigned int start = 0;
            __syncwarp();
            if (lane == leader) {
                start = offsets[own];
                offsets[own] = start + (unsigned int)__popc(same);
                masks[own] = 0;
            }
            __syncwarp();
            at[j] = __shfl_sync(0xffffffffu, start, leader) +
                    (unsigned int)__popc(same & ((1u << lane) - 1u));
        }
    }

    static __device__ __forceinline__ void load_places(index (&place)[kItems],
                                                       const __ww_sort_source<Sort>& source,
                                                       long long first, int count) {
        const int base = (int)(threadIdx.x >> 5) * (32 * kItems) + (int)(threadIdx.x & 31);
#pragma unroll
        for (int j = 0; j < kItems; ++j) {
            const int i = base + j * 32;
            place[j] = index();
            if (i < count) place[j] = source.place(first + i);
        }
    }

    // `counts`: of all keys by this pass's digit. `states`: a ticket in 16 bytes, then
    // __ww_sort_states.
    static __device__ __forceinline__ void run(const __ww_sort_source<Sort>& source,
                                               const __ww_sort_target<Sort>& target,
                                               const void* counts, void* states, long long length,
                                               int shift) {
        __shared__ Shared shared;
        Ranking& ranking = shared.room.ranking;
        if (threadIdx.x == 0) shared.ticket = atomicAdd((unsigned long long*)states, 1ull);
        for (int i = threadIdx.x; i < kWarps * 256; i += kThreads) {
            (&ranking.offsets[0][0])[i] = 0;
            (&ranking.masks[0][0])[i] = 0;
        }
        __syncthreads();
        const long long number = (long long)shared.ticket;
        const long long first = number * kTile;
        const int count = length - first < kTile ? (int)(length - first) : (int)kTile;
        bits key[kItems];
        load(key, source, first, count);
        unsigned int* const own = ranking.offsets[threadIdx.x >> 5];
#pragma unroll
        for (int j = 0; j < kItems; ++j) atomicAdd(&own[digit(key[j], shift)], 1u);
        __syncthreads();
        const bool has_digit = threadIdx.x < 256;
        const __ww_sort_states words = {(volatile unsigned long long*)states + 2};
        unsigned int mine = 0;   // keys of the tile with the thread's digit
        unsigned int start = 0;  // and where they begin in it
        long long before = 0;    // keys of all tiles with lesser digits
        if (has_digit) {
#pragma unroll
            for (int warp = 0; warp < kWarps; ++warp) mine += ranking.offsets[warp][threadIdx.x];
            start = mine;
            // What is behind the end has the last digit.
            if (threadIdx.x == 255) mine -= (unsigned int)(kTile - count);
            words.set(number, number == 0, mine);
            before = ((const long long*)counts)[threadIdx.x];
        }
        start = __ww_sum_before(start, shared.tile_sums);
        before = __ww_sum_before(before, shared.sums);
        if (has_digit) {
            unsigned int next = start;
#pragma unroll
            for (int warp = 0; warp < kWarps; ++warp) {
                const unsigned int of_warp = ranking.offsets[warp][threadIdx.x];
                ranking.offsets[warp][threadIdx.x] = next;
                next += of_warp;
            }
        }
        __syncthreads();
        unsigned int at[kItems];
        rank(at, key, shift, ranking);
        if (has_digit) {
            const unsigned long long sum = words.before(number);
            if (number > 0) words.set(number, true, sum + mine);
            shared.targets[threadIdx.x] = before + (long long)sum - start;
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < kItems; ++j) shared.room.keys[at[j]] = key[j];
        __syncthreads();
        // Places have numbers that fit the type that they are stored in.
        typename __ww_sort_number<index>::type to[kItems];
#pragma unroll
        for (int j = 0; j < kItems; ++j) {
            const int i = (int)threadIdx.x + j * kThreads;
            const bits one = shared.room.keys[i];
            const long long place = shared.targets[digit(one, shift)] + i;
            to[j] = (typename __ww_sort_number<index>::type)place;
            if (i < count) target.put_key(place, one);
        }
        if (!Sort::has_index) return;
        // Only now: a thread has no registers for them before.
        index place[kItems];
        load_places(place, source, first, count);
        __ww_move_places<kThreads>(place, at, to, shared.room.places, count, target);
    }
};
