// Compaction: the elements where a mask is true, in their order.
#pragma once

#include "scan.cuh"

// What is written of element i: itself, or its number.
template <class Item>
struct __ww_written_item {
    typedef Item type;
    const Item* values;
    __device__ __forceinline__ Item operator()(long long i) const { return values[i]; }
};
struct __ww_written_place {
    typedef long long type;
    __device__ __forceinline__ long long operator()(long long i) const { return i; }
};

template <class Index>
struct __ww_joined_count {
    __device__ __forceinline__ Index operator()(Index a, Index b) const { return a + b; }
};

// A bit for each of 32 bytes, at an address that 16 divides: whether it is not 0.
__device__ __forceinline__ unsigned int __ww_true_of_32(const unsigned char* bytes) {
    unsigned int bits = 0;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const uint4 four = ((const uint4*)bytes)[half];
        const unsigned int words[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            // The highest bit of each byte that is not 0, moved down; then the four side by side.
            const unsigned int carried = (words[i] & 0x7f7f7f7fu) + 0x7f7f7f7fu;
            const unsigned int ones = (carried | words[i]) >> 7 & 0x01010101u;
            bits |= (ones * 0x10204080u >> 28) << (half * 16 + i * 4);
        }
    }
    return bits;
}

// --- For GPUs, in one pass: each lane of a warp keeps the bits of 32 neighbouring bytes of the
// mask, found by itself where they lie as wide loads want them, else by votes; blocks learn what
// the tiles before come to as scans do, and then move elements.
// kGroups times 32 * 32 elements for each warp.
template <class Index, int kThreads, int kGroups, class Written>
__device__ __forceinline__ void __ww_compact_blocks(const __ww_scan_work& work, const void* mask,
                                                    const Written& written, void* result) {
    typedef typename Written::type Item;
    enum { kWarps = kThreads / 32, kOfWarp = kGroups * 1024, kVotes = 16 };
    // Elements that a thread keeps in registers at once.
    enum { kAtOnce = sizeof(Item) <= 8 ? 16 : sizeof(Item) <= 16 ? 4 : 1 };
    __shared__ unsigned long long ticket;
    __shared__ Index sums[kWarps];
    __shared__ Index start;
    const long long tile = (long long)__ww_next_tile(work, &ticket);
    const int lane = (int)(threadIdx.x & 31);
    const int warp = (int)(threadIdx.x >> 5);
    const long long first = tile * (kWarps * kOfWarp) + warp * kOfWarp + lane;
    const unsigned char* const bytes = (const unsigned char*)mask;
    unsigned int votes[kGroups];
    Index total = 0;
    const bool is_wide =
        (tile + 1) * (kWarps * kOfWarp) <= work.length && ((unsigned long long)mask & 15) == 0;
    if (is_wide) {
#pragma unroll
        for (int group = 0; group < kGroups; ++group) {
            votes[group] = __ww_true_of_32(bytes + first - lane + group * 1024 + lane * 32);
            total += (Index)__popc(votes[group]);
        }
#pragma unroll
        for (int step = 16; step > 0; step /= 2) {
            total += __shfl_xor_sync(0xffffffffu, total, step);
        }
    }
#pragma unroll
    for (int group = 0; group < kGroups && !is_wide; ++group) {
        votes[group] = 0;
#pragma unroll
        for (int part = 0; part < 32; part += kVotes) {
            unsigned char is_true[kVotes];
#pragma unroll
            for (int j = 0; j < kVotes; ++j) {
                const long long at = first + group * 1024 + (part + j) * 32;
                is_true[j] = at < work.length ? bytes[at] : (unsigned char)0;
            }
#pragma unroll
            for (int j = 0; j < kVotes; ++j) {
                const unsigned int vote = __ballot_sync(0xffffffffu, is_true[j] != 0);
                if (lane == part + j) votes[group] = vote;
                total += (Index)__popc(vote);
            }
        }
    }
    if (lane == 0) sums[warp] = total;
    __syncthreads();
    Index all = 0, before = 0;
#pragma unroll
    for (int i = 0; i < kWarps; ++i) {
        if (i == warp) before = all;
        all += sums[i];
    }
    if (warp == 0) {
        const Index of_tiles = __ww_look_back(work, 0, tile, all, __ww_joined_count<Index>());
        if (lane == 0) start = tile > 0 ? of_tiles : (Index)0;
    }
    __syncthreads();
    Item* to = (Item*)result + start + before;
#pragma unroll
    for (int group = 0; group < kGroups; ++group) {
#pragma unroll 1
        for (int part = 0; part < 32; part += kAtOnce) {
            __ww_slot<Item> items[kAtOnce];
            unsigned int vote[kAtOnce];
#pragma unroll
            for (int j = 0; j < kAtOnce; ++j) {
                vote[j] = __shfl_sync(0xffffffffu, votes[group], part + j);
                if (vote[j] >> lane & 1u) {
                    items[j].value = written(first + group * 1024 + (part + j) * 32);
                }
            }
#pragma unroll
            for (int j = 0; j < kAtOnce; ++j) {
                const unsigned int before_lane = (1u << lane) - 1u;
                if (vote[j] >> lane & 1u) to[__popc(vote[j] & before_lane)] = items[j].value;
                to += __popc(vote[j]);
            }
        }
    }
}

// --- For processors whose threads are few and fast: a thread is a block and takes a chunk of the
// mask, a multiple of eight elements.
//
// 1. Chunks are counted. 2. Their counts become places: an exclusive sum, with the total behind it.
// 3. Elements are written where the next one goes, which moves on behind those that count.
struct __ww_mask_chunk {
    long long first, end;
    __device__ __forceinline__ __ww_mask_chunk(long long length) {
        const long long words = (length + 7) / 8;
        const long long size = (words + gridDim.x - 1) / gridDim.x * 8;
        first = blockIdx.x * size < length ? blockIdx.x * size : length;
        end = first + size < length ? first + size : length;
    }
};

__device__ __forceinline__ unsigned long long __ww_mask_word(const unsigned char* mask) {
    unsigned long long word;
    __builtin_memcpy(&word, mask, 8);
    return word;
}

__device__ __forceinline__ void __ww_count_true(const void* mask, void* counts, long long length) {
    const __ww_mask_chunk chunk(length);
    const unsigned char* const bytes = (const unsigned char*)mask;
    long long count = 0;
    long long i = chunk.first;
    for (; i + 8 <= chunk.end; i += 8) {
        // One bit for each byte that is not 0.
        unsigned long long word = __ww_mask_word(bytes + i);
        word |= word >> 4 & 0x0f0f0f0f0f0f0f0full;
        word |= word >> 2 & 0x0303030303030303ull;
        word |= word >> 1;
        count += __popcll(word & 0x0101010101010101ull);
    }
    for (; i < chunk.end; ++i) count += bytes[i] != 0;
    ((long long*)counts)[blockIdx.x] = count;
}

__device__ __forceinline__ void __ww_sum_true(void* counts, long long chunks) {
    long long sum = 0;
    for (long long i = 0; i < chunks; ++i) {
        const long long one = ((long long*)counts)[i];
        ((long long*)counts)[i] = sum;
        sum += one;
    }
    ((long long*)counts)[chunks] = sum;
}

template <class Written>
__device__ __forceinline__ void __ww_write_true(const void* mask, const Written& written,
                                                void* result, const void* starts,
                                                long long length) {
    const __ww_mask_chunk chunk(length);
    const unsigned char* const bytes = (const unsigned char*)mask;
    typename Written::type* const out = (typename Written::type*)result;
    long long next = ((const long long*)starts)[blockIdx.x];
    const long long end = ((const long long*)starts)[blockIdx.x + 1];
    // What is written at `end` would be another chunk's.
    for (long long i = chunk.first; next < end; i += 8) {
        if (i + 8 <= chunk.end) {
            if (__ww_mask_word(bytes + i) == 0) continue;
            if (next + 8 <= end) {
#pragma unroll
                for (int j = 0; j < 8; ++j) {
                    out[next] = written(i + j);
                    next += bytes[i + j] != 0;
                }
                continue;
            }
        }
        for (long long j = i; next < end && j < i + 8; ++j) {
            if (bytes[j] != 0) out[next++] = written(j);
        }
    }
}
