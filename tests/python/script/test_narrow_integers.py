"""Integers of 64 bits that provably need 32 are computed with 32, with the same results.

Kernels with checks are not changed so: they are what others are compared with."""

from __future__ import annotations

import linecache
import time

import numpy as np
import pytest
from random_integers import arguments, function_of, is_defined

import warpwise as ww
from warpwise import cuda
from warpwise._script import Function, JitOptions


def results(function, out, *arguments, grid=1, block=16):
    """What the kernel writes with 32 bits where they do, and what it writes with 64."""
    found = []
    for debug in (False, True):
        launch = Function(function, options=JitOptions(debug=debug, zero_unset=True))[grid, block]
        given = [ww.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
        x = ww.asarray(np.zeros_like(out))
        launch(x, *given)
        found.append(x.get())
    return found


def text_of(function, *arguments):
    made = Function(function)
    made[1, 1](*arguments)
    (text,) = made.inspect_source().values()
    return text


# --- What is computed.


@pytest.mark.parametrize("seed", range(60))
def test_random_kernels_give_the_same(seed):
    function, integers = function_of(seed)
    given = arguments(seed)
    if not is_defined(function, given, integers):
        pytest.skip("a number passes 64 bits")
    try:
        out = np.zeros(48, [np.int64, np.int32, np.uint8][seed % 3])
        narrow, wide = results(function, out, *given, *integers, grid=2, block=8)
    except ww.CompileError:
        pytest.skip("a variable is int64 and uint64, so float64")
    np.testing.assert_array_equal(narrow, wide)


def sums(out, x, u, n):
    i = cuda.grid(1)
    if i < x.size:
        out[4 * i] = x[i] + x[i]
        out[4 * i + 1] = u[i] * 2 - 1
        total = 0
        for k in range(n):
            total += x[i] - k
        out[4 * i + 2] = total
        out[4 * i + 3] = abs(x[i]) // -1 + (x[i] << 3) - (-x[i])


def test_sums_and_products_of_all_numbers_of_32_bits_have_64():
    ends = np.array([-(2**31), 2**31 - 1, -1, 0, 1, 2**30], np.int32)
    narrow, wide = results(sums, np.zeros(24, np.int64), ends, ends.view(np.uint32), 5)
    np.testing.assert_array_equal(narrow, wide)
    assert narrow[0] == -(2**32) and narrow[2] == -5 * 2**31 - 10


def quotients(out, x, y):
    i = cuda.grid(1)
    if i < x.size:
        out[2 * i] = x[i] // y[i]
        out[2 * i + 1] = x[i] % y[i]


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.uint32])
def test_quotients_round_down(kind):
    numbers = np.array([np.iinfo(kind).min, np.iinfo(kind).max, 7, 0], kind)
    divisors = np.array([np.iinfo(kind).min or 5, np.iinfo(kind).max, 3, -1 % 2**8], np.int64)
    divisors = divisors.astype(kind)
    x, y = (np.ascontiguousarray(a.ravel()) for a in np.meshgrid(numbers, divisors))
    narrow, wide = results(quotients, np.zeros(32, np.int64), x, y)
    np.testing.assert_array_equal(narrow, wide)
    np.testing.assert_array_equal(narrow[::2], x.astype(np.int64) // y.astype(np.int64))


def turns(out, flags, n):
    found = last = 0
    for k in range(n - 1, -1, -1):
        if flags[k] == 1:
            continue
        if flags[k] == 2:
            break
        found += 1
        last = k
    else:
        found = -1
    out[0], out[1] = found, last
    while found < n:
        found += 2 if flags[found] else 1
    out[2] = found


@pytest.mark.parametrize("flags", [[0, 1, 0, 2, 0, 1, 0], [0, 1, 0], [1, 1, 1], [2, 0, 0]])
def test_loops_that_are_left_early(flags):
    given = np.array(flags, np.int8)
    narrow, wide = results(turns, np.zeros(3, np.int64), given, len(flags), block=1)
    np.testing.assert_array_equal(narrow, wide)


def starts(out, x, p, step):
    t = 5 if p > 0 else 2
    for i in range(t - 1, 7):  # written twice, for starts of either sign
        out[0] = out[0] * 3 + x[i - 3]
    for i in range(2**40, t):
        out[0] = i
    for i in range(1, t * 2**40, step):
        out[1] += i % 7
        if i > 50:
            break


@pytest.mark.parametrize(("p", "step"), [(1, 5), (-1, 7), (0, -3), (2, 2**40)])
def test_loops_without_turns_and_with_many(p, step):
    narrow, wide = results(starts, np.zeros(2, np.int64), np.arange(7), p, step, block=1)
    np.testing.assert_array_equal(narrow, wide)
    assert narrow[0] != 0


def flags_apart(out, x):
    flag = x[0] > 0
    if flag ^ True:
        out[0] = 1
    else:
        out[0] = flag * 2**31 * 2


@pytest.mark.parametrize("value", [0, 1])
def test_operators_between_flags_are_no_comparisons(value):
    narrow, wide = results(flags_apart, np.zeros(1, np.int64), np.array([value]), block=1)
    np.testing.assert_array_equal(narrow, wide)
    assert narrow[0] == (2**32 if value else 1)


def scaled(value, factor):
    return value * factor


def calls(out, x):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = scaled(x[i], 3) + scaled(2**20, 2**20)


def test_arguments_of_functions_have_the_bounds_of_all_calls():
    narrow, wide = results(calls, np.zeros(4, np.int64), np.array([1, 200, 255, 0], np.uint8))
    np.testing.assert_array_equal(narrow, wide)
    assert narrow[1] == 600 + 2**40


# --- Which bounds are found.


def ranks(x, out):
    i = cuda.grid(1)
    if i < x.size:
        rank = 0
        for j in range(x.size):
            if x[j] < x[i] or (x[j] == x[i] and j < i):
                rank += 1
        out[rank] = x[i]


def test_counters_of_small_launches_have_32_bits():
    text = text_of(ranks, ww.zeros(4, np.int32), ww.zeros(4, np.int32))
    assert "int i = __ww_py_small_grid_x();" in text
    assert "int rank = 0;" in text and "for (int j = 0;" in text
    assert "long long" not in text
    general = Function(ranks).inspect_source("int32[::1], int32[::1]")
    assert "long long rank = 0;" in general and "for (long long j = 0;" in general


def halves(x, out):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    low, high = 0, x.size
    while low < high:
        middle = (low + high) // 2
        if x[middle] <= i:
            low = middle + 1
        else:
            high = middle
    out[i] = low


def test_searches_by_halves_have_32_bits():
    text = text_of(halves, ww.zeros(4, np.int32), ww.zeros(4, np.int32))
    assert "int middle" in text and "int i = " in text and "(long long)" not in text


def checksum(rows, out):
    crc = np.uint32(0xFFFFFFFF)
    for byte in rows:
        crc ^= byte
        for _ in range(8):
            crc = np.uint32(crc >> 1) ^ (np.uint32(0xEDB88320) if crc & 1 else np.uint32(0))
    out[0] = ~crc


def test_numbers_without_sign_have_32_bits():
    text = text_of(checksum, ww.zeros(4, np.uint8), ww.zeros(1, np.uint32))
    assert "unsigned int crc = 4294967295U;" in text


def divisors(n, out):
    found, d = 0, 2
    while d * d <= n:
        if n % d == 0:
            found += 1
        d += 1
    out[0] = d + found


def test_squares_bound_their_roots():
    text = text_of(divisors, np.int32(97), ww.zeros(1, np.int64))
    assert "int d = 2;" in text
    assert "long long found = 0;" in text  # nobody knows how often it goes around


def warp_sums(out, x, factor):
    i = cuda.grid(1)
    value = x[i] * factor
    offset = 16
    while offset > 0:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, offset)
        offset //= 2
    if cuda.laneid == 0:
        out[i // 32] = value if value & 1 else -value


def test_sums_that_are_stored_with_32_bits_have_32():
    x = np.random.default_rng(5).integers(-(2**31), 2**31, 64).astype(np.int32)
    narrow, wide = results(warp_sums, np.zeros(2, np.int32), x, 12345, grid=2, block=32)
    np.testing.assert_array_equal(narrow, wide)
    text = text_of(warp_sums, ww.zeros(2, np.int32), ww.asarray(x), 3)
    assert "unsigned int value = " in text and "long long value" not in text
    assert "long long value = " in text_of(warp_sums, ww.zeros(2, np.int64), ww.asarray(x), 3)


def draws(out, seeds):
    i = cuda.grid(1)
    if i < out.size:
        state = seeds[i] & 0xFFFFFFFF
        for _ in range(10):
            state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        out[i] = state / 2**32


def test_masked_products_have_32_bits():
    seeds = np.array([1, 2**31, 2**32 - 1, -5], np.int64)
    narrow, wide = results(draws, np.zeros(4), seeds)
    np.testing.assert_array_equal(narrow, wide)
    text = text_of(draws, ww.zeros(4), ww.asarray(seeds))
    assert "unsigned int state" in text and "1664525U" in text


def behind(x, out):
    i = cuda.grid(1)
    if i == 0 or x[i - 1] == 0:
        out[i] = 1


def test_indices_behind_the_first_are_not_from_the_end():
    assert "__ww_py_wrap" not in text_of(behind, ww.zeros(4, np.uint8), ww.zeros(4, np.uint8))


@pytest.mark.parametrize("kernel", [ranks, halves])
def test_kernels_of_small_launches_compile_for_gpus(kernel):
    text = text_of(kernel, ww.zeros(4, np.int32), ww.zeros(4, np.int32))
    assert ww.compile(text, target="sm_90", format="cubin")[:4] == b"\x7fELF"


# --- Launches that are not small.


def size_and_place(x, out, step):
    i = cuda.grid(1)
    if i == x.size - 1 or i == 2**30 - 1:
        out[0] = x.size + step
        out[1] = 2 * i


def test_larger_arrays_and_grids_take_kernels_for_all_launches():
    function = Function(size_and_place)
    small = ww.zeros(1, np.uint8)
    out = ww.zeros(2, np.int64)
    function[1, 1](small, out, 2)
    assert out.tolist() == [3, 0]
    function[2**20, 1024](small, out, 2)
    assert out.tolist() == [3, 2**31 - 2]
    large = ww.broadcast_to(small, (2**40,))
    function[2**20, 1024](large, out, 2)
    assert out.tolist() == [2**40 + 2, 2**31 - 2]
    function[1, 1](ww.broadcast_to(small, (1,)), out, -2)
    assert out[0] == -1


def test_long_functions_are_translated_quickly():
    lines = ["def long(x, out, n):", "    a = b = c = 0"]
    for k in range(60):
        lines.append(f"    for i{k} in range(n):")
        lines.append(f"        for j{k} in range(i{k}):")
        lines.append(f"            a, b, c = (b + {k}) % 7, c + a, max(a, x[b % 9]) - j{k}")
    lines.append("    out[0] = a + b + c")
    scope = {}
    text = "\n".join(lines) + "\n"
    linecache.cache["<long>"] = (len(text), None, text.splitlines(True), "<long>")
    exec(compile(text, "<long>", "exec"), scope)
    start = time.process_time()
    Function(scope["long"]).inspect_source("uint8[::1], int64[::1], int32")
    assert time.process_time() - start < 2
