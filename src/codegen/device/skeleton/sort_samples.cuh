// Sorts of long rows of elements without places, by the vectors of the host: a thread is a block.
//
// 1. Keys drawn from all of the row divide it into buckets: every 32nd of them begins one.
// 2. Chunks, a block each: keys in the order of buckets, and where in the chunk each bucket starts.
// 3. Where buckets begin in the result.
// 4. Buckets, a block each: their pieces of all chunks are sorted, and become elements.
//
// A chunk and a bucket fit a cache: a key is read from memory twice, and written twice.
#pragma once

#include "sort_serial.cuh"

#ifdef __WARPWISE_CPU__

enum { __ww_bucket_samples = 32 };

// `splitters`: where each bucket begins; behind them a key in the middle of each. `samples`: room
// for 2 * 32 keys a bucket.
template <class Sort>
__device__ __forceinline__ void __ww_choose_splitters(const void* from, void* splitters,
                                                      void* samples, long long length,
                                                      long long buckets) {
    typedef typename Sort::bits bits;
    const long long count = buckets * __ww_bucket_samples;
    const long long step = length / count;
    bits* const keys = (bits*)samples;
    // Places within each step vary: elements may repeat themselves.
    unsigned long long place = (unsigned long long)length;
    for (long long i = 0; i < count; ++i) {
        place = place * 6364136223846793005ull + 1442695040888963407ull;
        const long long at = i * step + (long long)((place >> 33) % (unsigned long long)step);
        keys[i] = Sort::input::key(((const typename Sort::memory*)from)[at]);
    }
    __ww_sort_keys(keys, keys, keys + count, (unsigned long long)count, sizeof(bits), 0, 0);
    bits* const found = (bits*)splitters;
    for (long long i = 0; i < buckets; ++i) {
        const bits first = i == 0 ? (bits)0 : keys[i * __ww_bucket_samples];
        found[i] = first;
        found[buckets + i] = keys[i * __ww_bucket_samples + __ww_bucket_samples / 2];
        // A key that begins several buckets is frequent: it gets one to itself.
        if (i > 1 && first <= found[i - 1]) {
            const bool is_last = first == (bits) ~(bits)0;
            found[i] = first == found[i - 1] && !is_last ? (bits)(first + 1) : found[i - 1];
        }
    }
}

// `keys` and `spare`: room for the row.
template <class Sort>
__device__ __forceinline__ void __ww_split_chunk(const void* from, const void* splitters,
                                                 void* keys, void* spare, void* starts,
                                                 long long length, long long buckets) {
    typedef typename Sort::bits bits;
    const __ww_chunk chunk(length);
    __ww_split_keys((const typename Sort::memory*)from + chunk.first, (bits*)keys + chunk.first,
                    (bits*)spare + chunk.first, (unsigned long long)(chunk.end - chunk.first),
                    (const bits*)splitters + 1, (unsigned long long)buckets,
                    (long long*)starts + blockIdx.x * (buckets + 1), sizeof(bits),
                    Sort::input::form);
}

// begins[0, buckets]: where each bucket begins in the result.
__device__ __forceinline__ void __ww_sum_buckets(const void* starts, void* begins, long long chunks,
                                                 long long buckets) {
    long long* const sums = (long long*)begins;
    for (long long i = 0; i <= buckets; ++i) sums[i] = 0;
    // What comes before a bucket in each of the chunks.
    for (long long chunk = 0; chunk < chunks; ++chunk) {
        const long long* const from = (const long long*)starts + chunk * (buckets + 1);
        for (long long i = 0; i <= buckets; ++i) sums[i] += from[i];
    }
}

template <class Sort>
__device__ __forceinline__ void __ww_sort_pieces(const void* splitters, const void* keys,
                                                 void* spare, const void* starts,
                                                 const void* begins, void* to, long long length,
                                                 long long chunks, long long buckets) {
    typedef typename Sort::bits bits;
    typedef typename Sort::memory memory;
    const long long bucket = blockIdx.x;
    const long long first = ((const long long*)begins)[bucket];
    const long long end = ((const long long*)begins)[bucket + 1];
    const bits* const least = (const bits*)splitters + bucket;
    const bits most = (bits) ~(bits)0;
    if (bucket + 1 < buckets ? least[1] == (bits)(least[0] + 1) : least[0] == most) {
        const memory only = Sort::input::element(least[0]);
        for (long long i = first; i < end; ++i) ((memory*)to)[i] = only;
        return;
    }
    __ww_sort_key_pieces(
        keys, (unsigned long long)chunks, (unsigned long long)((length + chunks - 1) / chunks),
        (const long long*)starts + bucket, (unsigned long long)(buckets + 1), (memory*)to + first,
        (bits*)spare + first, (unsigned long long)(end - first), least + buckets, sizeof(bits),
        Sort::input::form);
}

#endif  // __WARPWISE_CPU__
