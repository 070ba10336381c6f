// Many small products at once, found through arrays of pointers: a block a matrix, sizes as template
// parameters, all of a matrix in shared memory.
template <int N>
struct SmallMatrix {
    double v[N][N];
    __device__ void load(const double *from) {
        for (int i = threadIdx.x; i < N * N; i += blockDim.x) (&v[0][0])[i] = from[i];
    }
};

template <int N>
__global__ void gemm_batched(const double *const *a, const double *const *b, double *const *c) {
    __shared__ SmallMatrix<N> A, B;
    A.load(a[blockIdx.x]);
    B.load(b[blockIdx.x]);
    __syncthreads();
    for (int i = threadIdx.x; i < N * N; i += blockDim.x) {
        const int row = i / N, col = i % N;
        double sum = 0;
#pragma unroll
        for (int k = 0; k < N; ++k) sum = fma(A.v[row][k], B.v[k][col], sum);
        c[blockIdx.x][i] = sum;
    }
}

// The pointers into three packed arrays, made on the device.
__global__ void spread(double *base, double **pointers, int stride, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) pointers[i] = base + i * stride;
}
