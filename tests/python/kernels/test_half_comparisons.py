"""Comparisons of pairs of 16-bit floats that hold, or give a mask, where either is not a number."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww

OPERATORS = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal,
    "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip


@pytest.mark.parametrize("executor", ["auto", "reference"])
@pytest.mark.parametrize("name", OPERATORS)
def test_unordered_comparisons_of_pairs(run, rng, name, executor):
    values = np.array([0, -0.0, 1, 2, -3, np.nan, np.inf], np.float16)
    a, b = rng.choice(values, (2, 301, 2))
    masks, pairs, both = (
        np.zeros(301, np.uint32),
        np.zeros((301, 2), np.float16),
        np.zeros(301, "i4"),
    )
    run(
        f"""#include <cuda_fp16.h>
        __global__ void kernel(const half2 *a, const half2 *b, unsigned *masks, half2 *pairs,
                               int *both, int n) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            masks[i] = __h{name}u2_mask(a[i], b[i]);
            pairs[i] = __h{name}u2(a[i], b[i]);
            both[i] = __hb{name}u2(a[i], b[i]);
        }}""",
        ww.In(a), ww.In(b), ww.Out(masks), ww.Out(pairs), ww.Out(both), 301, grid=5, block=64,
        options=[] if executor == "auto" else [f"--warpwise-executor={executor}"],
    )  # fmt: skip
    wanted = OPERATORS[name](a, b) | np.isnan(a) | np.isnan(b)
    np.testing.assert_array_equal(pairs, wanted.astype(np.float16))
    np.testing.assert_array_equal(masks, wanted[:, 0] * 0xFFFF + wanted[:, 1] * 0xFFFF0000)
    np.testing.assert_array_equal(both, wanted.all(axis=1))


@pytest.mark.parametrize("lanes", [2, 4])
def test_signed_averages_round_up(run, rng, lanes):
    kind = {2: np.int16, 4: np.int8}[lanes]
    a, b = (rng.integers(np.iinfo(kind).min, np.iinfo(kind).max, (99, lanes)) for _ in range(2))
    out = np.zeros(99, np.uint32)
    x, y = (np.ascontiguousarray(v.astype(kind)).view(np.uint32).ravel() for v in (a, b))
    run(
        f"""__global__ void kernel(const unsigned *x, const unsigned *y, unsigned *out) {{
            out[threadIdx.x] = __vavgs{lanes}(x[threadIdx.x], y[threadIdx.x]);
        }}""",
        ww.In(x), ww.In(y), ww.Out(out), block=99,
    )  # fmt: skip
    total = a + b
    wanted = (total + (total >= 0)) >> 1
    np.testing.assert_array_equal(out.view(kind).reshape(99, lanes), wanted)


@pytest.mark.parametrize("executor", ["gang", "reference"])
def test_the_smaller_and_the_larger_of_two(run, rng, executor):
    a, b = rng.normal(size=(2, 301)).astype(np.float16)
    a[::7], b[::11] = np.nan, np.nan
    small, large = np.zeros(301, np.float16), np.zeros(301, np.float16)
    run(
        """#include <cuda_fp16.h>
        __global__ void kernel(const half *a, const half *b, half *small, half *large, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            small[i] = __hmin(a[i], b[i]);
            large[i] = __float2half(fmaxf(__half2float(a[i]), __half2float(b[i])));
        }""",
        ww.In(a), ww.In(b), ww.Out(small), ww.Out(large), 301, grid=5, block=64,
        options=[f"--warpwise-executor={executor}"],
    )  # fmt: skip
    np.testing.assert_array_equal(small, np.fmin(a, b))
    np.testing.assert_array_equal(large, np.fmax(a, b))


@pytest.mark.parametrize("executor", ["gang", "reference"])
def test_integers_become_half_in_the_direction_that_is_named(run, rng, executor):
    x = rng.integers(-70000, 70000, 300).astype(np.int32)
    out = np.zeros((3, 300), np.float16)
    run(
        """#include <cuda_fp16.h>
        __global__ void kernel(const int *x, half *out, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            out[i] = __int2half_rd(x[i]);
            out[n + i] = __int2half_ru(x[i]);
            out[2 * n + i] = __ll2half_rz(x[i]);
        }""",
        ww.In(x), ww.Out(out), 300, grid=5, block=64,
        options=[f"--warpwise-executor={executor}"],
    )  # fmt: skip
    with np.errstate(over="ignore"):
        near = x.astype(np.float64).astype(np.float16)
    down = np.where(near > x, np.nextafter(near, np.float16(-np.inf)), near)
    up = np.where(near < x, np.nextafter(near, np.float16(np.inf)), near)
    np.testing.assert_array_equal(out, [down, up, np.where(x < 0, up, down)])
