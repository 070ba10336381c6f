// A convolution in one dimension with a mask of any length: one dynamic shared array cut into the
// mask and the tile, for any arithmetic type.
template <typename T>
__global__ void convolve(const T *__restrict__ signal, int n, const T *__restrict__ mask, int m, T *out)
{
    extern __shared__ __align__(sizeof(double)) unsigned char storage[];
    T *const weights = reinterpret_cast<T *>(storage);
    T *const tile = weights + m;
    const int first = blockIdx.x * blockDim.x - (m - 1);

    for (int i = threadIdx.x; i < m; i += blockDim.x) weights[i] = mask[i];
    for (int i = threadIdx.x; i < blockDim.x + m - 1; i += blockDim.x)
        tile[i] = first + i >= 0 && first + i < n ? signal[first + i] : T(0);
    __syncthreads();

    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n + m - 1) return;
    T sum = 0;
    for (int k = 0; k < m; ++k) sum += weights[k] * tile[threadIdx.x + m - 1 - k];
    out[i] = sum;
}
