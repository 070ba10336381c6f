"""A PyCUDA program: softmax of the rows of a matrix, each by reductions that write with out=."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel

ROWS, COLUMNS = 17, 50
rng = np.random.default_rng(12)
host = rng.standard_normal((ROWS, COLUMNS)).astype(np.float32)
matrix = gpuarray.to_gpu(host)
largest = ReductionKernel(np.float32, "-INFINITY", "fmaxf(a, b)", "x[i]", "float *x")
total = ReductionKernel(np.float32, 0, "a+b", "x[i]", "float *x")
exponentials = ElementwiseKernel(
    "float *m, float *tops, int columns", "m[i] = expf(m[i] - tops[i / columns])", "exponentials"
)
divide = ElementwiseKernel("float *m, float *sums, int columns", "m[i] /= sums[i / columns]")
tops, sums = gpuarray.empty(ROWS, np.float32), gpuarray.empty(ROWS, np.float32)
for row in range(ROWS):
    largest(matrix[row], out=tops[row])
exponentials(matrix, tops, COLUMNS)
for row in range(ROWS):
    total(matrix[row], out=sums[row])
divide(matrix, sums, COLUMNS)
e = np.exp(host - host.max(1, keepdims=True))
expected = e / e.sum(1, keepdims=True)
assert np.allclose(matrix.get(), expected, rtol=1e-5)
assert np.allclose([gpuarray.sum(row).get() for row in matrix], 1, rtol=1e-5)
print([round(float(gpuarray.max(row).get()), 3) for row in matrix[:3]])
print("done")
