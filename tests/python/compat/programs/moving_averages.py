"""A PyCUDA program: moving averages, by a prefix sum and by shifted slices."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.scan import InclusiveScanKernel

N, WINDOW = 6000, 25
host = np.random.default_rng(23).standard_normal(N).cumsum()
x = gpuarray.to_gpu(host)
sums = gpuarray.zeros(N + 1, np.float64)
sums[1:] = x
InclusiveScanKernel(np.float64, "a+b")(sums)
by_scan = (sums[WINDOW:] - sums[:-WINDOW]) / WINDOW
by_slices = gpuarray.zeros(N - WINDOW + 1, np.float64)
for shift in range(WINDOW):
    by_slices += x[shift : N - WINDOW + 1 + shift]
by_slices /= WINDOW
expected = np.lib.stride_tricks.sliding_window_view(host, WINDOW).mean(1)
assert np.allclose(by_scan.get(), expected) and np.allclose(by_slices.get(), expected)
apart = gpuarray.max(abs(by_scan - by_slices)).get()
assert apart < 1e-8
print(by_scan.shape, [round(float(mean), 3) for mean in by_slices[::2000].get()])
print("done")
