// Radix sorts for processors whose threads are few and fast: a thread is a block.
//
// Sorts are stable and least significant digit first.
#pragma once

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

    __device__ __forceinline__ void sort(long long length) {
        if (length <= 48) {
            insert(length);
            return;
        }
        enum { passes = sizeof(bits) };
        unsigned int counts[passes * 256];
        for (int i = 0; i < passes * 256; ++i) counts[i] = 0;
        for (long long i = 0; i < length; ++i) {
            const bits key = keys[i];
#pragma unroll
            for (int digit = 0; digit < passes; ++digit) {
                ++counts[digit * 256 + ((key >> (digit * 8)) & 255)];
            }
        }
        for (int digit = 0; digit < passes; ++digit) {
            // All in one bucket: nothing moves.
            if (counts[digit * 256 + ((keys[0] >> (digit * 8)) & 255)] == length) continue;
            pass(length, counts + digit * 256, digit * 8);
        }
    }
};

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
    for (long long i = 0; i < length; ++i) {
        const long long place = order != nullptr ? taken[i] : i;
        sort.keys[i] = Sort::input::key(in[place * step]);
        if (Sort::has_index) sort.places[i] = Sort::place(place);
    }
    sort.sort(length);
    if (Sort::has_index) {
        long long* const out = (long long*)to + row * length;
        for (long long i = 0; i < length; ++i) __ww_put_place(out, i, sort.places[i]);
    } else {
        memory* const out = (memory*)to + row * length;
        for (long long i = 0; i < length; ++i) out[i] = Sort::input::element(sort.keys[i]);
    }
}

// --- A long row: chunks of it, a block each; a pass is three kernels.
//
// 1. How many keys of the chunk have each digit: counts[digit * chunks + chunk].
// 2. Where the first of them goes: an exclusive sum.
// 3. Keys, with their places, go there.
struct __ww_chunk {
    long long first, end;
    __device__ __forceinline__ __ww_chunk(long long length) {
        const long long size = (length + gridDim.x - 1) / gridDim.x;
        first = blockIdx.x * size < length ? blockIdx.x * size : length;
        end = first + size < length ? first + size : length;
    }
};

// The first pass reads elements, later ones what the one before has written.
template <class Sort, bool kFirst>
struct __ww_chunk_keys {
    typedef typename Sort::bits bits;
    typedef typename Sort::index index;
    const bits* keys;
    const index* places;
    __device__ __forceinline__ __ww_chunk_keys(const void* from, const void* at, long long)
        : keys((const bits*)from), places((const index*)at) {}
    __device__ __forceinline__ bits key(long long i) const { return keys[i]; }
    __device__ __forceinline__ index place(long long i) const { return places[i]; }
};
template <class Sort>
struct __ww_chunk_keys<Sort, true> {
    typedef typename Sort::bits bits;
    typedef typename Sort::index index;
    const typename Sort::memory* in;
    const long long* order;
    long long step;
    __device__ __forceinline__ __ww_chunk_keys(const void* from, const void* at, long long apart)
        : in((const typename Sort::memory*)from), order((const long long*)at), step(apart) {}
    __device__ __forceinline__ long long taken(long long i) const {
        return order != nullptr ? order[i] : i;
    }
    __device__ __forceinline__ bits key(long long i) const {
        return Sort::input::key(in[taken(i) * step]);
    }
    __device__ __forceinline__ index place(long long i) const { return Sort::place(taken(i)); }
};

template <class Sort, bool kFirst>
__device__ __forceinline__ void __ww_count_digits(const void* from, const void* at, void* result,
                                                  long long length, long long step, int shift) {
    const __ww_chunk chunk(length);
    const __ww_chunk_keys<Sort, kFirst> keys(from, at, step);
    unsigned int counts[2 * 256];  // neighbours count apart: equal digits need not wait
    for (int i = 0; i < 2 * 256; ++i) counts[i] = 0;
    long long i = chunk.first;
    for (; i + 1 < chunk.end; i += 2) {
        ++counts[(keys.key(i) >> shift) & 255];
        ++counts[256 + ((keys.key(i + 1) >> shift) & 255)];
    }
    if (i < chunk.end) ++counts[(keys.key(i) >> shift) & 255];
    for (int digit = 0; digit < 256; ++digit) {
        ((long long*)result)[digit * gridDim.x + blockIdx.x] =
            (long long)counts[digit] + counts[256 + digit];
    }
}

__device__ __forceinline__ void __ww_sum_digits(void* counts, long long count) {
    long long sum = 0;
    for (long long i = 0; i < count; ++i) {
        const long long one = ((long long*)counts)[i];
        ((long long*)counts)[i] = sum;
        sum += one;
    }
}

template <class Sort, bool kFirst, bool kLast>
__device__ __forceinline__ void __ww_move_by_digit(const void* from, const void* at,
                                                   const void* counts, void* to, void* places,
                                                   long long length, long long step, int shift) {
    typedef typename Sort::bits bits;
    typedef typename Sort::index index;
    const __ww_chunk chunk(length);
    const __ww_chunk_keys<Sort, kFirst> keys(from, at, step);
    long long next[256];
    for (int digit = 0; digit < 256; ++digit) {
        next[digit] = ((const long long*)counts)[digit * gridDim.x + blockIdx.x];
    }
    for (long long i = chunk.first; i < chunk.end; ++i) {
        const bits key = keys.key(i);
        const long long target = next[(key >> shift) & 255]++;
        if (kLast && Sort::has_index) {
            __ww_put_place((long long*)to, target, keys.place(i));
        } else if (kLast) {
            ((typename Sort::memory*)to)[target] = Sort::input::element(key);
        } else {
            ((bits*)to)[target] = key;
            if (Sort::has_index) ((index*)places)[target] = keys.place(i);
        }
    }
}
