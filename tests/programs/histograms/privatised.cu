// Histograms: by global atomics, by a shared copy for each block, and by a copy for each warp laid
// out side by side and added up.
#define BINS 256

__global__ void histogram_global(const unsigned char *data, unsigned *bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(bins + data[i], 1);
}

__global__ void histo_kernel(unsigned char *buffer, long size, unsigned int *histo)
{
    // clear out the accumulation buffer called temp, since we are launched with 256 threads
    __shared__ unsigned int temp[256];
    temp[threadIdx.x] = 0;
    __syncthreads();

    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int offset = blockDim.x * gridDim.x;
    while (i < size) {
        atomicAdd(&temp[buffer[i]], 1);
        i += offset;
    }
    __syncthreads();
    atomicAdd(&(histo[threadIdx.x]), temp[threadIdx.x]);
}

template <int WARPS>
__global__ void histogram_per_warp(const uchar4 *data, unsigned *bins, int n4)
{
    __shared__ unsigned s_hist[WARPS * BINS];
    unsigned *mine = s_hist + (threadIdx.x >> 5) * BINS;
    for (int k = threadIdx.x; k < WARPS * BINS; k += WARPS * 32) s_hist[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        uchar4 v = data[i];
        atomicAdd(mine + v.x, 1U);
        atomicAdd(mine + v.y, 1U);
        atomicAdd(mine + v.z, 1U);
        atomicAdd(mine + v.w, 1U);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += WARPS * 32) {
        unsigned sum = 0;
        for (int w = 0; w < WARPS; w++) sum += s_hist[bin + w * BINS];
        atomicAdd(bins + bin, sum);
    }
}
