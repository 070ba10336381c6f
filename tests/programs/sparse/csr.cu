// Sparse matrix times vector in compressed rows: a thread a row, a warp a row (shuffles and, as it
// once was, volatile shared memory), and a part of a warp a row by template.
#include <cuda_runtime.h>
#define WARP 32

__global__ void spmv_csr_scalar(int num_rows, const int *ptr, const int *indices, const float *data,
                                const float *x, float *y)
{
    int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row < num_rows) {
        float dot = 0;
        int row_start = ptr[row];
        int row_end = ptr[row + 1];
        for (int jj = row_start; jj < row_end; jj++) dot += data[jj] * x[indices[jj]];
        y[row] += dot;
    }
}

__global__ void spmv_csr_vector(int num_rows, const int *ptr, const int *indices, const float *data,
                                const float *x, float *y)
{
    __shared__ volatile float vals[128];
    int thread_id = blockDim.x * blockIdx.x + threadIdx.x;
    int row = thread_id / WARP;
    int lane = thread_id & (WARP - 1);
    if (row < num_rows) {
        vals[threadIdx.x] = 0;
        for (int jj = ptr[row] + lane; jj < ptr[row + 1]; jj += WARP)
            vals[threadIdx.x] += data[jj] * x[indices[jj]];
        // parallel reduction in shared memory
        if (lane < 16) vals[threadIdx.x] += vals[threadIdx.x + 16];
        if (lane < 8) vals[threadIdx.x] += vals[threadIdx.x + 8];
        if (lane < 4) vals[threadIdx.x] += vals[threadIdx.x + 4];
        if (lane < 2) vals[threadIdx.x] += vals[threadIdx.x + 2];
        if (lane < 1) vals[threadIdx.x] += vals[threadIdx.x + 1];
        if (lane == 0) y[row] += vals[threadIdx.x];
    }
}

template <unsigned int THREADS_PER_VECTOR>
__global__ void spmv_csr_part(int num_rows, const int *__restrict__ ptr, const int *__restrict__ indices,
                              const float *__restrict__ data, const float *__restrict__ x,
                              float *__restrict__ y)
{
    const int lane = threadIdx.x & (THREADS_PER_VECTOR - 1);
    const int vector = (blockIdx.x * blockDim.x + threadIdx.x) / THREADS_PER_VECTOR;
    const int vectors = gridDim.x * blockDim.x / THREADS_PER_VECTOR;
    const int rounds = (num_rows + vectors - 1) / vectors;
    for (int round = 0, row = vector; round < rounds; ++round, row += vectors) {
        float sum = 0.0f;
        if (row < num_rows)
            for (int jj = ptr[row] + lane; jj < ptr[row + 1]; jj += THREADS_PER_VECTOR)
                sum += data[jj] * __ldg(x + indices[jj]);
#pragma unroll
        for (int i = THREADS_PER_VECTOR >> 1; i > 0; i >>= 1)
            sum += __shfl_down_sync(0xffffffffU, sum, i, THREADS_PER_VECTOR);
        if (lane == 0 && row < num_rows) y[row] += sum;
    }
}
