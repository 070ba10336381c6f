// A weighted histogram of points in the plane: a functor chooses the cell, floats are added.
struct Grid {
    float2 low, cell;
    int2 size;

    __device__ bool locate(float2 p, int &index) const {
        const int i = int(floorf((p.x - low.x) / cell.x)), j = int(floorf((p.y - low.y) / cell.y));
        if (i < 0 || j < 0 || i >= size.x || j >= size.y) return false;
        index = j * size.x + i;
        return true;
    }
};

__global__ void deposit(const float2 *points, const float *weights, int n, Grid grid, float *cells,
                        unsigned long long *outside) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int index;
    if (grid.locate(points[i], index))
        atomicAdd(&cells[index], weights[i]);
    else
        atomicAdd(outside, 1ULL);
}
