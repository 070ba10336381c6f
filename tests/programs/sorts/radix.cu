// Least significant digit radix sort, four bits a pass: count per block, scan the table of counts,
// scatter in order. Floats are sorted by the bits that order them.
#define RADIX_BITS 4
#define RADIX (1 << RADIX_BITS)
#define THREADS 64

__device__ __forceinline__ unsigned flip(unsigned f)
{
    unsigned mask = -int(f >> 31) | 0x80000000;
    return f ^ mask;
}

__device__ __forceinline__ unsigned unflip(unsigned f)
{
    unsigned mask = ((f >> 31) - 1) | 0x80000000;
    return f ^ mask;
}

__global__ void flip_floats(unsigned *x, int n, bool back)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = back ? unflip(x[i]) : flip(x[i]);
}

__global__ void count_digits(const unsigned *keys, unsigned *table, int n, int shift)
{
    __shared__ unsigned count[RADIX];
    if (threadIdx.x < RADIX) count[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) atomicAdd(&count[(keys[i] >> shift) & (RADIX - 1)], 1);
    __syncthreads();
    if (threadIdx.x < RADIX) table[threadIdx.x * gridDim.x + blockIdx.x] = count[threadIdx.x];
}

__global__ void scan_table(unsigned *table, int n)
{
    __shared__ unsigned sums[256];
    int per = (n + blockDim.x - 1) / blockDim.x, first = threadIdx.x * per, k;
    unsigned sum = 0;
    for (k = first; k < first + per && k < n; k++) sum += table[k];
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned running = 0;
        for (k = 0; k < blockDim.x; k++) {
            unsigned here = sums[k];
            sums[k] = running;
            running += here;
        }
    }
    __syncthreads();
    sum = sums[threadIdx.x];
    for (k = first; k < first + per && k < n; k++) {
        unsigned here = table[k];
        table[k] = sum;
        sum += here;
    }
}

__global__ void scatter(const unsigned *in, unsigned *out, const unsigned *table, int n, int shift)
{
    __shared__ unsigned char digit[THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x;
    unsigned key = i < n ? in[i] : 0xffffffffu;
    unsigned mine = (key >> shift) & (RADIX - 1);
    digit[threadIdx.x] = i < n ? mine : RADIX;
    __syncthreads();
    unsigned rank = 0;
    for (int k = 0; k < threadIdx.x; k++) rank += digit[k] == mine;
    if (i < n) out[table[mine * gridDim.x + blockIdx.x] + rank] = key;
}
