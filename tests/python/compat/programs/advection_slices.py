"""A PyCUDA program: a wave carried along a ring by Lax and Wendroff's scheme, by slices."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray

N, C = 400, 0.5
STEPS = int(N / C)
x = np.arange(N) / N
start = np.exp(-200 * (x - 0.5) ** 2)
u = gpuarray.zeros(N + 2, np.float64)
inside = u[1:-1]
inside[:] = start
for _ in range(STEPS):
    u[:1], u[-1:] = u[N : N + 1], u[1:2]
    left, right = u[:-2], u[2:]
    slope, bend = right - left, right + left - 2 * inside
    inside -= C / 2 * slope - C * C / 2 * bend
host = start.copy()
for _ in range(STEPS):
    left, right = np.roll(host, 1), np.roll(host, -1)
    host = host - C / 2 * (right - left) + C * C / 2 * (right + left - 2 * host)
assert np.allclose(inside.get(), host)
assert np.isclose(gpuarray.sum(inside).get(), start.sum())
assert abs(host - start).max() < 0.05  # once around the ring
print(u.shape, int(inside.get().argmax()), round(float(gpuarray.max(inside).get()), 3))
print("done")
