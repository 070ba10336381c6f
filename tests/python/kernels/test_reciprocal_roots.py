"""1 / sqrt(x), which is two roundings: both right, whatever takes the division's place."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww

SOURCE = """__global__ void kernel(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 1.0f / sqrtf(x[i]);
}"""


def check(run, x, executor="auto"):
    y = np.empty_like(x)
    options = [] if executor == "auto" else [f"--warpwise-executor={executor}"]
    run(SOURCE, ww.In(x), ww.Out(y), x.size, grid=-(-x.size // 256), block=256, options=options)
    with np.errstate(all="ignore"):
        wanted = np.float32(1) / np.sqrt(x)
    # Of NaN, only that it is one: a GPU has its own.
    are_nan = np.isnan(wanted)
    assert np.isnan(y[are_nan]).all()
    np.testing.assert_array_equal(y[~are_nan].view(np.uint32), wanted[~are_nan].view(np.uint32))


def test_of_every_fraction_and_both_parities_of_the_exponent(run):
    first, last = np.array([1, 4], np.float32).view(np.uint32)
    check(run, np.arange(first, last, dtype=np.uint32).view(np.float32))


@pytest.mark.parametrize("executor", ["auto", "reference"])
def test_of_any_bits(run, rng, executor):
    bits = rng.integers(0, 1 << 32, 100_003, dtype=np.uint32)
    numbers = bits[~np.isnan(bits.view(np.float32))]
    check(run, numbers.view(np.float32), executor)


def test_at_the_ends_of_the_range(run):
    tiny, huge = np.finfo(np.float32).smallest_subnormal, np.finfo(np.float32).max
    ends = [0, -0.0, tiny, 3 * tiny, np.finfo(np.float32).tiny, huge, np.inf, -np.inf, -1, -tiny]
    check(run, np.resize(np.array(ends, np.float32), 333))
