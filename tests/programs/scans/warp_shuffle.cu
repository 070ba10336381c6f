// A block's inclusive scan by shuffles: each warp by itself, then the last lanes' sums by warp 0.
#include <cuda_runtime.h>

namespace scan {

constexpr unsigned kFullMask = 0xffffffffu;
constexpr int kWarp = 32;

template <typename T>
__device__ __forceinline__ T warp_inclusive(T value) {
    const int lane = threadIdx.x % kWarp;
#pragma unroll
    for (int delta = 1; delta < kWarp; delta <<= 1) {
        const T other = __shfl_up_sync(kFullMask, value, delta);
        if (lane >= delta) value += other;
    }
    return value;
}

template <typename T>
__device__ T block_inclusive(T value) {
    __shared__ T totals[kWarp];
    const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
    value = warp_inclusive(value);
    if (lane == kWarp - 1) totals[warp] = value;
    __syncthreads();
    if (warp == 0) {
        T total = lane < (blockDim.x + kWarp - 1) / kWarp ? totals[lane] : T{};
        totals[lane] = warp_inclusive(total);
    }
    __syncthreads();
    return warp > 0 ? value + totals[warp - 1] : value;
}

template <typename T>
__global__ void rows(const T* __restrict__ in, T* __restrict__ out, int width) {
    const T* row = in + static_cast<size_t>(blockIdx.x) * width;
    T* result = out + static_cast<size_t>(blockIdx.x) * width;
    __shared__ T carry;
    if (threadIdx.x == 0) carry = T{};
    for (int first = 0; first < width; first += blockDim.x) {
        const int i = first + threadIdx.x;
        __syncthreads();
        const T before = carry;
        const T sum = block_inclusive(i < width ? row[i] : T{}) + before;
        if (i < width) result[i] = sum;
        __syncthreads();
        if (threadIdx.x == blockDim.x - 1) carry = sum;
    }
}

}  // namespace scan
