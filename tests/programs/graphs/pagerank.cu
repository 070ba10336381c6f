// PageRank by pulling, one warp a node: lanes sum a node's incoming ranks and fold them by shuffles;
// the rank of nodes without outgoing links is spread over all of them.
#include <cuda_runtime.h>

template <typename T>
__device__ __forceinline__ T warpReduceSum(T val)
{
#pragma unroll
    for (int offset = warpSize / 2; offset > 0; offset >>= 1)
        val += __shfl_down_sync(0xffffffff, val, offset);
    return val;
}

template <typename T>
__global__ void danglingMass(const T *rank, const int *outDegree, T *mass, int n)
{
    T sum = T(0);
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x)
        if (outDegree[v] == 0) sum += rank[v];
    sum = warpReduceSum(sum);
    if ((threadIdx.x & (warpSize - 1)) == 0) atomicAdd(mass, sum);
}

template <typename T>
__global__ void pullRanks(const int *inOffsets, const int *inSources, const int *outDegree,
                          const T *rank, T *newRank, const T *mass, T damping, int n)
{
    const int lane = threadIdx.x % warpSize;
    const int v = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    if (v >= n) return;

    T sum = 0;
    for (int e = inOffsets[v] + lane; e < inOffsets[v + 1]; e += warpSize) {
        const int u = inSources[e];
        sum += rank[u] / outDegree[u];
    }
    sum = warpReduceSum(sum);
    if (lane == 0) newRank[v] = (1 - damping) / n + damping * (sum + *mass / n);
}
