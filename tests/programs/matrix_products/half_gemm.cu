// Half precision in, single precision sums, half out: pairs of halves loaded at once, unpacked by
// the intrinsics of cuda_fp16.h.
#include <cuda_fp16.h>

#define TILE 16

__global__ void hgemm(const __half *A, const half2 *B, __half *C, int M, int N, int K)
{
    __shared__ float sA[TILE][TILE], sB[TILE][2 * TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int pair = blockIdx.x * TILE + threadIdx.x;  // columns 2 * pair and 2 * pair + 1
    float2 sum = make_float2(0.f, 0.f);

    for (int k0 = 0; k0 < K; k0 += TILE) {
        int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
        sA[threadIdx.y][threadIdx.x] = row < M && ka < K ? __half2float(A[row * K + ka]) : 0.f;
        float2 b = kb < K && 2 * pair < N ? __half22float2(B[(kb * N) / 2 + pair])
                                          : make_float2(0.f, 0.f);
        sB[threadIdx.y][2 * threadIdx.x] = b.x;
        sB[threadIdx.y][2 * threadIdx.x + 1] = b.y;
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum.x += sA[threadIdx.y][k] * sB[k][2 * threadIdx.x];
            sum.y += sA[threadIdx.y][k] * sB[k][2 * threadIdx.x + 1];
        }
        __syncthreads();
    }
    if (row < M && 2 * pair < N)
        *reinterpret_cast<half2 *>(&C[row * N + 2 * pair]) = __floats2half2_rn(sum.x, sum.y);
}
