// Stream compaction in three kernels: flags, a scan of one block over all of them, a scatter. The
// predicate is a class.
struct Multiple {
    int of;
    __host__ __device__ bool operator()(int x) const { return x % of == 0; }
};

struct Between {
    int low, high;
    __host__ __device__ bool operator()(int x) const { return low <= x && x <= high; }
};

template <class Predicate>
__global__ void mark(const int *in, int *flags, int n, Predicate predicate)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) flags[i] = predicate(in[i]) ? 1 : 0;
}

// Each thread sums a range, the sums are scanned, each thread writes its own range.
__global__ void exclusive_scan(const int *flags, int *places, int n)
{
    extern __shared__ int sums[];
    const int per = (n + blockDim.x - 1) / blockDim.x;
    const int begin = min(n, int(threadIdx.x) * per), end = min(n, begin + per);
    int sum = 0;
    for (int i = begin; i < end; ++i) sum += flags[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d <<= 1) {
        int left = threadIdx.x >= d ? sums[threadIdx.x - d] : 0;
        __syncthreads();
        sums[threadIdx.x] += left;
        __syncthreads();
    }
    int running = sums[threadIdx.x] - sum;
    for (int i = begin; i < end; ++i) {
        places[i] = running;
        running += flags[i];
    }
    if (threadIdx.x == blockDim.x - 1) places[n] = running;
}

__global__ void scatter(const int *in, const int *flags, const int *places, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && flags[i]) out[places[i]] = in[i];
}
