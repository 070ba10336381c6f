// Sparse matrix times vector from a list of entries: an atomic for each, and a scan by segments
// within a warp so that only the last entry of a row is added.
#include <stdint.h>

struct entry { int32_t row, col; double value; };

__global__ void spmv_coo_atomic(const entry *entries, int count, const double *x, double *y)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        entry e = entries[i];
        atomicAdd(&y[e.row], e.value * x[e.col]);
    }
}

__global__ void spmv_coo_segmented(const entry *entries, int count, const double *x, double *y)
{
    const unsigned all = 0xffffffff;
    const int lane = threadIdx.x & 31;
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const int warps = (gridDim.x * blockDim.x) >> 5;
    for (int first = warp * 32; first < count; first += warps * 32) {
        int i = first + lane, row = -1;
        double v = 0;
        if (i < count) {
            row = entries[i].row;
            v = entries[i].value * x[entries[i].col];
        }
        for (int d = 1; d < 32; d <<= 1) {
            double other = __shfl_up_sync(all, v, d);
            int other_row = __shfl_up_sync(all, row, d);
            if (lane >= d && other_row == row) v += other;
        }
        int next = __shfl_down_sync(all, row, 1);
        if (row >= 0 && (lane == 31 || next != row)) atomicAdd(y + row, v);
    }
}
