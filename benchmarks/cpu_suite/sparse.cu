// Sparse and dense matrices times vectors, graphs, systems of three diagonals.

// One warp a row.
__global__ void spmv_warp(const int *start, const int *column, const float *value,
                          const float *x, float *y, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (row >= rows)
        return;
    float sum = 0;
    for (int j = start[row] + lane; j < start[row + 1]; j += 32)
        sum += value[j] * x[column[j]];
    for (int o = 16; o > 0; o >>= 1)
        sum += __shfl_down_sync(0xffffffff, sum, o);
    if (lane == 0)
        y[row] = sum;
}

// One block a row.
__global__ void gemv(const float *a, const float *x, float *y, size_t columns)
{
    __shared__ float part[256];
    size_t row = blockIdx.x;
    float sum = 0;
    for (size_t j = threadIdx.x; j < columns; j += blockDim.x)
        sum += a[row * columns + j] * x[j];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[row] = part[0];
}

// The neighbours of a frontier that have not been seen are the next one.
__global__ void expand_frontier(const unsigned *start, const unsigned *neighbour,
                                const unsigned *frontier, unsigned size, unsigned *seen,
                                unsigned *next, unsigned *count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size)
        return;
    unsigned v = frontier[i];
    for (unsigned k = start[v]; k < start[v + 1]; ++k) {
        unsigned w = neighbour[k];
        if (seen[w] == 0 && atomicExch(&seen[w], 1u) == 0)
            next[atomicAdd(count, 1u)] = w;
    }
}

// Thomas' algorithm, a system a thread, systems side by side in memory.
__global__ void tridiagonal(const float *lower, const float *diagonal, const float *upper,
                            const float *right, float *scratch, float *x, int systems, int n)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems)
        return;
    float c = upper[s] / diagonal[s], d = right[s] / diagonal[s];
    scratch[s] = c;
    x[s] = d;
    for (int i = 1; i < n; ++i) {
        int at = i * systems + s;
        float scale = 1.0f / (diagonal[at] - lower[at] * c);
        c = upper[at] * scale;
        d = (right[at] - lower[at] * d) * scale;
        scratch[at] = c;
        x[at] = d;
    }
    for (int i = n - 2; i >= 0; --i) {
        int at = i * systems + s;
        d = x[at] - scratch[at] * d;
        x[at] = d;
    }
}

// LU without pivots of matrices of 16 x 16, one a block of 16 x 16 threads.
__global__ void lu_16(const float *in, float *out)
{
    __shared__ float m[16][17];
    unsigned i = threadIdx.y, j = threadIdx.x;
    size_t at = blockIdx.x * 256 + i * 16 + j;
    m[i][j] = in[at];
    __syncthreads();
    for (unsigned k = 0; k < 15; ++k) {
        if (i > k && j == k)
            m[i][k] /= m[k][k];
        __syncthreads();
        if (i > k && j > k)
            m[i][j] -= m[i][k] * m[k][j];
        __syncthreads();
    }
    out[at] = m[i][j];
}

// A lower triangle of 64 x 64 for many right hand sides, one a thread; the triangle is shared.
__global__ void solve_triangle(const float *triangle, const float *right, float *x, int sides)
{
    __shared__ float l[64][64];
    for (int k = threadIdx.x; k < 64 * 64; k += blockDim.x)
        l[k / 64][k % 64] = triangle[k];
    __syncthreads();
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    float solved[64];
    for (int i = 0; i < 64; ++i) {
        float sum = right[i * sides + s];
        for (int j = 0; j < i; ++j)
            sum -= l[i][j] * solved[j];
        solved[i] = sum / l[i][i];
        x[i * sides + s] = solved[i];
    }
}
