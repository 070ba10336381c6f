// Compaction in order within each block by ballots and popcounts, blocks in any order by one atomic.
#define WARPS (blockDim.x / 32)

__device__ unsigned lanemask_lt()
{
    unsigned mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}

__global__ void compact(const float *in, float *out, int *count, int n, float threshold)
{
    __shared__ int warp_offset[32];
    __shared__ int block_offset;
    const int i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / 32;
    const float value = i < n ? in[i] : 0.0f;
    const bool keep = i < n && value > threshold;
    const unsigned votes = __ballot_sync(0xffffffff, keep);
    if (threadIdx.x % 32 == 0) warp_offset[warp] = __popc(votes);
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int w = 0; w < WARPS; ++w) {
            int here = warp_offset[w];
            warp_offset[w] = sum;
            sum += here;
        }
        block_offset = atomicAdd(count, sum);
    }
    __syncthreads();
    if (keep) out[block_offset + warp_offset[warp] + __popc(votes & lanemask_lt())] = value;
}
