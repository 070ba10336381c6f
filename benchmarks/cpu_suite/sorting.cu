// Sorts, prefix sums and reductions of structs within blocks, in shared memory.

// 1024 keys a block, two a thread.
__global__ void bitonic(const unsigned *in, unsigned *out)
{
    __shared__ unsigned key[1024];
    in += blockIdx.x * 1024 + threadIdx.x;
    out += blockIdx.x * 1024 + threadIdx.x;
    key[threadIdx.x] = in[0];
    key[threadIdx.x + 512] = in[512];
    for (unsigned size = 2; size <= 1024; size <<= 1) {
        unsigned up = (threadIdx.x & (size / 2)) == 0;
        for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            unsigned p = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            unsigned a = key[p], b = key[p + stride];
            if ((a > b) == up) {
                key[p] = b;
                key[p + stride] = a;
            }
        }
    }
    __syncthreads();
    out[0] = key[threadIdx.x];
    out[512] = key[threadIdx.x + 512];
}

// Blelloch's exclusive scan of 512 values a block: up the tree, then down.
__global__ void tree_scan(const int *in, int *out)
{
    __shared__ int s[512];
    int t = threadIdx.x, offset = 1;
    s[2 * t] = in[blockIdx.x * 512 + 2 * t];
    s[2 * t + 1] = in[blockIdx.x * 512 + 2 * t + 1];
    for (int d = 256; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            s[b] += s[a];
        }
        offset *= 2;
    }
    if (t == 0)
        s[511] = 0;
    for (int d = 1; d < 512; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            int before = s[a];
            s[a] = s[b];
            s[b] += before;
        }
    }
    __syncthreads();
    out[blockIdx.x * 512 + 2 * t] = s[2 * t];
    out[blockIdx.x * 512 + 2 * t + 1] = s[2 * t + 1];
}

struct Least {
    float value;
    int place;
};

__device__ Least lesser(Least a, Least b)
{
    return b.value < a.value || (b.value == a.value && b.place < a.place) ? b : a;
}

__global__ void least_of_blocks(const float *x, Least *out, size_t n)
{
    __shared__ Least s[256];
    Least own = {3e38f, 0x7fffffff};
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)blockDim.x * gridDim.x) {
        Least other = {x[i], (int)i};
        own = lesser(own, other);
    }
    s[threadIdx.x] = own;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half)
            s[threadIdx.x] = lesser(s[threadIdx.x], s[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}

// 256 bins of packed bytes, four a word.
__global__ void histogram_of_words(const unsigned *data, unsigned *bins, unsigned words)
{
    __shared__ unsigned s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < words;
         i += blockDim.x * gridDim.x) {
        unsigned d = data[i];
        atomicAdd(&s[d & 0xff], 1u);
        atomicAdd(&s[d >> 8 & 0xff], 1u);
        atomicAdd(&s[d >> 16 & 0xff], 1u);
        atomicAdd(&s[d >> 24], 1u);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}
