"""A PyCUDA program: all distances between two sets of points, by broadcasting."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import cumath, gpuarray

rng = np.random.default_rng(5)
a, b = rng.standard_normal((150, 3)), rng.standard_normal((70, 3))
x, y = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
squares = gpuarray.zeros((150, 70), np.float64)
for axis in range(3):
    difference = x[:, np.newaxis, axis] - y[np.newaxis, :, axis]
    squares += difference**2
distances = cumath.sqrt(squares)
expected = np.linalg.norm(a[:, np.newaxis] - b, axis=2)
assert np.allclose(distances.get(), expected)
assert np.isclose(gpuarray.max(distances).get(), expected.max())
print("done")
