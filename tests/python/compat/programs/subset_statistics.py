"""A PyCUDA program: sums, extremes and products over chosen elements."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray

rng = np.random.default_rng(28)
N, CHOSEN = 5000, 1200
picked = rng.choice(N, CHOSEN, replace=False)
values, weights = rng.integers(-1000, 1000, N), rng.integers(0, 50, N)
for dtype in (np.int32, np.float32, np.float64):
    h, w = values.astype(dtype), weights.astype(dtype)
    x, y = gpuarray.to_gpu(h), gpuarray.to_gpu(w)
    for index_type in (np.int32, np.uint32):
        subset = gpuarray.to_gpu(picked.astype(index_type))
        chosen, scales = values[picked], weights[picked]
        assert gpuarray.subset_sum(subset, x).get() == chosen.sum()
        assert gpuarray.subset_min(subset, x).get() == chosen.min()
        assert gpuarray.subset_max(subset, x).get() == chosen.max()
        assert gpuarray.subset_dot(subset, x, y, dtype=np.float64).get() == chosen @ scales
    assert gpuarray.min(x).get() == h.min() and gpuarray.max(x).get() == h.max()
    wide = gpuarray.sum(x, dtype=np.float64)
    assert wide.dtype == np.float64 and wide.get() == values.sum()
    print(np.dtype(dtype), int(wide.get()), int(gpuarray.subset_sum(subset, y).get()))
    print(int(gpuarray.min(x).get()), int(gpuarray.subset_max(subset, y).get()))
print("done")
