// Cholesky of one matrix in the dynamic shared memory of one block, packed by rows of the lower
// triangle, followed by the two triangular solves of a right-hand side.

__host__ __device__ constexpr int packed(int i, int j) { return i * (i + 1) / 2 + j; }

extern "C" __global__ void cholesky_solve(const double *A, const double *b, double *L, double *x,
                                          int n, int *info)
{
    extern __shared__ double shared[];
    double *l = shared;
    double *y = shared + packed(n, 0);
    __shared__ int failed;

    if (threadIdx.x == 0) failed = 0;
    for (int i = threadIdx.y; i < n; i += blockDim.y)
        for (int j = threadIdx.x; j <= i; j += blockDim.x) l[packed(i, j)] = A[i * n + j];
    const int tid = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    for (int i = tid; i < n; i += threads) y[i] = b[i];
    __syncthreads();

    for (int k = 0; k < n; ++k) {
        if (tid == 0) {
            double d = l[packed(k, k)];
            if (d <= 0) failed = k + 1;
            else l[packed(k, k)] = sqrt(d);
        }
        __syncthreads();
        if (failed) {
            if (tid == 0) *info = failed;
            return;
        }
        double r = rsqrt(l[packed(k, k)] * l[packed(k, k)]);
        for (int i = k + 1 + tid; i < n; i += threads) l[packed(i, k)] *= r;
        __syncthreads();
        for (int i = k + 1 + threadIdx.y; i < n; i += blockDim.y)
            for (int j = k + 1 + threadIdx.x; j <= i; j += blockDim.x)
                l[packed(i, j)] = fma(-l[packed(i, k)], l[packed(j, k)], l[packed(i, j)]);
        __syncthreads();
    }
    for (int k = 0; k < n; ++k) {
        if (tid == 0) y[k] /= l[packed(k, k)];
        __syncthreads();
        for (int i = k + 1 + tid; i < n; i += threads) y[i] -= l[packed(i, k)] * y[k];
        __syncthreads();
    }
    for (int k = n - 1; k >= 0; --k) {
        if (tid == 0) y[k] /= l[packed(k, k)];
        __syncthreads();
        for (int i = tid; i < k; i += threads) y[i] -= l[packed(k, i)] * y[k];
        __syncthreads();
    }
    for (int i = tid; i < n; i += threads) {
        x[i] = y[i];
        for (int j = 0; j < n; ++j) L[i * n + j] = j <= i ? l[packed(i, j)] : 0.0;
    }
    if (tid == 0) *info = 0;
}
