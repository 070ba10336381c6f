// One step of the heat equation in three dimensions: planes of a block are in shared memory, the
// column above and below each thread in registers, marching through z.
template <int BX, int BY>
__global__ void __launch_bounds__(BX * BY)
heat3d(const double *__restrict__ in, double *__restrict__ out, int nx, int ny, int nz, double k) {
    __shared__ double plane[BY + 2][BX + 2];
    const int x = blockIdx.x * BX + threadIdx.x + 1, y = blockIdx.y * BY + threadIdx.y + 1;
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const bool inside = x < nx - 1 && y < ny - 1, loads = x < nx && y < ny;
    const size_t stride = size_t(nx) * ny, at = size_t(y) * nx + x;
    double below = 0, here = loads ? in[at] : 0, above = loads ? in[at + stride] : 0;
    for (int z = 1; z < nz - 1; ++z) {
        const size_t p = at + z * stride;
        below = here;
        here = above;
        above = loads ? in[p + stride] : 0;
        __syncthreads();
        plane[ty][tx] = here;
        if (loads && threadIdx.x == 0) plane[ty][0] = in[p - 1];
        if (inside && (threadIdx.x == BX - 1 || x == nx - 2)) plane[ty][tx + 1] = in[p + 1];
        if (loads && threadIdx.y == 0) plane[0][tx] = in[p - nx];
        if (inside && (threadIdx.y == BY - 1 || y == ny - 2)) plane[ty + 1][tx] = in[p + nx];
        __syncthreads();
        if (inside)
            out[p] = here + k * (plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] +
                                 plane[ty + 1][tx] + below + above - 6 * here);
    }
}
