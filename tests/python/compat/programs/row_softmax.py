"""A PyCUDA program: softmax of the rows of a matrix, each by reductions that write with out=."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import cumath, gpuarray
from pycuda.reduction import ReductionKernel

rng = np.random.default_rng(12)
host = rng.standard_normal((17, 50)).astype(np.float32)
matrix = gpuarray.to_gpu(host)
largest = ReductionKernel(np.float32, "-INFINITY", "fmaxf(a, b)", "x[i]", "float *x")
total = ReductionKernel(np.float32, 0, "a+b", "x[i]", "float *x")
tops, sums = gpuarray.empty(17, np.float32), gpuarray.empty(17, np.float32)
for row in range(17):
    largest(matrix[row], out=tops[row])
matrix -= tops[:, np.newaxis]
matrix = cumath.exp(matrix)
for row in range(17):
    total(matrix[row], out=sums[row])
matrix /= sums[:, np.newaxis]
e = np.exp(host - host.max(1, keepdims=True))
assert np.allclose(matrix.get(), e / e.sum(1, keepdims=True), rtol=1e-5)
assert np.allclose([gpuarray.sum(row).get() for row in matrix], 1, rtol=1e-5)
print("done")
