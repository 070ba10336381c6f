"""A PyCUDA program: heat in a plate, by slices copied out and back."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray

N, STEPS, RATE = 80, 60, 0.2
plate = np.zeros((N, N), np.float32)
plate[0], plate[:, 0] = 100, 50
heat = gpuarray.to_gpu(plate)


def part(rows, columns):
    """A contiguous copy: operators are only for contiguous arrays."""
    copy = gpuarray.empty((N - 2, N - 2), np.float32)
    copy[:, :] = heat[rows, columns]
    return copy


middle, before, after = slice(1, -1), slice(None, -2), slice(2, None)
for _ in range(STEPS):
    inner = part(middle, middle)
    around = part(before, middle) + part(after, middle) + part(middle, before)
    around += part(middle, after)
    inner += RATE * (around - 4 * inner)
    heat[middle, middle] = inner
for _ in range(STEPS):
    plate[1:-1, 1:-1] += np.float32(RATE) * (
        plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
        - 4 * plate[1:-1, 1:-1]
    )  # fmt: skip
assert np.allclose(heat.get(), plate, rtol=1e-4, atol=1e-3)
print("mean:", round(float(heat.get().mean(dtype=np.float64)), 2))
print("done")
