"""A PyCUDA program: a convolution without FFT, as a sum of shifted images."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray

rng = np.random.default_rng(8)
image, kernel = rng.standard_normal((70, 90)), rng.standard_normal((5, 7))
rows, columns = image.shape[0] - 4, image.shape[1] - 6
source = gpuarray.to_gpu(image)
shifted = gpuarray.empty((rows, columns), np.float64)
result = gpuarray.zeros((rows, columns), np.float64)
for i in range(5):
    for j in range(7):
        shifted[:, :] = source[i : i + rows, j : j + columns]
        result = result.mul_add(1, shifted, float(kernel[i, j]))
windows = np.lib.stride_tricks.sliding_window_view(image, (5, 7))
expected = np.einsum("abij,ij->ab", windows, kernel)
assert np.allclose(result.get(), expected)
print(result.shape, round(float(gpuarray.max(result).get()), 3))
print("done")
