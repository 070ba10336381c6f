// The heat equation in three dimensions: planes pass through registers while a block's tile of the
// present plane is in shared memory; boundaries are kept.

template <int BX, int BY>
__global__ void heat_step(const float *u, float *v, int nx, int ny, int nz, float k)
{
    __shared__ float plane[BY + 2][BX + 2];
    const int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const bool exists = x < nx && y < ny;
    const bool inner = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
    const size_t slab = (size_t)nx * ny;
    size_t at = (size_t)y * nx + x;

    float below = 0, now = exists ? u[at] : 0, above = exists ? u[at + slab] : 0;
    if (exists) v[at] = now;
    for (int z = 1; z < nz - 1; z++) {
        at += slab;
        below = now;
        now = above;
        above = exists ? u[at + slab] : 0;
        __syncthreads();
        plane[ty][tx] = now;
        if (threadIdx.x == 0 && x > 0 && exists) plane[ty][0] = u[at - 1];
        if (threadIdx.x == BX - 1 && x < nx - 1 && exists) plane[ty][BX + 1] = u[at + 1];
        if (threadIdx.y == 0 && y > 0 && exists) plane[0][tx] = u[at - nx];
        if (threadIdx.y == BY - 1 && y < ny - 1 && exists) plane[BY + 1][tx] = u[at + nx];
        __syncthreads();
        if (inner)
            v[at] = now + k * (plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] +
                               plane[ty + 1][tx] + below + above - 6.0f * now);
        else if (exists)
            v[at] = now;
    }
    if (exists) v[at + slab] = above;
}
