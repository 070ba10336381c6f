"""A PyCUDA program: a matrix transposed through tiles of shared memory, of any shape."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

TILE = 16
module = SourceModule(
    """
#define TILE 16
__global__ void transpose(const double *in, double *out, int rows, int columns)
{
    __shared__ double tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < rows && y < columns) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}
"""
)
transpose = module.get_function("transpose")
transpose.prepare("PPii")
rng = np.random.default_rng(34)
for rows, columns in ((16, 16), (33, 70), (1, 100), (129, 5)):
    matrix = rng.integers(0, 1000, (rows, columns)).astype(np.float64)
    source, target = cuda.to_device(matrix), cuda.mem_alloc(matrix.nbytes)
    grid = (-(-columns // TILE), -(-rows // TILE))
    transpose.prepared_call(grid, (TILE, TILE, 1), source, target, rows, columns)
    result = np.empty((columns, rows))
    cuda.memcpy_dtoh(result, target)
    np.testing.assert_array_equal(result, matrix.T)
    print(result.shape, int(result[-1, 0]), int(result.sum()))
print("done")
