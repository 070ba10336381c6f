// The place of the smallest value, the first one if it occurs twice: pairs through shared memory,
// and a 64-bit atomic minimum over value and index packed together.
#include <float.h>

struct ValueIndex {
    float value;
    int index;
};

__device__ __forceinline__ ValueIndex smaller(ValueIndex a, ValueIndex b)
{
    return (b.value < a.value || (b.value == a.value && b.index < a.index)) ? b : a;
}

__global__ void argmin_rows(const float *x, int width, ValueIndex *out)
{
    __shared__ ValueIndex best[128];
    ValueIndex mine = {FLT_MAX, 0x7fffffff};
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        ValueIndex other = {x[blockIdx.x * width + i], i};
        mine = smaller(mine, other);
    }
    best[threadIdx.x] = mine;
    for (int d = blockDim.x >> 1; d; d >>= 1) {
        __syncthreads();
        if (threadIdx.x < d) best[threadIdx.x] = smaller(best[threadIdx.x], best[threadIdx.x + d]);
    }
    if (threadIdx.x == 0) out[blockIdx.x] = best[0];
}

__device__ unsigned ordered(float f)
{
    unsigned u = __float_as_uint(f);
    return (u & 0x80000000u) ? ~u : u | 0x80000000u;
}

__global__ void argmin_packed(const float *x, int n, unsigned long long *best)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicMin(best, ((unsigned long long)ordered(x[i]) << 32) | (unsigned)i);
}
