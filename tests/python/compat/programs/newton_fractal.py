"""A PyCUDA program: Newton's method for the roots of z^3 = 1, by complex arrays and by a kernel."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel

TURNS = 40
y, x = np.mgrid[-1.5:1.5:61j, -1.5:1.5:80j]
start = x + 1j * y
z = gpuarray.to_gpu(start)
for _ in range(TURNS):
    square = z * z
    z = z - (square * z - 1) / (3 * square)
nearest = ElementwiseKernel(
    "pycuda::complex<double> *z, int *root",
    """
    pycuda::complex<double> here = z[i];
    for (int turn = 0; turn < 40; ++turn)
        here = here - (here * here * here - 1.0) / (3.0 * here * here);
    root[i] = real(here) > 0 ? 0 : imag(here) > 0 ? 1 : 2;
    """,
    "nearest_root",
)
roots = gpuarray.empty(start.shape, np.int32)
nearest(gpuarray.to_gpu(start), roots)
by_arrays = z.get()
converged = abs(by_arrays**3 - 1) < 1e-9
assert converged.mean() > 0.99
kinds = np.where(by_arrays.real > 0, 0, np.where(by_arrays.imag > 0, 1, 2))
assert (kinds == roots.get()).mean() > 0.99
shares = [float((roots.get() == root).mean()) for root in range(3)]
assert min(shares) > 0.25 and max(shares) < 0.45, shares
print(z.shape, z.dtype, [share > 0.25 for share in shares])
print("done")
