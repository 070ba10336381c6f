"""A PyCUDA program: planes of bytes made brighter, with conversions there and back."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray

image = np.random.default_rng(19).integers(0, 256, (3, 40, 60)).astype(np.uint8)
g = gpuarray.to_gpu(image)
bright = ((g.astype(np.float32) / 255) ** 0.5 * 255 + 0.5).astype(np.uint8)
expected = (np.sqrt(image.astype(np.float32) / np.float32(255)) * 255 + np.float32(0.5)).astype(
    np.uint8
)
assert np.abs(bright.get().astype(int) - expected).max() <= 1
red, green, blue = (g[plane].astype(np.float32) for plane in range(3))
gray = red * 0.299 + green * 0.587 + blue * 0.114
weights = np.array([0.299, 0.587, 0.114])
assert np.allclose(gray.get(), np.tensordot(weights, image, 1), atol=1e-3)
dark = gpuarray.minimum(g.astype(np.float32), 100.0).astype(np.uint8)
assert (dark.get() == np.minimum(image, 100)).all()
flags = gpuarray.logical_and(g > 50, g < 200)
assert gpuarray.any(flags).get() and not gpuarray.all(flags).get()
assert (flags.get() == ((image > 50) & (image < 200))).all()
print("between:", gpuarray.sum(flags.astype(np.int32)).get(), "darkest:", dark.get().min())
print("done")
