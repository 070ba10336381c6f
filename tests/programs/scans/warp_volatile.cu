// Scans from the days when the lanes of a warp went in step: no barrier inside a warp, a volatile
// pointer, and half a warp of zeros in front in place of a condition.
#define WARP_SIZE 32
#define LOG2_WARP_SIZE 5U

inline __device__ unsigned int warpScanInclusive(unsigned int idata, volatile unsigned int *s_Data,
                                                 unsigned int size)
{
    unsigned int pos = 2 * threadIdx.x - (threadIdx.x & (size - 1));
    s_Data[pos] = 0;
    pos += size;
    s_Data[pos] = idata;

    if (size >= 2) s_Data[pos] += s_Data[pos - 1];
    if (size >= 4) s_Data[pos] += s_Data[pos - 2];
    if (size >= 8) s_Data[pos] += s_Data[pos - 4];
    if (size >= 16) s_Data[pos] += s_Data[pos - 8];
    if (size >= 32) s_Data[pos] += s_Data[pos - 16];
    return s_Data[pos];
}

__global__ void scanWarps(unsigned int *d_Dst, unsigned int *d_Src)
{
    __shared__ unsigned int s_Data[2 * 128];
    unsigned int pos = blockIdx.x * blockDim.x + threadIdx.x;
    d_Dst[pos] = warpScanInclusive(d_Src[pos], s_Data, WARP_SIZE);
}

__global__ void scanBlocks(unsigned int *d_Dst, unsigned int *d_Src)
{
    __shared__ unsigned int s_Data[2 * 128];
    unsigned int pos = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int idata = d_Src[pos];
    unsigned int warpResult = warpScanInclusive(idata, s_Data, WARP_SIZE);

    __syncthreads();
    if ((threadIdx.x & (WARP_SIZE - 1)) == (WARP_SIZE - 1))
        s_Data[threadIdx.x >> LOG2_WARP_SIZE] = warpResult;
    __syncthreads();
    if (threadIdx.x < (128 / WARP_SIZE)) {
        unsigned int val = s_Data[threadIdx.x];
        s_Data[threadIdx.x] = warpScanInclusive(val, s_Data, 128 / WARP_SIZE) - val;
    }
    __syncthreads();
    d_Dst[pos] = warpResult + s_Data[threadIdx.x >> LOG2_WARP_SIZE];
}
