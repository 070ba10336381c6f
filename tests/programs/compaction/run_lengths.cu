// Run-length encoding and its inverse: heads of runs, a scan in one block, scattered ends; decoding
// by bisection over the ends.
__global__ void encode(const unsigned char *in, int n, unsigned char *symbols, int *ends, int *runs)
{
    __shared__ int scan[128];
    __shared__ int done;
    if (threadIdx.x == 0) done = 0;
    for (int first = 0; first < n; first += 128) {
        int i = first + threadIdx.x;
        // The last element of a run closes it.
        int is_end = i < n && (i == n - 1 || in[i] != in[i + 1]);
        scan[threadIdx.x] = is_end;
        __syncthreads();
        for (int d = 1; d < 128; d <<= 1) {
            int v = threadIdx.x >= d ? scan[threadIdx.x - d] : 0;
            __syncthreads();
            scan[threadIdx.x] += v;
            __syncthreads();
        }
        if (is_end) {
            int run = done + scan[threadIdx.x] - 1;
            symbols[run] = in[i];
            ends[run] = i + 1;
        }
        __syncthreads();
        if (threadIdx.x == 0) done += scan[127];
        __syncthreads();
    }
    if (threadIdx.x == 0) *runs = done;
}

__global__ void decode(const unsigned char *symbols, const int *ends, int runs, unsigned char *out)
{
    int n = ends[runs - 1];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int lo = 0, hi = runs - 1;
        while (lo < hi) {
            int mid = (lo + hi) / 2;
            if (ends[mid] <= i)
                lo = mid + 1;
            else
                hi = mid;
        }
        out[i] = symbols[lo];
    }
}
