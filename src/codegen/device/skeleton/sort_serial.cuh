// Radix sorts for processors whose threads are few and fast: a thread is a block.
//
// Sorts are stable and least significant digit first.
#pragma once

#include "sort_keys.cuh"

// --- One row a block: for rows that fit a cache, and for many of them.
//
// `in`: rows of `length` elements, `step` apart from one to the next; `order` (may be null): the
// order in which they are taken, as places in the row. Writes elements, or places as int64.
// `all_keys` and `all_places`: room for 2 * length of them a row.
template <class Sort>
struct __ww_row_sort {
    typedef typename Sort::bits bits;
    typedef typename Sort::index index;
    bits* keys;
    index* places;
    bits* other_keys;
    index* other_places;

    // Few elements: by insertion.
    __device__ __forceinline__ void insert(long long length) {
        for (long long i = 1; i < length; ++i) {
            const bits key = keys[i];
            const index place = places[Sort::has_index ? i : 0];
            long long at = i;
            for (; at > 0 && keys[at - 1] > key; --at) {
                keys[at] = keys[at - 1];
                if (Sort::has_index) places[at] = places[at - 1];
            }
            keys[at] = key;
            if (Sort::has_index) places[at] = place;
        }
    }

    __device__ __forceinline__ void pass(long long length, unsigned int* counts, int shift) {
        unsigned int sum = 0;
        for (int digit = 0; digit < 256; ++digit) {
            const unsigned int count = counts[digit];
            counts[digit] = sum;
            sum += count;
        }
        for (long long i = 0; i < length; ++i) {
            const bits key = keys[i];
            const unsigned int at = counts[(key >> shift) & 255]++;
            other_keys[at] = key;
            if (Sort::has_index) other_places[at] = places[i];
        }
        bits* const swapped = keys;
        keys = other_keys;
        other_keys = swapped;
        index* const swapped_places = places;
        places = other_places;
        other_places = swapped_places;
    }

    // The lowest `digits` digits, kMost or fewer.
    template <int kMost>
    __device__ __forceinline__ void count_digits(long long length, unsigned int* counts,
                                                 int digits) const {
        if (kMost > 1 && digits < kMost) {
            count_digits<(kMost > 1 ? kMost - 1 : 1)>(length, counts, digits);
            return;
        }
        for (long long i = 0; i < length; ++i) {
            const bits key = keys[i];
#pragma unroll
            for (int digit = 0; digit < kMost; ++digit) {
                ++counts[digit * 256 + ((key >> (digit * 8)) & 255)];
            }
        }
    }

    // By the lowest `digits` digits: keys are equal in the others.
    __device__ __forceinline__ void sort(long long length, int digits) {
        if (digits == 0) return;
        if (length <= 24) {
            insert(length);
            return;
        }
        enum { passes = sizeof(bits) };
        unsigned int counts[passes * 256];
        for (int i = 0; i < digits * 256; ++i) counts[i] = 0;
        count_digits<passes>(length, counts, digits);
        for (int digit = 0; digit < digits; ++digit) {
            // All in one bucket: nothing moves.
            if (counts[digit * 256 + ((keys[0] >> (digit * 8)) & 255)] == length) continue;
            pass(length, counts + digit * 256, digit * 8);
        }
    }
};

// Elements, or keys (of form 0), sorted by the host's vectors where it has them. Equal elements
// without places are one as good as the other: no such sort need be stable.
template <class Sort>
__device__ __forceinline__ bool __ww_is_sorted_by_vectors(const void* from, int from_form, void* to,
                                                          void* spare, long long count) {
#ifdef __WARPWISE_CPU__
    enum { bytes = sizeof(typename Sort::bits) };
    return !Sort::has_index && bytes >= 4 &&
           __ww_sort_keys(from, to, spare, (unsigned long long)count, bytes,
                          (unsigned int)from_form, Sort::input::form) != 0;
#else
    return false;
#endif
}

template <class Sort>
__device__ __forceinline__ void __ww_sort_row(const void* from, const void* order, void* to,
                                              void* all_keys, void* all_places, long long length,
                                              long long step) {
    typedef typename Sort::bits bits;
    typedef typename Sort::index index;
    typedef typename Sort::memory memory;
    const long long row = blockIdx.x;
    const long long rows = gridDim.x;
    const memory* const in = (const memory*)from + row * length * step;
    const long long* const taken = (const long long*)order + row * length;
    __ww_row_sort<Sort> sort;
    sort.keys = (bits*)all_keys + row * length;
    sort.other_keys = (bits*)all_keys + (rows + row) * length;
    index* const places = (index*)all_places;
    sort.places = places + (Sort::has_index ? row * length : 0);
    sort.other_places = places + (Sort::has_index ? (rows + row) * length : 0);
    if (order == nullptr && step == 1 &&
        __ww_is_sorted_by_vectors<Sort>(in, Sort::input::form, (memory*)to + row * length,
                                        sort.keys, length)) {
        return;
    }
    for (long long i = 0; i < length; ++i) {
        const long long place = order != nullptr ? taken[i] : i;
        sort.keys[i] = Sort::input::key(in[place * step]);
        if (Sort::has_index) sort.places[i] = Sort::place(place);
    }
    sort.sort(length, (int)sizeof(bits));
    if (Sort::has_index) {
        long long* const out = (long long*)to + row * length;
        for (long long i = 0; i < length; ++i) __ww_put_place(out, i, sort.places[i]);
    } else {
        memory* const out = (memory*)to + row * length;
        for (long long i = 0; i < length; ++i) out[i] = Sort::input::element(sort.keys[i]);
    }
}

// --- A long row: chunks of it, a block each, then buckets of it.
//
// 1. The least and the greatest key: words[2 * chunk] and words[2 * chunk + 1].
// 2. How many keys of the chunk are in each bucket, by the highest bits of what they are above the
//    least: counts[bucket * chunks + chunk].
// 3. Where the first of them goes: an exclusive sum.
// 4. Keys, with their places, go there: 5. a bucket, which fits a cache, is sorted like a row.
//
// Where only the first `limit` elements are wanted, buckets behind them stay empty. Where only the
// elements at some places are (`wanted`, `wanted_count` of them), buckets without one stay as they
// are: what comes before a bucket is not greater, what comes behind it not less.
struct __ww_chunk {
    long long first, end;
    __device__ __forceinline__ __ww_chunk(long long length) {
        const long long size = (length + gridDim.x - 1) / gridDim.x;
        first = blockIdx.x * size < length ? blockIdx.x * size : length;
        end = first + size < length ? first + size : length;
    }
};

// The row's elements, in the order that is given (`order` may be null).
template <class Sort>
struct __ww_row_keys {
    const typename Sort::memory* in;
    const long long* order;
    long long step;
    __device__ __forceinline__ long long taken(long long i) const {
        return order != nullptr ? order[i] : i;
    }
    __device__ __forceinline__ typename Sort::bits key(long long i) const {
        return Sort::input::key(in[taken(i) * step]);
    }
};

template <class Sort>
__device__ __forceinline__ void __ww_key_range(const __ww_row_keys<Sort>& keys, void* words,
                                               long long length) {
    typedef typename Sort::bits bits;
    const __ww_chunk chunk(length);
    bits least = (bits) ~(bits)0;
    bits most = 0;
    for (long long i = chunk.first; i < chunk.end; ++i) {
        const bits key = keys.key(i);
        least = key < least ? key : least;
        most = key > most ? key : most;
    }
    ((unsigned long long*)words)[2 * blockIdx.x] = least;
    ((unsigned long long*)words)[2 * blockIdx.x + 1] = most;
}

// Which of 2^bucket_bits buckets a key is in. Counted from the least key: the highest bits that
// vary say nothing of numbers on both sides of 0, which are all ones or all zeros there.
struct __ww_buckets {
    unsigned long long least;
    int shift;
    __device__ __forceinline__ __ww_buckets(const void* words, long long chunks, int bucket_bits) {
        unsigned long long most = 0;
        least = ~0ull;
        for (long long i = 0; i < chunks; ++i) {
            const unsigned long long first = ((const unsigned long long*)words)[2 * i];
            const unsigned long long last = ((const unsigned long long*)words)[2 * i + 1];
            least = first < least ? first : least;
            most = last > most ? last : most;
        }
        const int width = most > least ? 64 - __clzll((long long)(most - least)) : 0;
        shift = width > bucket_bits ? width - bucket_bits : 0;
    }
    template <class Bits>
    __device__ __forceinline__ unsigned int of(Bits key) const {
        return (unsigned int)((Bits)(key - (Bits)least) >> shift);
    }
};

enum { __ww_most_buckets = 2048 };

template <class Sort>
__device__ __forceinline__ void __ww_count_buckets(const __ww_row_keys<Sort>& keys,
                                                   const void* words, void* result,
                                                   long long length, int bucket_bits) {
    const __ww_chunk chunk(length);
    const __ww_buckets buckets(words, gridDim.x, bucket_bits);
    const unsigned int mask = (1u << bucket_bits) - 1;
    unsigned int counts[__ww_most_buckets];
    for (unsigned int i = 0; i <= mask; ++i) counts[i] = 0;
    for (long long i = chunk.first; i < chunk.end; ++i) ++counts[buckets.of(keys.key(i))];
    for (unsigned int i = 0; i <= mask; ++i) {
        ((long long*)result)[i * gridDim.x + blockIdx.x] = counts[i];
    }
}

__device__ __forceinline__ void __ww_sum_counts(void* counts, long long count) {
    long long sum = 0;
    for (long long i = 0; i < count; ++i) {
        const long long one = ((long long*)counts)[i];
        ((long long*)counts)[i] = sum;
        sum += one;
    }
}

template <class Sort>
__device__ __forceinline__ void __ww_move_to_buckets(const __ww_row_keys<Sort>& keys,
                                                     const void* words, const void* counts,
                                                     void* to, void* places, long long length,
                                                     int bucket_bits, long long limit) {
    typedef typename Sort::bits bits;
    typedef typename Sort::index index;
    const __ww_chunk chunk(length);
    const __ww_buckets buckets(words, gridDim.x, bucket_bits);
    const unsigned int mask = (1u << bucket_bits) - 1;
    long long next[__ww_most_buckets];
    for (unsigned int i = 0; i <= mask; ++i) {
        const long long* const starts = (const long long*)counts + i * gridDim.x;
        next[i] = starts[0] < limit ? starts[blockIdx.x] : -1;
    }
    for (long long i = chunk.first; i < chunk.end; ++i) {
        const bits key = keys.key(i);
        const unsigned int bucket = buckets.of(key);
        const long long target = next[bucket];
        if (target < 0) continue;
        next[bucket] = target + 1;
        ((bits*)to)[target] = key;
        if (Sort::has_index) ((index*)places)[target] = Sort::place(keys.taken(i));
    }
}

// A block sorts a bucket. `all_keys` and `all_places`: what step 4 has written, then as much room.
template <class Sort>
__device__ __forceinline__ void __ww_sort_bucket(const void* counts, void* all_keys,
                                                 void* all_places, void* to, long long length,
                                                 long long chunks, long long limit,
                                                 const void* wanted, long long wanted_count) {
    typedef typename Sort::bits bits;
    typedef typename Sort::index index;
    const long long* const starts = (const long long*)counts;
    const long long first = starts[blockIdx.x * chunks];
    const long long end = blockIdx.x + 1 < gridDim.x ? starts[(blockIdx.x + 1) * chunks] : length;
    if (first == end || first >= limit) return;
    bool is_wanted = wanted_count == 0;
    for (long long i = 0; i < wanted_count; ++i) {
        const long long place = ((const long long*)wanted)[i];
        is_wanted = is_wanted || (place >= first && place < end);
    }
    __ww_row_sort<Sort> sort;
    index* const places = (index*)all_places;
    sort.keys = (bits*)all_keys + first;
    sort.other_keys = (bits*)all_keys + length + first;
    sort.places = places + (Sort::has_index ? first : 0);
    sort.other_places = places + (Sort::has_index ? length + first : 0);
    if (is_wanted) {
        if (__ww_is_sorted_by_vectors<Sort>(sort.keys, 0, (typename Sort::memory*)to + first,
                                            sort.other_keys, end - first)) {
            return;
        }
        bits varying = 0;
        for (long long i = 1; i < end - first; ++i) varying |= sort.keys[i] ^ sort.keys[0];
        sort.sort(end - first, (71 - __clzll((long long)varying)) / 8);
    }
    for (long long i = first; i < end; ++i) {
        if (Sort::has_index) {
            __ww_put_place((long long*)to, i, sort.places[Sort::has_index ? i - first : 0]);
        } else {
            ((typename Sort::memory*)to)[i] = Sort::input::element(sort.keys[i - first]);
        }
    }
}
