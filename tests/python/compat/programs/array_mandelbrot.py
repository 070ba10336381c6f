"""A PyCUDA program: the Mandelbrot set by whole arrays, and the same by an elementwise kernel."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel

MOST = 30
y, x = np.mgrid[-1.2:1.2:60j, -2:0.6:80j]
points = (x + 1j * y).astype(np.complex128)
c = gpuarray.to_gpu(points)
z, counts = gpuarray.zeros_like(c), gpuarray.zeros(c.shape, np.float64)
for _ in range(MOST):
    inside = abs(z) <= 2
    counts += inside
    z = gpuarray.if_positive(inside, (z * z + c).real, z.real) + 1j * gpuarray.if_positive(
        inside, (z * z + c).imag, z.imag
    )
iterate = ElementwiseKernel(
    "pycuda::complex<double> *c, double *counts, int most",
    """
    pycuda::complex<double> z = 0;
    int count = 0;
    while (count < most && norm(z) <= 4) { z = z * z + c[i]; ++count; }
    counts[i] = count;
    """,
    "iterate",
)
others = gpuarray.empty(c.shape, np.float64)
iterate(c, others, MOST)
w, expected = np.zeros_like(points), np.zeros(points.shape)
for _ in range(MOST):
    inside_host = abs(w) <= 2
    expected += inside_host
    w[inside_host] = w[inside_host] ** 2 + points[inside_host]
assert (counts.get() == expected).mean() > 0.99
assert (others.get() == expected).mean() > 0.99
print("done")
