"""A PyCUDA program: how often points of the plane are iterated, with pycuda-complex.hpp."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule(
    """
#include <pycuda-complex.hpp>
typedef pycuda::complex<double> number;

__global__ void iterate(const number *points, int *counts, int n, int most)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const number c = points[i];
    number z = 0;
    int count = 0;
    while (count < most && norm(z) <= 4) {
        z = z * z + c;
        ++count;
    }
    counts[i] = count;
}
"""
)
y, x = np.mgrid[-1.2:1.2:40j, -2:0.6:60j]
points = (x + 1j * y).ravel()
counts = np.zeros(points.size, np.int32)
module.get_function("iterate")(
    cuda.In(points), cuda.Out(counts), np.int32(points.size), np.int32(50),
    block=(128, 1, 1), grid=(-(-points.size // 128), 1),
)  # fmt: skip
z, expected = np.zeros_like(points), np.zeros_like(counts)
for _ in range(50):
    inside = abs(z) ** 2 <= 4
    expected += inside
    z[inside] = z[inside] ** 2 + points[inside]
assert (counts == expected).mean() > 0.99
print("done")
