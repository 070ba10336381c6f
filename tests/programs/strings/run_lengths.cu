// Run-length coding: runs are found by comparing neighbours, their places by a scan of head flags in
// shared memory (one block), and the decoder bisects the run ends for every output.
#define N_MAX 2048

__device__ int inclusive_scan(int *s, int n)
{
    for (int d = 1; d < n; d <<= 1) {
        int add[8], c = 0;
        for (int i = threadIdx.x; i < n; i += blockDim.x) add[c++] = i >= d ? s[i - d] : 0;
        __syncthreads();
        c = 0;
        for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] += add[c++];
        __syncthreads();
    }
    return s[n - 1];
}

template <typename Symbol>
__global__ void rle_encode(const Symbol *in, int n, Symbol *symbols, int *starts, int *runs)
{
    __shared__ int place[N_MAX];
    for (int i = threadIdx.x; i < n; i += blockDim.x) place[i] = i == 0 || in[i] != in[i - 1];
    __syncthreads();
    const int total = inclusive_scan(place, n);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (i == 0 || place[i] != place[i - 1]) {
            symbols[place[i] - 1] = in[i];
            starts[place[i] - 1] = i;
        }
    if (threadIdx.x == 0) {
        starts[total] = n;
        *runs = total;
    }
}

template <typename Symbol>
__global__ void rle_decode(const Symbol *symbols, const int *starts, int runs, Symbol *out)
{
    const int n = starts[runs];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int lo = 0, hi = runs;
        while (hi - lo > 1) {
            const int mid = lo + (hi - lo) / 2;
            if (starts[mid] <= i) lo = mid;
            else hi = mid;
        }
        out[i] = symbols[lo];
    }
}
