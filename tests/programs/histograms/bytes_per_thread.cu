// Sixty-four bins, each thread with byte counters of its own in shared memory: no atomics at all. A
// thread sees at most 255 values, so that a byte cannot overflow.
typedef unsigned int uint;
typedef unsigned char uchar;
#define HISTOGRAM64_BIN_COUNT 64
#define THREADBLOCK_SIZE 64
#define SHUFFLE(t) (((t) & ~0x3F) | (((t) & 0xF) << 2) | (((t) & 0x30) >> 4))

inline __device__ void addByte(uchar *s_ThreadBase, uint data)
{
    s_ThreadBase[data * THREADBLOCK_SIZE]++;
}

inline __device__ void addWord(uchar *s_ThreadBase, uint data)
{
    // Only the higher 6 bits of each byte matter for the 64 bin histogram.
    addByte(s_ThreadBase, (data >> 2) & 0x3FU);
    addByte(s_ThreadBase, (data >> 10) & 0x3FU);
    addByte(s_ThreadBase, (data >> 18) & 0x3FU);
    addByte(s_ThreadBase, (data >> 26) & 0x3FU);
}

__global__ void histogram64(uint *d_Partial, uint *d_Data, uint dataCount)
{
    __shared__ uchar s_Hist[THREADBLOCK_SIZE * HISTOGRAM64_BIN_COUNT];
    uchar *s_ThreadBase = s_Hist + SHUFFLE(threadIdx.x);

#pragma unroll
    for (uint i = 0; i < HISTOGRAM64_BIN_COUNT / 4; i++)
        ((uint *)s_Hist)[threadIdx.x + i * THREADBLOCK_SIZE] = 0;
    __syncthreads();
    for (uint pos = blockIdx.x * blockDim.x + threadIdx.x; pos < dataCount;
         pos += blockDim.x * gridDim.x)
        addWord(s_ThreadBase, d_Data[pos]);
    __syncthreads();

    uchar *s_HistBase = s_Hist + threadIdx.x * THREADBLOCK_SIZE;
    uint sum = 0, pos = 4 * (threadIdx.x & 15);
#pragma unroll
    for (uint i = 0; i < THREADBLOCK_SIZE / 4; i++) {
        sum += s_HistBase[pos + 0] + s_HistBase[pos + 1] + s_HistBase[pos + 2] + s_HistBase[pos + 3];
        pos = (pos + 4) & (THREADBLOCK_SIZE - 1);
    }
    d_Partial[blockIdx.x * HISTOGRAM64_BIN_COUNT + threadIdx.x] = sum;
}
