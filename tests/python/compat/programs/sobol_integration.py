"""A PyCUDA program: an integral by quasi-random points, closer than by random ones."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import curandom, gpuarray
from pycuda.reduction import ReductionKernel

generator = curandom.Sobol32RandomNumberGenerator()
dimensions = generator.block_count * generator.generators_per_block
points = generator.gen_uniform((1024, dimensions), np.float64)
f = ReductionKernel(np.float64, "0", "a+b", "exp(x[i])", "double *x")
one = points[:, 1].copy()
estimate = f(one).get() / 1024
assert abs(estimate - (np.e - 1)) < 2e-3
both = gpuarray.dot(points[:, 0].copy(), points[:, 1].copy()).get() / 1024
assert abs(both - 0.25) < 5e-3
print("done")
