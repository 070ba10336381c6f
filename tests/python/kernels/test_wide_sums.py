"""Sums of 32-bit integers that are computed in 64 bits, and then compared, divided or converted."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww

N = 1000
LEAST, MOST = -(2**31), 2**31 - 1
RANGES = {
    "small": (0, 100),
    "of both signs": (-100, 100),
    "some too large": (-(2**30) - 40, -(2**30) + 40),
    "up to the limits": (LEAST, MOST + 1),
}


def numbers(rng, kind):
    x = rng.integers(*RANGES[kind], (3, N))
    if kind == "small":
        x[:, 417] = LEAST, MOST, MOST  # one lane of all
    return x.astype(np.int32)


def ran(expression, out_type, out_dtype, x, *, table=0):
    source = f"""
        extern "C" __global__ void k(const int *x, const int *y, const int *z, long long table,
                                     {out_type} *out, int n) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            long long a = x[i], b = y[i], c = z[i];
            out[i] = {expression};
        }}"""
    kernel = ww.SourceModule(source, options=["--warpwise-tier=full"])["k"]
    out = ww.zeros(N, out_dtype)
    rows = [ww.asarray(row) for row in x]
    kernel(*rows, ww.int64(table), out, ww.int32(N), grid=-(-N // 128), block=128)
    return out.get()


@pytest.fixture(params=RANGES)
def x(rng, request):
    return numbers(rng, request.param)


def test_the_least_of_several(x):
    a, b, c = x.astype(np.int64)
    got = ran("(int)min(min(a + 1, b + 1), c - 7)", "int", np.int32, x)
    np.testing.assert_array_equal(got, np.minimum(np.minimum(a + 1, b + 1), c - 7).astype(np.int32))


def test_the_greatest_of_differences_to_what_all_share(x):
    a, b, _ = x.astype(np.int64)
    for gap in (3, -3, 2**31, 2**40, -(2**62)):
        got = ran("(int)max(max(a - table, b - table), 0LL)", "int", np.int32, x, table=gap)
        expected = np.maximum(np.maximum(a - gap, b - gap), 0)
        np.testing.assert_array_equal(got, expected.astype(np.int32))


@pytest.mark.parametrize("sign", ["<", "<=", "==", "!=", ">", ">="])
def test_comparisons(x, sign):
    a, b, c = x.astype(np.int64)
    got = ran(f"a + b {sign} c ? 1 : 2", "int", np.int32, x)
    compare = {"<": np.less, "<=": np.less_equal, "==": np.equal}
    compare |= {"!=": np.not_equal, ">": np.greater, ">=": np.greater_equal}
    np.testing.assert_array_equal(got, np.where(compare[sign](a + b, c), 1, 2))


def test_the_smaller_of_a_sum_and_a_number(x):
    a, b, c = x.astype(np.int64)
    got = ran("(int)(a + b < c ? a + b : c)", "int", np.int32, x)
    np.testing.assert_array_equal(got, np.where(a + b < c, a + b, c).astype(np.int32))


def test_unsigned_comparisons(x):
    a, b, c = x.astype(np.int64)
    got = ran("(unsigned long long)(a + b) < (unsigned long long)c", "int", np.int32, x)
    np.testing.assert_array_equal(got, (a + b).view(np.uint64) < c.view(np.uint64))


@pytest.mark.parametrize(("out_type", "dtype"), [("float", np.float32), ("double", np.float64)])
def test_floating_point_numbers_of_sums(x, out_type, dtype):
    a, b, c = x.astype(np.int64)
    got = ran(f"({out_type})(a - b + 3 * c)", out_type, dtype, x)
    np.testing.assert_array_equal(got, (a - b + 3 * c).astype(dtype))


def test_quotients_and_remainders_by_constants(x):
    a, b, _ = x.astype(np.int64)
    got = ran("(int)((a + b) / 3 + (a + b) % 7)", "int", np.int32, x)
    total = a + b
    quotient = np.trunc(total / 3).astype(np.int64)
    remainder = np.fmod(total, 7)
    np.testing.assert_array_equal(got, (quotient + remainder).astype(np.int32))


def test_halves_and_absolute_differences(x):
    a, b, _ = x.astype(np.int64)
    got = ran("(int)(((a + b) >> 1) + llabs(a - b))", "int", np.int32, x)
    np.testing.assert_array_equal(got, (((a + b) >> 1) + np.abs(a - b)).astype(np.int32))


def test_sums_of_absolute_differences(x):
    a, b, c = x.astype(np.int64)
    got = ran("(int)(llabs(a - b) + llabs(b - c) > 50)", "int", np.int32, x)
    np.testing.assert_array_equal(got, np.abs(a - b) + np.abs(b - c) > 50)


def test_integers_without_a_sign(x):
    a, b = (x[:2].view(np.uint32)).astype(np.int64)
    got = ran(
        "(int)min((long long)(unsigned)a + 5, (long long)(unsigned)b - 5)", "int", np.int32, x
    )
    np.testing.assert_array_equal(got, np.minimum(a + 5, b - 5).astype(np.int32))


@pytest.mark.parametrize("mask", [1, 6, 255])
def test_bits_of_a_table(rng, x, mask):
    a, b, c = x.astype(np.int64)
    places = 4 * a + 2 * b + c
    places = np.where(places > 63, 63, places & 63)
    place = "(4 * a + 2 * b + c > 63 ? 63 : (4 * a + 2 * b + c) & 63)"
    for table in (110, int(rng.integers(-(2**63), 2**63 - 1))):
        got = ran(f"(int)(table >> {place}) & {mask}", "int", np.int32, x, table=table)
        np.testing.assert_array_equal(got, (np.int64(table) >> places) & mask)


def test_sums_that_are_shifted_by_themselves(x):
    total = x[0].astype(np.int64) + x[1]
    got = ran("(int)((a + b) >> ((a + b) & 7) > 9)", "int", np.int32, x)
    np.testing.assert_array_equal(got, (total >> (total & 7)) > 9)


def test_numbers_that_a_loop_passes_on(x):
    got = ran("0; for (int k = 0; k < 4; ++k) out[i] = (int)max((long long)out[i] + a, b - k)",
              "int", np.int32, x)  # fmt: skip
    a, b, _ = x.astype(np.int64)
    expected = np.zeros(N, np.int32)
    for k in range(4):
        expected = np.maximum(expected + a, b - k).astype(np.int32)
    np.testing.assert_array_equal(got, expected)
