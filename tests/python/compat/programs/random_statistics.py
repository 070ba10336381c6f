"""A PyCUDA program: distributions of random numbers, and what equal seeds give."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import curandom, gpuarray
from pycuda.curandom import XORWOWRandomNumberGenerator

N = 100_000


def seeds(count):
    """The same seeds every time."""
    return gpuarray.to_gpu(
        np.random.default_rng(7).integers(0, 1 << 31, count, np.int64).astype(np.int32)
    )


def mean_and_deviation(array):
    values = array.astype(np.float64)
    mean = float(gpuarray.sum(values).get()) / array.size
    apart = values - mean
    return mean, (float(gpuarray.sum(apart * apart).get()) / array.size) ** 0.5


def near(array, mean, deviation):
    found = mean_and_deviation(array)
    return abs(found[0] - mean) < 0.02 * deviation and abs(found[1] / deviation - 1) < 0.02


first, second = XORWOWRandomNumberGenerator(seeds), XORWOWRandomNumberGenerator(seeds)
for dtype in (np.float32, np.float64):
    uniform = first.gen_uniform(N, dtype)
    assert (uniform.get() == second.gen_uniform(N, dtype).get()).all()
    assert gpuarray.min(uniform).get() > 0 and gpuarray.max(uniform).get() <= 1
    normal = first.gen_normal(N, dtype)
    assert (normal.get() == second.gen_normal(N, dtype).get()).all()
    other = curandom.rand((N,), dtype)
    print(near(uniform, 0.5, 12**-0.5), near(normal, 0, 1), near(other, 0.5, 12**-0.5))
bits = first.gen_uniform(N, np.uint32)
assert len(np.unique(bits.get())) > 0.99 * N
counts = first.gen_poisson(N, np.uint32, 6.0)
print(near(bits, 2.0**31, 2**32 * 12**-0.5), near(counts, 6, 6**0.5))
first.fill_uniform(uniform)
second.fill_uniform(normal)
assert (uniform.get() != normal.get()).any()  # the first one has drawn more by now
print("done")
