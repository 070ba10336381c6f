"""A PyCUDA program: a histogram by an elementwise kernel that adds atomically."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel

rng = np.random.default_rng(9)
data = rng.normal(50, 15, 100_000).astype(np.float32)
count = ElementwiseKernel(
    "float *x, unsigned int *bins, float low, float width, int most",
    """
    int bin = (int)floorf((x[i] - low) / width);
    atomicAdd(&bins[min(max(bin, 0), most - 1)], 1u);
    """,
    "histogram",
)
bins = gpuarray.zeros(20, np.uint32)
count(gpuarray.to_gpu(data), bins, 0, 5, 20)
expected = np.bincount(np.clip(np.floor(data / np.float32(5)).astype(int), 0, 19), minlength=20)
assert (bins.get() == expected).all()
assert gpuarray.sum(bins).get() == data.size
print("done")
