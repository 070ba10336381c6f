// A square matrix of any element type transposed in place: each block above the diagonal
// swaps its tile with the mirrored one.
template <typename T, unsigned N>
struct Tile {
    T cell[N][N + 1];
    __device__ T *operator[](unsigned row) { return cell[row]; }
};

template <typename T, unsigned N>
__global__ void swap_tiles(T *__restrict__ a, const unsigned n) {
    if (blockIdx.x < blockIdx.y) return;
    __shared__ Tile<T, N> upper, lower;
    const unsigned tx = threadIdx.x, ty = threadIdx.y;
    const unsigned ux = blockIdx.x * N + tx, uy = blockIdx.y * N + ty;
    const unsigned lx = blockIdx.y * N + tx, ly = blockIdx.x * N + ty;
    const bool has_upper = ux < n && uy < n, has_lower = lx < n && ly < n;
    if (has_upper) upper[ty][tx] = a[uy * n + ux];
    if (has_lower) lower[ty][tx] = a[ly * n + lx];
    __syncthreads();
    if (has_upper) a[uy * n + ux] = lower[tx][ty];
    if (has_lower) a[ly * n + lx] = upper[tx][ty];
}
