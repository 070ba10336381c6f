// Sums by shuffles: down a warp, then warp 0 over the warps' sums, then one atomic a block. In the
// spelling of Kepler's days, and with vector loads.
#include <cuda.h>

__inline__ __device__ float warpReduceSum(float val)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2) val += __shfl_down(val, offset);
    return val;
}

__inline__ __device__ float warpAllReduceSum(float val)
{
    for (int mask = warpSize / 2; mask > 0; mask /= 2) val += __shfl_xor(val, mask);
    return val;
}

__inline__ __device__ float blockReduceSum(float val)
{
    static __shared__ float shared[32];  // Shared mem for 32 partial sums
    int lane = threadIdx.x % warpSize;
    int wid = threadIdx.x / warpSize;

    val = warpReduceSum(val);
    if (lane == 0) shared[wid] = val;
    __syncthreads();
    val = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : 0;
    if (wid == 0) val = warpReduceSum(val);
    return val;
}

__global__ void deviceReduceKernel(float *in, float *out, int N)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += blockDim.x * gridDim.x)
        sum += in[i];
    sum = blockReduceSum(sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

__global__ void deviceReduceVector4(float *in, float *out, int N)
{
    float sum = 0;
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = idx; i < N / 4; i += blockDim.x * gridDim.x) {
        float4 val = reinterpret_cast<float4 *>(in)[i];
        sum += (val.x + val.y) + (val.z + val.w);
    }
    int i = idx + N / 4 * 4;
    if (i < N) sum += in[i];
    sum = warpAllReduceSum(sum);
    if ((threadIdx.x & (warpSize - 1)) == 0) atomicAdd(out, sum);
}
