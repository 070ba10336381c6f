"""A PyCUDA program: the bifurcation diagram of the logistic map, a long chain of operations."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray

rates = np.linspace(2.5, 3.4, 500)
r, x = gpuarray.to_gpu(rates), gpuarray.zeros(500, np.float64) + 0.5
for _ in range(400):
    x = r * x * (1 - x)
before = x.copy()
x *= r * (1 - x)
settled = abs(x - before) < 1e-6
expected = 1 - 1 / rates
stable = rates < 2.99
assert np.allclose(x.get()[stable], expected[stable], atol=1e-3)
assert not settled.get()[rates > 3.05].any()
print("done")
