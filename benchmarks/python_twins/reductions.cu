// Reductions as written by hand: the counterparts of reductions.py.

#define BLOCK 256
#define BINS 64

extern "C" __global__ void block_sums(const double* x, double* out, int n)
{
    __shared__ double part[BLOCK];
    int t = threadIdx.x;
    int i = blockIdx.x * BLOCK + t;
    part[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int step = BLOCK / 2; step > 0; step /= 2) {
        if (t < step) part[t] += part[t + step];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void dot_product(const float* x, const float* y, float* out, int n)
{
    __shared__ float part[BLOCK];
    int t = threadIdx.x;
    float total = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        total += x[i] * y[i];
    part[t] = total;
    __syncthreads();
    if (t == 0) {
        total = 0;
        for (int j = 0; j < BLOCK; j++) total += part[j];
        atomicAdd(out, total);
    }
}

extern "C" __global__ void warp_sums(const int* x, int* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = x[i];
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xFFFFFFFF, value, offset);
    if (threadIdx.x % 32 == 0) out[i / 32] = value;
}

extern "C" __global__ void histogram(const double* x, double low, double high, int* counts, int n)
{
    __shared__ int bins[BINS];
    int t = threadIdx.x;
    if (t < BINS) bins[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
        int at = (int)floor((x[i] - low) / (high - low) * BINS);
        if (at >= 0 && at < BINS) atomicAdd(&bins[at], 1);
    }
    __syncthreads();
    if (t < BINS) atomicAdd(&counts[t], bins[t]);
}

extern "C" __global__ void moments(const double* x, double* mean, double* variance, int rows,
                                   int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        double average = 0, squares = 0;
        for (int k = 0; k < columns; k++) {
            double value = x[row * columns + k];
            double delta = value - average;
            average += delta / (k + 1);
            squares += delta * (value - average);
        }
        mean[row] = average;
        variance[row] = squares / columns;
    }
}

extern "C" __global__ void column_sums(const int* x, long long* out, int rows, int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column < columns) {
        long long total = 0;
        for (int row = 0; row < rows; row++) total += x[row * columns + column];
        out[column] = total;
    }
}

extern "C" __global__ void kahan(const float* x, float* out, int rows, int columns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) {
        float total = 0, lost = 0;
        for (int k = 0; k < columns; k++) {
            float y = x[i * columns + k] - lost;
            float t = total + y;
            lost = (t - total) - y;
            total = t;
        }
        out[i] = total;
    }
}
