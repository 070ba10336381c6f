// The work-efficient scan: sums up a tree, then down again, with indices spread over the banks; the
// sums of the blocks are scanned by the same kernel and added.
#define LOG_NUM_BANKS 5
#define CONFLICT_FREE_OFFSET(index) ((index) >> LOG_NUM_BANKS)

__global__ void prescan(int *g_odata, const int *g_idata, int *g_blockSums, int n)
{
    extern __shared__ int s_data[];
    const int m = 2 * blockDim.x;
    int thid = threadIdx.x, offset = 1, d;
    int ai = thid, bi = thid + m / 2;
    int base = blockIdx.x * m;
    int slotA = ai + CONFLICT_FREE_OFFSET(ai), slotB = bi + CONFLICT_FREE_OFFSET(bi);

    s_data[slotA] = base + ai < n ? g_idata[base + ai] : 0;
    s_data[slotB] = base + bi < n ? g_idata[base + bi] : 0;

    for (d = m >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (thid < d) {
            int i = offset * (2 * thid + 1) - 1;
            int j = offset * (2 * thid + 2) - 1;
            i += CONFLICT_FREE_OFFSET(i);
            j += CONFLICT_FREE_OFFSET(j);
            s_data[j] += s_data[i];
        }
        offset *= 2;
    }
    if (thid == 0) {
        int last = m - 1 + CONFLICT_FREE_OFFSET(m - 1);
        if (g_blockSums) g_blockSums[blockIdx.x] = s_data[last];
        s_data[last] = 0;
    }
    for (d = 1; d < m; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int i = offset * (2 * thid + 1) - 1;
            int j = offset * (2 * thid + 2) - 1;
            i += CONFLICT_FREE_OFFSET(i);
            j += CONFLICT_FREE_OFFSET(j);
            int t = s_data[i];
            s_data[i] = s_data[j];
            s_data[j] += t;
        }
    }
    __syncthreads();
    if (base + ai < n) g_odata[base + ai] = s_data[slotA];
    if (base + bi < n) g_odata[base + bi] = s_data[slotB];
}

__global__ void uniformAdd(int *g_data, const int *uniforms, int n)
{
    __shared__ int uni;
    if (threadIdx.x == 0) uni = uniforms[blockIdx.x];
    unsigned int address = __mul24(blockIdx.x, (blockDim.x << 1)) + threadIdx.x;
    __syncthreads();
    if (address < n) g_data[address] += uni;
    if (address + blockDim.x < n) g_data[address + blockDim.x] += uni;
}
