"""A PyCUDA program: logistic regression by gradient descent, sums by map and reduce."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.reduction import ReductionKernel

N, TURNS, RATE = 4000, 150, 2.0
rng = np.random.default_rng(22)
points = rng.standard_normal((2, N))
labels = (1.5 * points[0] - points[1] + 0.5 + rng.logistic(size=N) > 0).astype(np.float64)
x, y, label = (gpuarray.to_gpu(one) for one in (points[0], points[1], labels))
ARGUMENTS = "double *x, double *y, double *label, double u, double v, double w"
CODE = """
__device__ double miss(double x, double y, double label, double u, double v, double w)
{
    return 1 / (1 + exp(-(u * x + v * y + w))) - label;
}
"""
MISS = "miss(x[i], y[i], label[i], u, v, w)"
slopes = [
    ReductionKernel(np.float64, "0", "a+b", f"{MISS} * {factor}", ARGUMENTS, preamble=CODE)
    for factor in ("x[i]", "y[i]", "1")
]
weights, expected = [0.0, 0.0, 0.0], np.zeros(3)
for _ in range(TURNS):
    moves = [float(slope(x, y, label, *weights).get()) / N for slope in slopes]
    weights = [weight - RATE * move for weight, move in zip(weights, moves, strict=True)]
features = np.vstack([points, np.ones(N)])
for _ in range(TURNS):
    expected -= RATE * (features @ (1 / (1 + np.exp(-expected @ features)) - labels)) / N
assert np.allclose(weights, expected)
print([round(weight, 3) for weight in weights])
print("done")
