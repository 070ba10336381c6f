"""A PyCUDA program: heat in a plate, in place by slices."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray

N, STEPS, RATE = 80, 60, 0.2
plate = np.zeros((N, N), np.float32)
plate[0], plate[:, 0] = 100, 50
heat = gpuarray.to_gpu(plate)
for _ in range(STEPS):
    inner = heat[1:-1, 1:-1]
    inner += RATE * (
        heat[:-2, 1:-1] + heat[2:, 1:-1] + heat[1:-1, :-2] + heat[1:-1, 2:] - 4 * inner
    )
for _ in range(STEPS):
    plate[1:-1, 1:-1] += np.float32(RATE) * (
        plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
        - 4 * plate[1:-1, 1:-1]
    )  # fmt: skip
assert np.allclose(heat.get(), plate, rtol=1e-4, atol=1e-3)
print("done")
