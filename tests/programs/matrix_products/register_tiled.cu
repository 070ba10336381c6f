// alpha A B + beta C with a tile of the result in each thread's registers, for any element type: the
// shape of fast GEMM kernels, with A's tile stored transposed.
template <typename T, int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
gemm(int M, int N, int K, T alpha, const T* __restrict__ A, const T* __restrict__ B, T beta,
     T* __restrict__ C) {
    constexpr int kThreads = (BM / TM) * (BN / TN);
    __shared__ T As[BK][BM];
    __shared__ T Bs[BK][BN];
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    const int threadRow = threadIdx.x / (BN / TN) * TM, threadCol = threadIdx.x % (BN / TN) * TN;

    T acc[TM][TN] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int i = threadIdx.x; i < BM * BK; i += kThreads) {
            const int m = i / BK, k = i % BK;
            As[k][m] = row0 + m < M && k0 + k < K ? A[(row0 + m) * K + k0 + k] : T(0);
        }
#pragma unroll
        for (int i = threadIdx.x; i < BK * BN; i += kThreads) {
            const int k = i / BN, n = i % BN;
            Bs[k][n] = k0 + k < K && col0 + n < N ? B[(k0 + k) * N + col0 + n] : T(0);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            T a[TM], b[TN];
#pragma unroll
            for (int i = 0; i < TM; ++i) a[i] = As[k][threadRow + i];
#pragma unroll
            for (int j = 0; j < TN; ++j) b[j] = Bs[k][threadCol + j];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) {
            const int row = row0 + threadRow + i, col = col0 + threadCol + j;
            if (row < M && col < N)
                C[row * N + col] = alpha * acc[i][j] + (beta == T(0) ? T(0) : beta * C[row * N + col]);
        }
}
