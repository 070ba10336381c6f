"""A PyCUDA program: a matrix product in tiles of shared memory, the tile's size a macro."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

TILE, N = 16, 144
module = SourceModule(
    """
__global__ void product(const float *a, const float *b, float *c, int n)
{
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        left[y][x] = a[row * n + k + x];
        right[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; ++i) sum += left[y][i] * right[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
""",
    options=[f"-DTILE={TILE}"],
)
rng = np.random.default_rng(1)
a, b = (rng.standard_normal((N, N)).astype(np.float32) for _ in range(2))
c = np.empty_like(a)
product = module.get_function("product")
product(
    cuda.In(a), cuda.In(b), cuda.Out(c), np.int32(N),
    block=(TILE, TILE, 1), grid=(N // TILE, N // TILE),
)  # fmt: skip
np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-4)
assert product.shared_size_bytes >= 2 * 4 * TILE * TILE
print("done")
