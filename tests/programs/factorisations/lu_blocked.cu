// LU by tiles, in place: the diagonal tile, the row and column of tiles next to it, and the update of
// everything below and right of them; the matrix has a whole number of tiles.
#ifndef BS
#define BS 16
#endif

__global__ void lud_diagonal(float *m, int dim, int offset)
{
    __shared__ float tile[BS][BS];
    float *corner = m + offset * dim + offset;
    for (int i = 0; i < BS; i++) tile[i][threadIdx.x] = corner[i * dim + threadIdx.x];
    __syncthreads();

    for (int k = 0; k < BS - 1; k++) {
        if (threadIdx.x > k) {
            for (int j = 0; j < k; j++)
                tile[threadIdx.x][k] -= tile[threadIdx.x][j] * tile[j][k];
            tile[threadIdx.x][k] /= tile[k][k];
        }
        __syncthreads();
        if (threadIdx.x > k)
            for (int j = 0; j < k + 1; j++)
                tile[k + 1][threadIdx.x] -= tile[k + 1][j] * tile[j][threadIdx.x];
        __syncthreads();
    }
    for (int i = 1; i < BS; i++) corner[i * dim + threadIdx.x] = tile[i][threadIdx.x];
}

// Threads of the first half own a column of the tile row, those of the second a row of the tile
// column; the two never read what the other writes.
__global__ void lud_perimeter(float *m, int dim, int offset)
{
    __shared__ float dia[BS][BS], row[BS][BS], col[BS][BS + 1];
    const int first = offset + (blockIdx.x + 1) * BS;
    const int half = threadIdx.x / BS, idx = threadIdx.x % BS;
    for (int i = half; i < BS; i += 2) {
        dia[i][idx] = m[(offset + i) * dim + offset + idx];
        row[i][idx] = m[(offset + i) * dim + first + idx];
        col[i][idx] = m[(first + i) * dim + offset + idx];
    }
    __syncthreads();
    if (half == 0) {
        for (int i = 1; i < BS; i++)
            for (int j = 0; j < i; j++) row[i][idx] -= dia[i][j] * row[j][idx];
    } else {
        for (int i = 0; i < BS; i++) {
            for (int j = 0; j < i; j++) col[idx][i] -= col[idx][j] * dia[j][i];
            col[idx][i] /= dia[i][i];
        }
    }
    __syncthreads();
    for (int i = half; i < BS; i += 2) {
        m[(offset + i) * dim + first + idx] = row[i][idx];
        m[(first + i) * dim + offset + idx] = col[i][idx];
    }
}

__global__ void lud_internal(float *m, int dim, int offset)
{
    __shared__ float row[BS][BS];
    __shared__ float col[BS][BS];
    const int r0 = offset + (blockIdx.y + 1) * BS, c0 = offset + (blockIdx.x + 1) * BS;
    row[threadIdx.y][threadIdx.x] = m[(offset + threadIdx.y) * dim + c0 + threadIdx.x];
    col[threadIdx.y][threadIdx.x] = m[(r0 + threadIdx.y) * dim + offset + threadIdx.x];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int i = 0; i < BS; i++) sum += col[threadIdx.y][i] * row[i][threadIdx.x];
    m[(r0 + threadIdx.y) * dim + c0 + threadIdx.x] -= sum;
}
