"""A PyCUDA program: k-means of points in the plane; distances on the device."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel

rng = np.random.default_rng(10)
centres = np.array([[0, 0], [10, 0], [0, 10], [10, 10]], np.float64)
points = np.concatenate([c + rng.standard_normal((200, 2)) for c in centres])
x, y = gpuarray.to_gpu(points[:, 0].copy()), gpuarray.to_gpu(points[:, 1].copy())
nearest = ElementwiseKernel(
    "double *x, double *y, double *cx, double *cy, int k, int *label",
    """
    double best = INFINITY;
    for (int j = 0; j < k; ++j) {
        double dx = x[i] - cx[j], dy = y[i] - cy[j], d = dx*dx + dy*dy;
        if (d < best) { best = d; label[i] = j; }
    }
    """,
    "nearest",
)
guess = centres + rng.uniform(-3, 3, centres.shape)
labels = gpuarray.empty(len(points), np.int32)
for _ in range(10):
    nearest(
        x, y, gpuarray.to_gpu(guess[:, 0].copy()), gpuarray.to_gpu(guess[:, 1].copy()), 4, labels
    )
    for j in range(4):
        mine = (labels == j).astype(np.float64)
        size = gpuarray.sum(mine).get()
        guess[j] = gpuarray.dot(mine, x).get() / size, gpuarray.dot(mine, y).get() / size
assert np.abs(guess - centres).max() < 0.3
print("done")
