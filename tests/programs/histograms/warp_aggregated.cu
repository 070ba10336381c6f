// A histogram of floats into equal bins, with one atomic for all lanes of a warp that hit the same
// bin: found by a match in one kernel, by a loop over leaders in the other.
__device__ __forceinline__ int bin_of(float x, float low, float scale, int bins)
{
    int b = __float2int_rd((x - low) * scale);
    return b < 0 ? 0 : b >= bins ? bins - 1 : b;
}

__global__ void by_match(const float *x, int n, float low, float scale, int bins, int *count)
{
    extern __shared__ int local[];
    for (int b = threadIdx.x; b < bins; b += blockDim.x) local[b] = 0;
    __syncthreads();
    int stride = gridDim.x * blockDim.x;
    int rounds = (n + stride - 1) / stride;
    for (int r = 0, i = blockIdx.x * blockDim.x + threadIdx.x; r < rounds; r++, i += stride) {
        unsigned active = __ballot_sync(0xffffffff, i < n);
        if (i < n) {
            int b = bin_of(x[i], low, scale, bins);
            unsigned peers = __match_any_sync(active, b);
            int leader = __ffs(peers) - 1;
            if ((threadIdx.x & 31) == leader) atomicAdd(&local[b], __popc(peers));
        }
    }
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += blockDim.x)
        if (local[b]) atomicAdd(&count[b], local[b]);
}

__global__ void by_leaders(const float *x, int n, float low, float scale, int bins, int *count)
{
    int lane = threadIdx.x & 31;
    int last = (n + 31) & ~31;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < last; i += gridDim.x * blockDim.x) {
        int b = i < n ? bin_of(x[i], low, scale, bins) : -1;
        unsigned todo = __ballot_sync(0xffffffffu, b >= 0);
        while (todo) {
            int leader = __ffs(todo) - 1;
            int common = __shfl_sync(0xffffffffu, b, leader);
            unsigned same = __ballot_sync(0xffffffffu, b == common);
            if (lane == leader) atomicAdd(count + common, __popc(same));
            todo &= ~same;
        }
    }
}
