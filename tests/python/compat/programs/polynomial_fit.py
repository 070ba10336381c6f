"""A PyCUDA program: a polynomial fitted to points, the normal equations by reductions."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.reduction import ReductionKernel

N, DEGREE = 5000, 3
rng = np.random.default_rng(24)
at = rng.uniform(-1, 1, N)
values = np.polyval([2, -1, 0.5, 3], at) + 0.1 * rng.standard_normal(N)
x, y = gpuarray.to_gpu(at), gpuarray.to_gpu(values)
powers = [gpuarray.ones_like(x)]
for _ in range(DEGREE):
    powers.append(powers[-1] * x)
inner = ReductionKernel(np.float64, "0", "a+b", "x[i]*y[i]", "double *x, double *y")
normal = np.array([[float(inner(p, q).get()) for q in powers] for p in powers])
right = np.array([float(inner(p, y).get()) for p in powers])
found = np.linalg.solve(normal, right)[::-1]
assert np.allclose(found, np.polyfit(at, values, DEGREE))
fitted = gpuarray.zeros_like(x)
for coefficient in found:
    fitted = fitted * x + float(coefficient)
errors = y - fitted
deviation = float(inner(errors, errors).get() / N) ** 0.5
assert 0.09 < deviation < 0.11
assert np.allclose((x**2).get(), powers[2].get()) and np.allclose((x**3).get(), powers[3].get())
print([round(float(one), 3) for one in found], round(deviation, 3))
print("done")
