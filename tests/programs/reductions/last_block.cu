// One launch: every block writes its sum, and the block that finishes last, known by a counter,
// adds them up and resets the counter for the next launch.
__device__ unsigned int retirementCount = 0;

template <unsigned int kThreads>
__device__ double sum_block(double value)
{
    __shared__ double s[kThreads];
    s[threadIdx.x] = value;
    __syncthreads();
#pragma unroll
    for (unsigned int d = kThreads / 2; d; d >>= 1) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    double total = s[0];
    __syncthreads();
    return total;
}

template <unsigned int kThreads>
__global__ void norm2(const float *x, int n, volatile double *partial, double *result)
{
    __shared__ bool amLast;
    double sum = 0;
    for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads)
        sum += double(x[i]) * x[i];
    sum = sum_block<kThreads>(sum);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        unsigned int ticket = atomicInc(&retirementCount, gridDim.x);
        amLast = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (!amLast) return;
    sum = 0;
    for (int b = threadIdx.x; b < gridDim.x; b += kThreads) sum += partial[b];
    sum = sum_block<kThreads>(sum);
    if (threadIdx.x == 0) {
        *result = sqrt(sum);
        retirementCount = 0;
    }
}
