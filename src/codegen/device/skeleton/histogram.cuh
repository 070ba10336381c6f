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
// Between edges of one distance, or nearly: what is guessed is corrected by the edges themselves.
// The last bin includes its upper edge. -1: outside, or NaN.
template <class T>
struct __ww_place_between {
    const T* values;
    const T* edges;
    long long bins;
    double first, scale;
    __device__ __forceinline__ long long operator()(long long i) const {
        const double value = (double)values[i];
        if (!(value >= (double)edges[0] && value <= (double)edges[bins])) return -1;
        const double guess = (value - first) * scale;
        long long bin = guess < (double)(bins - 1) ? (long long)guess : bins - 1;
        bin = bin < 0 ? 0 : bin;
        while (bin > 0 && value < (double)edges[bin]) --bin;
        while (bin + 1 < bins && value >= (double)edges[bin + 1]) ++bin;
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

// A thread is a block, which has kTurns tables of its own; zero before. Neighbours are counted in
// several, so that one count need not wait for the one before.
template <int kTurns, class Place>
__device__ __forceinline__ void __ww_count_chunk(const Place& place, void* tables, long long count,
                                                 long long bins) {
    const __ww_chunk chunk(count);
    long long* const own = (long long*)tables + blockIdx.x * bins * kTurns;
    long long i = chunk.first;
    for (; i + kTurns <= chunk.end; i += kTurns) {
#pragma unroll
        for (int turn = 0; turn < kTurns; ++turn) {
            const long long bin = place(i + turn);
            if (bin >= 0 && bin < bins) ++own[turn * bins + bin];
        }
    }
    for (; i < chunk.end; ++i) {
        const long long bin = place(i);
        if (bin >= 0 && bin < bins) ++own[bin];
    }
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
