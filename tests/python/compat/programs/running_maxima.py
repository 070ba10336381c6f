"""A PyCUDA program: records and drawdowns of a price, by scans with maximum and minimum."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel

N = 4500
prices = 5000 + np.random.default_rng(33).integers(-20, 22, N).cumsum().astype(np.int32)
x = gpuarray.to_gpu(prices)
peaks = x.copy()
InclusiveScanKernel(np.int32, "max(a, b)")(peaks)
assert (peaks.get() == np.maximum.accumulate(prices)).all()
earlier = x.copy()
ExclusiveScanKernel(np.int32, "max(a, b)", neutral="-1")(earlier)
records = x > earlier
assert records.get().sum() == (np.diff(np.maximum.accumulate(prices)) > 0).sum() + 1
drawdown = gpuarray.max(peaks - x).get()
assert drawdown == (np.maximum.accumulate(prices) - prices).max()
ahead = x.reverse()
InclusiveScanKernel(np.int32, "min(a, b)")(ahead)
lowest = ahead.reverse()
assert (lowest.get() == np.minimum.accumulate(prices[::-1])[::-1]).all()
print(gpuarray.max(peaks).get(), gpuarray.sum(records).get(), drawdown, lowest[0].get())
print("done")
