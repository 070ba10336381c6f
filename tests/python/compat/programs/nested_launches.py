"""A PyCUDA program: a kernel that launches kernels, linked from several sources."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import DynamicModule, DynamicSourceModule

module = DynamicSourceModule(
    """
__global__ void fill(int *row, int length, int value)
{
    for (int i = threadIdx.x; i < length; i += blockDim.x) row[i] = value;
}
__global__ void triangle(int *out, int n)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n) fill<<<1, 32>>>(out + row * n, row + 1, row + 1);
}
"""
)
N = 20
out = np.zeros((N, N), np.int32)
module.get_function("triangle")(cuda.InOut(out), np.int32(N), block=(8, 1, 1), grid=(3, 1))
np.testing.assert_array_equal(out, np.tril(np.repeat(np.arange(1, N + 1)[:, None], N, 1)))

linked = DynamicModule()
linked.add_source("__device__ float curve(float x) { return x * x - 1; }", name="curve.ptx")
linked.add_source(
    """
extern __device__ float curve(float x);
__global__ void map(float *x) { x[threadIdx.x] = curve(x[threadIdx.x]); }
""",
    name="map.ptx",
)
linked.link()
x = np.linspace(-2, 2, 64, dtype=np.float32)
expected = x * x - 1
linked.get_function("map")(cuda.InOut(x), block=(64, 1, 1))
np.testing.assert_allclose(x, expected, rtol=1e-6, atol=1e-6)
print("done")
