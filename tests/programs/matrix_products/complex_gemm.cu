/* Product of complex matrices with an operation on the first: plain, transposed or conjugated.  C
   style with cuComplex, as scientific codes have it. */
#include <cuComplex.h>

#define NB 8
#define OP_N 0
#define OP_T 1
#define OP_C 2

__device__ static cuDoubleComplex fetch(const cuDoubleComplex *a, int op, int row, int col, int ld)
{
    cuDoubleComplex v;
    if (op == OP_N) return a[row * ld + col];
    v = a[col * ld + row];
    return op == OP_C ? cuConj(v) : v;
}

extern "C" __global__ void zgemm(int op, int m, int n, int k, cuDoubleComplex alpha,
                                 const cuDoubleComplex *a, const cuDoubleComplex *b,
                                 cuDoubleComplex *c)
{
    __shared__ cuDoubleComplex sa[NB][NB + 1], sb[NB][NB + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * NB + ty, col = blockIdx.x * NB + tx;
    const int lda = op == OP_N ? k : m;
    const cuDoubleComplex zero = make_cuDoubleComplex(0.0, 0.0);
    cuDoubleComplex sum = zero;
    int p, q;

    for (p = 0; p < k; p += NB) {
        sa[ty][tx] = row < m && p + tx < k ? fetch(a, op, row, p + tx, lda) : zero;
        sb[ty][tx] = p + ty < k && col < n ? b[(p + ty) * n + col] : zero;
        __syncthreads();
        for (q = 0; q < NB; q++) sum = cuCfma(sa[ty][q], sb[q][tx], sum);
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = cuCmul(alpha, sum);
}
