"""Quotients and remainders of integers as C has them, whatever takes the division's place: by one
divisor and by several, of every width, at the borders of what a double holds."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww

CXX = {
    np.int8: "signed char",
    np.uint8: "unsigned char",
    np.int16: "short",
    np.uint16: "unsigned short",
    np.int32: "int",
    np.uint32: "unsigned",
    np.int64: "long long",
    np.uint64: "unsigned long long",
}
SOURCE = """
__global__ void kernel(const {T} *a, const {T} *d, {T} *by_one, {T} *by_each, {T} *rest_by_one,
                       {T} *rest_by_each, {T} one, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    by_one[i] = a[i] / one;
    rest_by_one[i] = a[i] % one;
    by_each[i] = a[i] / d[i];
    rest_by_each[i] = a[i] % d[i];
}}"""
EXECUTORS = ["auto", "gang", "reference"]


def truncated(a: np.ndarray, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Quotient and remainder towards zero, by Python's integers; the quotient wraps."""
    wrap = 1 << (8 * a.itemsize)
    quotients, rests = [], []
    for x, y in zip(a.tolist(), d.tolist(), strict=True):
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        quotients.append(quotient % wrap)
        rests.append((x - quotient * y) % wrap)
    unsigned = np.dtype(f"u{a.itemsize}")
    return tuple(np.array(v, unsigned).view(a.dtype) for v in (quotients, rests))


def check(run, a, d, one, executor):
    results = [np.zeros_like(a) for _ in range(4)]
    run(
        SOURCE.format(T=CXX[a.dtype.type]),
        ww.In(a), ww.In(d), *map(ww.Out, results), one, a.size,
        grid=-(-a.size // 128), block=128, options=[f"--warpwise-executor={executor}"],
    )  # fmt: skip
    by_one, by_each, rest_by_one, rest_by_each = results
    for got, want in zip((by_one, rest_by_one), truncated(a, np.full_like(a, one)), strict=True):
        np.testing.assert_array_equal(got, want)
    for got, want in zip((by_each, rest_by_each), truncated(a, d), strict=True):
        np.testing.assert_array_equal(got, want)


def of_any_length(rng, dtype, count):
    """As many short numbers as long ones."""
    bits = np.dtype(dtype).itemsize * 8
    wide = (
        rng.integers(0, 1 << bits, count, dtype=f"u{bits // 8}", endpoint=False)
        if bits < 64
        else rng.integers(0, (1 << 64) - 1, count, dtype=np.uint64, endpoint=True)
    )
    return (wide >> rng.integers(0, bits, count).astype(wide.dtype)).view(dtype)


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("dtype", CXX, ids=CXX.get)
def test_of_random_numbers(run, rng, dtype, executor):
    a, d = (of_any_length(rng, dtype, 4001) for _ in range(2))
    d[d == 0] = 1
    check(run, a, d, d[7], executor)


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("dtype", CXX, ids=CXX.get)
def test_of_the_least_and_greatest_numbers(run, dtype, executor):
    limits = np.iinfo(dtype)
    edges = sorted(
        {limits.min, limits.min + 1, -2, -1, 0, 1, 2, limits.max - 1, limits.max}
        & set(range(-2, 3))
        | {limits.min, limits.min + 1, limits.max - 1, limits.max}
    )
    numbers = np.array([e for e in edges if limits.min <= e <= limits.max], dtype)
    a, d = (m.ravel() for m in np.meshgrid(numbers, numbers[numbers != 0]))
    for one in numbers[numbers != 0]:
        check(run, a, d, one, executor)


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("divisor", [1, 3, 7, 641, 65537, (1 << 31) - 1, -5, -(1 << 20) + 1])
def test_of_multiples_and_their_neighbours(run, rng, executor, divisor):
    most = (1 << 31) // abs(divisor) - 1
    multiples = rng.integers(-most, most, 1000, endpoint=True) * divisor
    a = np.concatenate([multiples - 1, multiples, multiples + 1])
    a = a[(a >= -(1 << 31)) & (a < 1 << 31)].astype(np.int32)
    check(run, a, np.full_like(a, divisor), np.int32(divisor), executor)


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("bits", [32, 48, 49, 50, 51, 52, 53, 62])
@pytest.mark.parametrize("dtype", [np.int64, np.uint64], ids=CXX.get)
def test_of_long_multiples_and_their_neighbours(run, rng, dtype, bits, executor):
    divisor = int(rng.integers(3, 1 << (bits // 2)))
    most = (1 << bits) // divisor
    multiples = rng.integers(1, most, 500, endpoint=True) * divisor
    a = np.concatenate([multiples - 1, multiples, multiples + 1]).astype(dtype)
    check(run, a, np.full_like(a, divisor), dtype(divisor), executor)


# Neighbouring threads have one quotient or two. Starts below 0 and near the end of the type are left
# to the division of any numbers; so are rows that are shorter than a vector.
@pytest.mark.parametrize("width", [1, 7, 15, 16, 17, 100, 1 << 30, (1 << 31) - 1, -20])
@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64], ids=CXX.get)
def test_of_indices_by_the_width_of_a_row(run, dtype, step, width):
    threads, limits = 1000, np.iinfo(dtype)
    width = width if limits.min < 0 else abs(width)
    last = limits.max - (threads - 1) * step
    starts = {0, 5, 990, (1 << 31) - 500, last} | ({-500} if limits.min < 0 else set())
    for start in starts:
        if not limits.min <= start <= last:
            continue
        quotients, rests = np.zeros((2, threads), dtype)
        run(
            f"""typedef {CXX[dtype]} T;
            __global__ void kernel(T *quotients, T *rests, T start, T width, int n) {{
                int t = blockIdx.x * blockDim.x + threadIdx.x;
                if (t >= n || t % 5 == 3) return;
                T i = start + (T)(t * {step});
                quotients[t] = i / width;
                rests[t] = i % width;
            }}""",
            ww.InOut(quotients), ww.InOut(rests), dtype(start), dtype(width), threads,
            grid=8, block=128,
        )  # fmt: skip
        places = np.array([start + t * step for t in range(threads)], dtype)
        dead = np.arange(threads) % 5 == 3
        for got, want in zip((quotients, rests), truncated(places, np.full_like(places, width))):
            np.testing.assert_array_equal(got, np.where(dead, 0, want))


def test_a_dead_thread_may_divide_by_zero(run):
    d = np.array([3, 0] * 64, np.int32)
    out = np.full(128, -7, np.int32)
    run(
        """__global__ void kernel(const int *d, int *out) {
            if (d[threadIdx.x] != 0) out[threadIdx.x] = 100 / d[threadIdx.x];
        }""",
        ww.In(d), ww.InOut(out), block=128,
    )  # fmt: skip
    np.testing.assert_array_equal(out, np.where(d == 0, -7, 33))
