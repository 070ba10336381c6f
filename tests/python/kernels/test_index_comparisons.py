"""Comparisons of indices with a bound, as NumPy computes them: where the index wraps between two
threads of a vector, and where it or the bound lies at the end of its type. On processors of all
levels, since each fills other registers with sixteen indices."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.cpu_only("its processor levels")

PROGRAM = '''
import itertools
import numpy as np
import warpwise as ww

SOURCE = """
template <class T> __device__ unsigned char order(T i, T bound)
{
    return i < bound | (i <= bound) << 1 | (i > bound) << 2 | (i >= bound) << 3 |
           (i == bound) << 4 | (i != bound) << 5;
}
template <class T, int step> __global__ void compare(unsigned char *out, T start, T bound)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    T i = (T)((unsigned long long)start + t * step);  // wraps
    out[t] = order(i, bound);
}
// Of which the compiler knows that it has no sign, in the threads that compute it.
template <class T, int step> __global__ void compare_places(unsigned char *out, T start, T bound)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= 3) out[t] = order((T)((t - 3) * step), bound);
}
"""
TYPES = {"size_t": np.uint64, "long long": np.int64, "unsigned": np.uint32, "int": np.int32}
THREADS = 128

module = ww.SourceModule(SOURCE)


def expected(places, bound):
    ways = (np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal)
    return sum((way(places, bound).astype(np.uint8) << k for k, way in enumerate(ways)), np.uint8(0))


def check(kernel, first, places, start, bound, what):
    out = np.zeros(THREADS, np.uint8)
    kernel(ww.InOut(out), start, bound, grid=2, block=64)
    assert np.array_equal(out[first:], expected(places, bound)[first:]), (what, start, bound)


def numbers(kind):
    limits = np.iinfo(kind)
    ends = [limits.min, limits.max - 40, limits.max, limits.max // 2 - 20, limits.max // 4 - 20]
    return [kind(n) for n in (*ends, *(np.array([-70, -3, 0, 5, 40]).astype(kind)))]


for (name, kind), step, quick in itertools.product(TYPES.items(), (1, 3), (True, False)):
    kernels = [module.get_function(f"{k}<{name}, {step}>") for k in ("compare", "compare_places")]
    if not quick:
        for kernel in kernels:
            kernel.compile_fully(64)
    count = np.arange(THREADS)
    for start, bound in itertools.product(numbers(kind), repeat=2):
        with np.errstate(over="ignore"):
            places = start + (count * step).astype(kind)
            behind = ((count - 3) * step).astype(kind)
        check(kernels[0], 0, places, start, bound, f"{name}, {step}, {quick}")
        check(kernels[1], 3, behind, start, bound, f"{name}, {step}, {quick}, places")
'''


def test_agree_with_numpy(at_each_level):
    at_each_level(PROGRAM)
