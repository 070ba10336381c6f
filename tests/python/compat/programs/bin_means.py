"""A PyCUDA program: counts and means of samples in bins, by atomic additions of a kernel."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel

N, BINS = 50_000, 12
rng = np.random.default_rng(30)
places, samples = rng.beta(2, 3, N), rng.standard_normal(N)
samples += np.sin(6 * places)
gather = ElementwiseKernel(
    "double *place, double *sample, int *counts, double *sums, int bins",
    """
    const int bin = min(bins - 1, (int)(place[i] * bins));
    atomicAdd(&counts[bin], 1);
    atomicAdd(&sums[bin], sample[i]);
    """,
    "gather",
)
counts, sums = gpuarray.zeros(BINS, np.int32), gpuarray.zeros(BINS, np.float64)
gather(gpuarray.to_gpu(places), gpuarray.to_gpu(samples), counts, sums, BINS)
means = gpuarray.if_positive(
    counts, sums / gpuarray.maximum(counts.astype(np.float64), 1.0), gpuarray.zeros_like(sums)
)
bins = np.minimum(BINS - 1, (places * BINS).astype(int))
assert (counts.get() == np.bincount(bins, minlength=BINS)).all()
expected = np.bincount(bins, samples, BINS) / np.maximum(1, np.bincount(bins, minlength=BINS))
assert np.allclose(means.get(), expected)
assert gpuarray.sum(counts).get() == N
print(counts.get().tolist())
print([round(float(mean), 3) for mean in means.get()[:6]])
print("done")
