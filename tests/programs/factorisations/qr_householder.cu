// QR by Householder reflections, a matrix a block; the reflectors stay below the diagonal as LAPACK
// keeps them (v[0] is 1 and is not stored, its factor goes to tau).
#include <math.h>

template <class Real, int Threads>
__device__ Real block_sum(Real value)
{
    __shared__ Real warps[Threads / 32];
    for (int d = 16; d > 0; d /= 2) value += __shfl_xor_sync(~0u, value, d);
    __syncthreads();
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    Real sum = 0;
    for (int w = 0; w < Threads / 32; ++w) sum += warps[w];
    return sum;
}

template <class Real, int Threads>
__global__ void geqrf(Real *A, Real *tau, int rows, int cols)
{
    A += (long long)blockIdx.x * rows * cols;
    tau += blockIdx.x * cols;
    for (int k = 0; k < cols; ++k) {
        Real part = 0;
        for (int i = k + 1 + threadIdx.x; i < rows; i += Threads)
            part += A[i * cols + k] * A[i * cols + k];
        const Real below = block_sum<Real, Threads>(part);
        const Real alpha = A[k * cols + k];
        const Real beta = -copysign(sqrt(alpha * alpha + below), alpha);
        const Real t = (beta - alpha) / beta;
        const Real scale = Real(1) / (alpha - beta);
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < rows; i += Threads) A[i * cols + k] *= scale;
        if (threadIdx.x == 0) {
            tau[k] = t;
            A[k * cols + k] = beta;
        }
        __syncthreads();
        for (int j = k + 1; j < cols; ++j) {
            Real dot = threadIdx.x == 0 ? A[k * cols + j] : Real(0);
            for (int i = k + 1 + threadIdx.x; i < rows; i += Threads)
                dot += A[i * cols + k] * A[i * cols + j];
            dot = t * block_sum<Real, Threads>(dot);
            if (threadIdx.x == 0) A[k * cols + j] -= dot;
            for (int i = k + 1 + threadIdx.x; i < rows; i += Threads)
                A[i * cols + j] -= dot * A[i * cols + k];
        }
        __syncthreads();
    }
}
