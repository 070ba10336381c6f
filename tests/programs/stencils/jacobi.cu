// Jacobi sweeps for Poisson's equation on a rectangle, and the largest change of a sweep, kept as the
// bits of a non-negative float so that an integer maximum orders it.
#include <cuda_runtime.h>

#define IDX(i, j) ((i) * nx + (j))

__global__ void jacobi_step(const float *u, float *unew, const float *f, float h2, int nx, int ny)
{
    int j = blockDim.x * blockIdx.x + threadIdx.x;
    int i = blockDim.y * blockIdx.y + threadIdx.y;
    if (i >= ny || j >= nx) return;
    if (i == 0 || j == 0 || i == ny - 1 || j == nx - 1)
        unew[IDX(i, j)] = u[IDX(i, j)];
    else
        unew[IDX(i, j)] = 0.25f * (u[IDX(i - 1, j)] + u[IDX(i + 1, j)] + u[IDX(i, j - 1)] +
                                   u[IDX(i, j + 1)] - h2 * f[IDX(i, j)]);
}

__global__ void largest_change(const float *a, const float *b, int n, int *result)
{
    __shared__ int best;
    int k;
    float d = 0.f;
    if (threadIdx.x == 0) best = 0;
    __syncthreads();
    for (k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x)
        d = fmaxf(d, fabsf(a[k] - b[k]));
    atomicMax(&best, __float_as_int(d));
    __syncthreads();
    if (threadIdx.x == 0) atomicMax(result, best);
}
