"""A PyCUDA program: pi by counting random points, in a map-reduce."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import curandom
from pycuda.reduction import ReductionKernel

N = 400_000
inside = ReductionKernel(
    np.int32, neutral="0", reduce_expr="a+b", map_expr="x[i]*x[i] + y[i]*y[i] <= 1 ? 1 : 0",
    arguments="float *x, float *y",
)  # fmt: skip
x, y = curandom.rand((N,)), curandom.rand((N,))
count = int(inside(x, y).get())
assert count == (x.get() ** 2 + y.get() ** 2 <= 1).sum()
assert abs(4 * count / N - np.pi) < 0.02
print("done")
