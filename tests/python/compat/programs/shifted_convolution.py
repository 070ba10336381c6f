"""A PyCUDA program: a convolution without FFT, as a sum of shifted images."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray

rng = np.random.default_rng(8)
image, kernel = rng.standard_normal((70, 90)), rng.standard_normal((5, 7))
rows, columns = image.shape[0] - 4, image.shape[1] - 6
source = gpuarray.to_gpu(image)
result = gpuarray.zeros((rows, columns), np.float64)
for i in range(5):
    for j in range(7):
        result = result.mul_add(1, source[i : i + rows, j : j + columns], kernel[i, j])
windows = np.lib.stride_tricks.sliding_window_view(image, (5, 7))
assert np.allclose(result.get(), np.einsum("abij,ij->ab", windows, kernel))
print("done")
