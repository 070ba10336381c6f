// Linear algebra as written by hand: the counterparts of matrices.py.

#define TILE 16

extern "C" __global__ void matmul(const float* a, const float* b, float* c, int rows, int columns,
                                  int inner)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < rows && j < columns) {
        float total = 0;
        for (int k = 0; k < inner; k++) total += a[i * inner + k] * b[k * columns + j];
        c[i * columns + j] = total;
    }
}

extern "C" __global__ void tiled_matmul(const float* a, const float* b, float* c, int rows,
                                        int columns, int inner)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    float total = 0;
    for (int m = 0; m < (inner + TILE - 1) / TILE; m++) {
        int across = m * TILE + tx, down = m * TILE + ty;
        tile_a[ty][tx] = y < rows && across < inner ? a[y * inner + across] : 0;
        tile_b[ty][tx] = x < columns && down < inner ? b[down * columns + x] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++) total += tile_a[ty][k] * tile_b[k][tx];
        __syncthreads();
    }
    if (y < rows && x < columns) c[y * columns + x] = total;
}

extern "C" __global__ void transpose(const float* a, float* out, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    if (y < height && x < width) tile[ty][tx] = a[y * width + x];
    __syncthreads();
    int i = blockIdx.x * TILE + ty, j = blockIdx.y * TILE + tx;
    if (i < width && j < height) out[i * height + j] = tile[tx][ty];
}

extern "C" __global__ void plain_transpose(const float* a, float* out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < height && x < width) out[x * height + y] = a[y * width + x];
}

extern "C" __global__ void matvec(const double* a, const double* x, double* y, int rows,
                                  int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        double total = 0;
        for (int k = 0; k < columns; k++) total += a[row * columns + k] * x[k];
        y[row] = total;
    }
}

extern "C" __global__ void spmv(const int* starts, const int* columns, const float* values,
                                const float* x, float* y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float total = 0;
        for (int k = starts[row]; k < starts[row + 1]; k++) total += values[k] * x[columns[k]];
        y[row] = total;
    }
}

extern "C" __global__ void thomas(const double* lower, const double* diagonal, const double* upper,
                                  const double* right, double* x, int systems, int n)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems) return;
    lower += s * n, diagonal += s * n, upper += s * n, right += s * n, x += s * n;
    double c[32];
    c[0] = upper[0] / diagonal[0];
    x[0] = right[0] / diagonal[0];
    for (int i = 1; i < n; i++) {
        double scale = diagonal[i] - lower[i] * c[i - 1];
        c[i] = upper[i] / scale;
        x[i] = (right[i] - lower[i] * x[i - 1]) / scale;
    }
    for (int i = n - 2; i >= 0; i--) x[i] -= c[i] * x[i + 1];
}

extern "C" __global__ void eliminate(const double* matrices, const double* right, double* out,
                                     int count)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= count) return;
    double a[4][5];
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) a[i][j] = matrices[16 * m + 4 * i + j];
        a[i][4] = right[4 * m + i];
    }
    for (int column = 0; column < 4; column++) {
        int pivot = column;
        for (int i = column + 1; i < 4; i++)
            if (fabs(a[i][column]) > fabs(a[pivot][column])) pivot = i;
        for (int j = 0; j < 5; j++) {
            double other = a[column][j];
            a[column][j] = a[pivot][j];
            a[pivot][j] = other;
        }
        for (int i = column + 1; i < 4; i++) {
            double factor = a[i][column] / a[column][column];
            for (int j = column; j < 5; j++) a[i][j] -= factor * a[column][j];
        }
    }
    for (int i = 3; i >= 0; i--) {
        double total = a[i][4];
        for (int j = i + 1; j < 4; j++) total -= a[i][j] * out[4 * m + j];
        out[4 * m + i] = total / a[i][i];
    }
}
