// Sparse matrix times vector in ELLPACK, column after column with padding, and by diagonals.
template <typename IndexType, typename ValueType>
__global__ void spmv_ell(const IndexType num_rows, const IndexType num_cols_per_row,
                         const IndexType pitch, const IndexType *Aj, const ValueType *Ax,
                         const ValueType *x, ValueType *y)
{
    const IndexType invalid_index = static_cast<IndexType>(-1);
    const IndexType grid_size = gridDim.x * blockDim.x;
    for (IndexType row = blockIdx.x * blockDim.x + threadIdx.x; row < num_rows; row += grid_size) {
        ValueType sum = 0;
        IndexType offset = row;
        for (IndexType n = 0; n < num_cols_per_row; n++) {
            const IndexType col = Aj[offset];
            if (col != invalid_index) {
                const ValueType A_ij = Ax[offset];
                sum += A_ij * x[col];
            }
            offset += pitch;
        }
        y[row] = sum;
    }
}

__global__ void spmv_dia(int rows, int cols, int diagonals, const int *offsets, const double *data,
                         const double *x, double *y)
{
    extern __shared__ int s_offsets[];
    for (int k = threadIdx.x; k < diagonals; k += blockDim.x) s_offsets[k] = offsets[k];
    __syncthreads();
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    double sum = 0;
    for (int k = 0; k < diagonals; k++) {
        int col = row + s_offsets[k];
        if (col >= 0 && col < cols) sum += data[k * cols + col] * x[col];
    }
    y[row] = sum;
}
