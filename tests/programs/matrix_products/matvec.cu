// Matrix times vector, plain and transposed, with the vector staged through shared memory.
template <unsigned int THREADS>
__global__ void gemv(const float *A, const float *x, float *y, unsigned int rows, unsigned int cols)
{
    __shared__ float xs[THREADS];
    const unsigned int row = blockIdx.x * THREADS + threadIdx.x;
    float y_val = 0.0f;
    #pragma unroll
    for (unsigned int m = 0; m < (cols + THREADS - 1) / THREADS; ++m) {
        if (m * THREADS + threadIdx.x < cols) xs[threadIdx.x] = x[m * THREADS + threadIdx.x];
        else xs[threadIdx.x] = 0.f;
        __syncthreads();
        #pragma unroll
        for (unsigned int e = 0; e < THREADS; ++e)
            if (row < rows && e + THREADS * m < cols) y_val += A[row * cols + e + THREADS * m] * xs[e];
        __syncthreads();
    }
    if (row < rows) y[row] = y_val;
}

__global__ void gemv_transposed(const float *A, const float *x, float *y, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int first = blockIdx.y * 16, last = min(first + 16, rows);
    if (col >= cols) return;
    float sum = 0;
    for (int row = first; row < last; row++) sum = fmaf(A[row * cols + col], x[row], sum);
    atomicAdd(y + col, sum);
}
