// Filtering with an atomic counter that the lanes of a warp share: the group of those that came here
// elects one to add for all.
#include <cooperative_groups.h>
using namespace cooperative_groups;

__device__ int atomicAggInc(int *ctr)
{
    auto g = coalesced_threads();
    int warp_res;
    if (g.thread_rank() == 0) warp_res = atomicAdd(ctr, g.size());
    return g.shfl(warp_res, 0) + g.thread_rank();
}

__global__ void filter_k(int *dst, int *nres, const int *src, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    if (src[i] > 0) dst[atomicAggInc(nres)] = src[i];
}

// The same as it was written before there were groups.
__device__ int atomicAggIncByMask(int *ctr)
{
    unsigned int active = __activemask();
    int lane = threadIdx.x & 31;
    int leader = __ffs(active) - 1;
    int res;
    if (lane == leader) res = atomicAdd(ctr, __popc(active));
    res = __shfl_sync(active, res, leader);
    return res + __popc(active & ((1u << lane) - 1));
}

__global__ void filter_by_mask(int *dst, int *nres, const int *src, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    if (src[i] > 0) dst[atomicAggIncByMask(nres)] = src[i];
}

// And through a counter in shared memory.
__global__ void filter_shared_k(int *dst, int *nres, const int *src, int n)
{
    __shared__ int l_n;
    int i = blockIdx.x * (3 * blockDim.x) + threadIdx.x;
    for (int iter = 0; iter < 3; iter++) {
        if (threadIdx.x == 0) l_n = 0;
        __syncthreads();
        int d, pos;
        if (i < n) {
            d = src[i];
            if (d > 0) pos = atomicAdd(&l_n, 1);
        }
        __syncthreads();
        if (threadIdx.x == 0) l_n = atomicAdd(nres, l_n);
        __syncthreads();
        if (i < n && d > 0) {
            pos += l_n;
            dst[pos] = d;
        }
        __syncthreads();
        i += blockDim.x;
    }
}
