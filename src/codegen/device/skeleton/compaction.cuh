// Compaction for processors whose threads are few and fast: a thread is a block and takes a chunk
// of the mask, a multiple of eight elements.
//
// 1. Chunks are counted. 2. Their counts become places: an exclusive sum, with the total behind it.
// 3. Elements are written where the next one goes, which moves on behind those that count.
#pragma once

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
