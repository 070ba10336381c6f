// Sparse matrix times vector as it was written in 2008: the vector is read through the texture cache,
// doubles as pairs of integers. One row a thread (CSR), and one row a column of the ELLPACK format.

texture<float, 1, cudaReadModeElementType> tex_x_float;
texture<int2, 1> tex_x_double;

// Use int2 to pull doubles through texture cache.
__inline__ __device__ float fetch_x(const int &i, const float *x) { return tex1Dfetch(tex_x_float, i); }
__inline__ __device__ double fetch_x(const int &i, const double *x)
{
    int2 v = tex1Dfetch(tex_x_double, i);
    return __hiloint2double(v.y, v.x);
}

void bind_x(const float *x)
{
    size_t offset = size_t(-1);
    cutilSafeCall(cudaBindTexture(&offset, tex_x_float, x));
    if (offset != 0) exit(1);
}

template <typename IndexType, typename ValueType>
__global__ void spmv_csr_scalar(const IndexType num_rows, const IndexType *Ap, const IndexType *Aj,
                                const ValueType *Ax, const ValueType *x, ValueType *y)
{
    const IndexType grid_size = gridDim.x * blockDim.x;
    for (IndexType row = blockIdx.x * blockDim.x + threadIdx.x; row < num_rows; row += grid_size) {
        ValueType sum = y[row];
        for (IndexType jj = Ap[row]; jj < Ap[row + 1]; jj++) sum += Ax[jj] * fetch_x(Aj[jj], x);
        y[row] = sum;
    }
}

template <typename IndexType, typename ValueType>
__global__ void spmv_ell(const IndexType num_rows, const IndexType width, const IndexType pitch,
                         const IndexType *Aj, const ValueType *Ax, const ValueType *x, ValueType *y)
{
    const IndexType row = __mul24(blockIdx.x, blockDim.x) + threadIdx.x;
    if (row >= num_rows) return;
    ValueType sum = 0;
    for (IndexType n = 0; n < width; n++) {
        const ValueType a = Ax[pitch * n + row];
        if (a != 0) sum += a * fetch_x(Aj[pitch * n + row], x);
    }
    y[row] = sum;
}
