"""1 / sqrt(x), which is two roundings: both right, whatever takes the division's place."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww

SOURCE = """__global__ void kernel(const {T} *x, {T} *y, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = {T}(1) / sqrt(x[i]);
}}"""
CXX = {np.float32: "float", np.float64: "double"}


def check(run, x, executor="auto"):
    y = np.empty_like(x)
    options = [] if executor == "auto" else [f"--warpwise-executor={executor}"]
    source = SOURCE.format(T=CXX[x.dtype.type])
    run(source, ww.In(x), ww.Out(y), x.size, grid=-(-x.size // 256), block=256, options=options)
    with np.errstate(all="ignore"):
        expected = x.dtype.type(1) / np.sqrt(x)
    # Of NaN, only that it is one: a GPU has its own.
    are_nan = np.isnan(expected)
    assert np.isnan(y[are_nan]).all()
    bits = f"u{x.itemsize}"
    np.testing.assert_array_equal(y[~are_nan].view(bits), expected[~are_nan].view(bits))


def test_of_every_fraction_and_both_parities_of_the_exponent(run):
    first, last = np.array([1, 4], np.float32).view(np.uint32)
    check(run, np.arange(first, last, dtype=np.uint32).view(np.float32))


@pytest.mark.parametrize("executor", ["auto", "reference"])
def test_of_any_bits(run, rng, executor):
    bits = rng.integers(0, 1 << 32, 100_003, dtype=np.uint32)
    numbers = bits[~np.isnan(bits.view(np.float32))]
    check(run, numbers.view(np.float32), executor)


@pytest.mark.parametrize("executor", ["auto", "reference"])
def test_of_any_bits_of_doubles(run, rng, executor):
    bits = rng.integers(0, 1 << 63, 100_003, dtype=np.uint64)
    numbers = bits[~np.isnan(bits.view(np.float64))]
    check(run, numbers.view(np.float64), executor)


def test_of_doubles_whose_root_has_nearly_all_bits_set(run, rng):
    """Where the last step needs its argument from above; both sides of a power of two."""
    n = 100_003
    below = 2 - rng.integers(1, 200, n) * 2.0**-52
    above = 1 + rng.integers(0, 200, n) * 2.0**-52
    roots = np.ldexp(np.where(rng.random(n) < 0.5, below, above), rng.integers(-500, 500, n))
    check(run, roots * roots)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_at_the_ends_of_the_range(run, dtype):
    tiny, huge = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
    ends = [0, -0.0, tiny, 3 * tiny, np.finfo(dtype).tiny, huge, np.inf, -np.inf, -1, -tiny]
    check(run, np.resize(np.array(ends, dtype), 333))
