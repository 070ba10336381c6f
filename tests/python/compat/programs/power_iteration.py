"""A PyCUDA program: the largest eigenvalue of a matrix by power iteration."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel

rng = np.random.default_rng(11)
N = 60
half = rng.standard_normal((N, N))
matrix = half @ half.T
product = ElementwiseKernel(
    "double *y, double *a, double *x, int columns",
    """
    double sum = 0;
    for (int j = 0; j < columns; ++j) sum += a[i * columns + j] * x[j];
    y[i] = sum;
    """,
    "matvec",
)
a, x, y = gpuarray.to_gpu(matrix), gpuarray.ones(N), gpuarray.empty(N, np.float64)
for _ in range(400):
    product(y, a, x, N)
    x = y / float(gpuarray.dot(y, y).get() ** 0.5)
product(y, a, x, N)
value = gpuarray.dot(x, y).get()
assert np.isclose(value, np.linalg.eigvalsh(matrix)[-1], rtol=1e-4)
print("done")
