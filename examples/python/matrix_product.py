"""A matrix product in tiles: each block loads 16 x 16 tiles of both matrices into shared memory,
waits until all its threads have, and multiplies from there. Buffers stay on the device."""

import numpy as np
import numpy.typing as npt

import warpwise as ww

SOURCE = r"""
#define TILE 16

__global__ void product(float *c, const float *a, const float *b, int n)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];

    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;

    for (int start = 0; start < n; start += TILE) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + start + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
"""
KERNEL = "product"
TILE = 16
N = 256

rng = np.random.default_rng(2)
a = rng.standard_normal((N, N), dtype=np.float32)
b = rng.standard_normal((N, N), dtype=np.float32)


def compute(product: ww.Kernel) -> npt.NDArray[np.float32]:
    a_device, b_device, c_device = (ww.mem_alloc(a.nbytes) for _ in range(3))
    a_device.copy_from(a)
    b_device.copy_from(b)
    product[(N // TILE, N // TILE), (TILE, TILE)](c_device, a_device, b_device, N)
    c = np.empty_like(a)
    c_device.copy_to(c)
    return c


def is_right(c: npt.NDArray[np.float32]) -> bool:
    return bool(np.allclose(c, a @ b, rtol=1e-4, atol=1e-3))


if __name__ == "__main__":
    module = ww.SourceModule(SOURCE, name="matrix_product.cu")
    print("a @ b is", "right" if is_right(compute(module.get_function(KERNEL))) else "WRONG")
