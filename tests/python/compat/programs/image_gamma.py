"""A PyCUDA program: an image of bytes made brighter, with conversions there and back."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray

image = np.random.default_rng(19).integers(0, 256, (40, 60, 3)).astype(np.uint8)
g = gpuarray.to_gpu(image)
bright = ((g.astype(np.float32) / 255) ** 0.5 * 255 + 0.5).astype(np.uint8)
expected = (np.sqrt(image.astype(np.float32) / np.float32(255)) * 255 + np.float32(0.5)).astype(
    np.uint8
)
assert np.abs(bright.get().astype(int) - expected).max() <= 1
gray = g[:, :, 0].astype(np.float32) * 0.299 + g[:, :, 1] * 0.587 + g[:, :, 2] * 0.114
assert np.allclose(gray.get(), image @ np.array([0.299, 0.587, 0.114]), atol=1e-3)
dark = gpuarray.minimum(g, 100)
assert dark.get().max() == min(100, image.max())
flags = gpuarray.logical_and(g > 50, g < 200)
assert gpuarray.any(flags).get() and (flags.get() == ((image > 50) & (image < 200))).all()
print("done")
