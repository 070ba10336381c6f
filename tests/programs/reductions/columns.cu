// Sums down the columns and along the rows of a matrix, and the mean of a row with barriers that
// count: the votes of a block.
__global__ void column_sums(const float *a, float *sums, int rows, int cols)
{
    __shared__ float part[8][33];
    int col = blockIdx.x * 32 + threadIdx.x;
    float s = 0;
    if (col < cols)
        for (int r = threadIdx.y; r < rows; r += 8) s += a[r * cols + col];
    part[threadIdx.y][threadIdx.x] = s;
    __syncthreads();
    if (threadIdx.y == 0 && col < cols) {
        for (int k = 1; k < 8; k++) s += part[k][threadIdx.x];
        sums[col] = s;
    }
}

// One warp a row, four rows a block.
__global__ void row_sums(const float *__restrict__ a, float *__restrict__ sums, int rows, int cols)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float s = 0;
    for (int c = threadIdx.x; c < cols; c += 32) s += __ldg(&a[row * cols + c]);
#pragma unroll
    for (int d = 16; d; d >>= 1) s += __shfl_down_sync(0xffffffff, s, d);
    if (threadIdx.x == 0) sums[row] = s;
}

__global__ void positives(const float *a, int *count, int cols)
{
    int total = 0;
    for (int first = 0; first < cols; first += blockDim.x) {
        int c = first + threadIdx.x;
        total += __syncthreads_count(c < cols && a[blockIdx.x * cols + c] > 0.0f);
    }
    if (threadIdx.x == 0) count[blockIdx.x] = total;
}
