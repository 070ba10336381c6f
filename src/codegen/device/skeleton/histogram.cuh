// How often each number occurs, and sums by number.
#pragma once

#include "sort_serial.cuh"

enum { __ww_shared_bins = 4096 };

// The bin of element i: as it is given.
template <class T>
struct __ww_given_place {
    const T* places;
    __device__ __forceinline__ long long operator()(long long i) const {
        return (long long)places[i];
    }
};
// The same of numbers that are known to be 0 to `bins`.
struct __ww_narrow_place {
    const unsigned short* places;
    __device__ __forceinline__ long long operator()(long long i) const { return places[i]; }
};
// Between edges of one distance, or nearly: what is guessed, in `Guess`, is corrected by the edges
// themselves where it lies within `margin` bins of one. The last bin includes its upper edge. -1:
// outside, or NaN.
template <class T, class Guess, class Index>
struct __ww_place_between {
    const T* values;
    const T* edges;
    Index bins;
    Guess scale, margin;
    __device__ __forceinline__ Index operator()(long long i) const {
        const T value = values[i];
        if (!(value >= edges[0] && value <= edges[bins])) return -1;
        const Guess guess = ((Guess)value - (Guess)edges[0]) * scale;
        Index bin = guess < (Guess)(bins - 1) ? (Index)guess : bins - 1;
        const Guess part = guess - (Guess)bin;
        if (part > margin && part < (Guess)1 - margin) return bin;
        while (bin > 0 && value < edges[bin]) --bin;
        while (bin + 1 < bins && value >= edges[bin + 1]) ++bin;
        return bin;
    }
};

// Numbers outside of the bins count nowhere. `counts`: zero before.
template <bool kShared, class Place>
__device__ __forceinline__ void __ww_count_places(const Place& place, void* counts, long long count,
                                                  long long bins) {
    __shared__ unsigned int own[kShared ? __ww_shared_bins : 1];
    if (kShared) {
        for (int i = threadIdx.x; i < bins; i += blockDim.x) own[i] = 0;
        __syncthreads();
    }
    const long long all = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += all) {
        const long long bin = place(i);
        if (bin < 0 || bin >= bins) continue;
        if (kShared) {
            atomicAdd(&own[bin], 1u);
        } else {
            atomicAdd((unsigned long long*)counts + bin, 1ull);
        }
    }
    if (!kShared) return;
    __syncthreads();
    for (int i = threadIdx.x; i < bins; i += blockDim.x) {
        if (own[i] != 0) atomicAdd((unsigned long long*)counts + i, (unsigned long long)own[i]);
    }
}

// `bins` for what is in no bin.
template <class Place>
__device__ __forceinline__ long long __ww_place_below(const Place& place, long long i,
                                                      long long bins) {
    const long long bin = place(i);
    return bin < 0 || bin > bins ? bins : bin;
}
__device__ __forceinline__ long long __ww_place_below(const __ww_narrow_place& place, long long i,
                                                      long long) {
    return place(i);
}

// A thread is a block, which has kTurns tables of its own, of bins + 1 numbers; zero before.
// Neighbours are counted in several, so that one count need not wait for the one before. What is
// outside counts as the last number.
template <int kTurns, class Place>
__device__ __forceinline__ void __ww_count_chunk(const Place& place, void* tables, long long count,
                                                 long long bins) {
    const __ww_chunk chunk(count);
    const long long table = bins + 1;
    long long* const own = (long long*)tables + blockIdx.x * table * kTurns;
    long long i = chunk.first;
    for (; i + kTurns <= chunk.end; i += kTurns) {
#pragma unroll
        for (int turn = 0; turn < kTurns; ++turn) {
            ++own[turn * table + __ww_place_below(place, i + turn, bins)];
        }
    }
    for (; i < chunk.end; ++i) ++own[__ww_place_below(place, i, bins)];
}

// Fewer than 65535 bins in 16 bits; `bins` for what is outside.
template <class Place>
__device__ __forceinline__ void __ww_narrow_places(const Place& place, void* result,
                                                   long long count, long long bins) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const long long bin = place(i);
    ((unsigned short*)result)[i] = (unsigned short)(bin < 0 ? bins : bin);
}

template <class Place>
__device__ __forceinline__ void __ww_write_places(const Place& place, void* result,
                                                  long long count) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) ((long long*)result)[i] = place(i);
}

// A block sums values[order[i]] for i from ends[bin] to ends[bin + 1], in an order of its own that
// depends on their count alone.
__device__ __forceinline__ void __ww_sum_ranges(const void* values, const void* order,
                                                const void* ends, void* sums) {
    __shared__ double shared[256];
    const long long first = ((const long long*)ends)[blockIdx.x];
    const long long end = ((const long long*)ends)[blockIdx.x + 1];
    double sum = 0;
    for (long long i = first + threadIdx.x; i < end; i += 256) {
        sum += ((const double*)values)[((const long long*)order)[i]];
    }
    shared[threadIdx.x] = sum;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    }
    if (threadIdx.x == 0) ((double*)sums)[blockIdx.x] = shared[0];
}
