// C = A B by one thread an element, and through square tiles in shared memory with ragged edges.
#include <stdio.h>

typedef struct {
    int width;
    int height;
    int stride;
    float *elements;
} Matrix;

#define BLOCK_SIZE 16

__device__ float GetElement(const Matrix A, int row, int col)
{
    return row < A.height && col < A.width ? A.elements[row * A.stride + col] : 0.0f;
}

__global__ void MatMulNaive(const float *A, const float *B, float *C, int M, int N, int K)
{
    float Cvalue = 0;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || col >= N) return;
    for (int e = 0; e < K; ++e) Cvalue += A[row * K + e] * B[e * N + col];
    C[row * N + col] = Cvalue;
}

__global__ void MatMulKernel(float *a, float *b, float *c, int M, int N, int K)
{
    Matrix A = {K, M, K, a}, B = {N, K, N, b};
    int blockRow = blockIdx.y, blockCol = blockIdx.x;
    int row = threadIdx.y, col = threadIdx.x;
    float Cvalue = 0;

    for (int m = 0; m < (A.width + BLOCK_SIZE - 1) / BLOCK_SIZE; ++m) {
        __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
        __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
        As[row][col] = GetElement(A, blockRow * BLOCK_SIZE + row, m * BLOCK_SIZE + col);
        Bs[row][col] = GetElement(B, m * BLOCK_SIZE + row, blockCol * BLOCK_SIZE + col);
        __syncthreads();
        for (int e = 0; e < BLOCK_SIZE; ++e) Cvalue += As[row][e] * Bs[e][col];
        __syncthreads();
    }
    row += blockRow * BLOCK_SIZE;
    col += blockCol * BLOCK_SIZE;
    if (row < M && col < N) c[row * N + col] = Cvalue;
}
