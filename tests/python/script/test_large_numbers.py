"""Whole numbers that pass 64 bits: they go on from the other end, as NumPy's do, and what a kernel
knows of its variables does not say more of their sign."""

from __future__ import annotations

import re

import numpy as np
import pytest

from warpwise import cuda
from warpwise._script import Function

pytestmark = pytest.mark.filterwarnings("ignore:Host array used in CUDA kernel")


def wrapped(value: int) -> int:
    """The last 64 bits, with a sign."""
    return (value + 2**63) % 2**64 - 2**63


def products(x, out):
    i = cuda.grid(1)
    large = i * 3_000_000_000 * 4_000_000_000
    out[i, 0] = (i * 3_000_000_000 * 4_000_000_000) % 7
    out[i, 1] = (i * 3_000_000_000 * 4_000_000_000) // 1000
    out[i, 2] = (i * 3_000_000_000 * 4_000_000_000) >> 60
    out[i, 3] = large % 7
    out[i, 4] = abs(large)
    out[i, 5] = max(large, -1)
    out[i, 6] = 1 if large < x.size else 0
    out[i, 7] = (cuda.threadIdx.x << 31) * 4_000_000_000 % 1000
    out[i, 8] = x[(i * 4_294_967_295) * 4_294_967_297]  # x[-i]
    out[i, 9] = x[(i << 62) >> 61]
    out[i, 10] = x[i * (2**63 - 1) * 2]  # x[-2 * i]
    out[i, 11] = x[(cuda.threadIdx.x << 63) >> 62]


def test_products_and_shifts_of_thread_indices():
    x = np.arange(100, 108)
    out = np.zeros((4, 12), np.int64)
    Function(products)[1, 4](x, out)
    for i in range(4):
        large = wrapped(i * 3_000_000_000 * 4_000_000_000)
        expected = [large % 7, large // 1000, large >> 60, large % 7, abs(large), max(large, -1)]
        expected += [int(large < 8), wrapped((i << 31) * 4_000_000_000) % 1000, x[-i]]
        expected += [x[wrapped(i << 62) >> 61], x[-2 * i], x[wrapped(i << 63) >> 62]]
        assert out[i].tolist() == expected


def loops(x, out):
    a, b = 0, 1
    for _k in range(120):
        a, b = b, a + b
    out[0] = b % 10
    h = 1
    for _k in range(100):
        h += h + 1
    out[1] = h % 10
    t = h = 7
    for k in range(40):
        t = h * 31
        h = t + k
        out[2] += h % 1000
    out[3] = x[h % x.size]
    out[4] = t // 10
    n = 1
    for _k in range(62):
        n += n
    out[5] = x[(n + n) >> 61]
    out[6] = 1 if x[0] > n + n else 0
    seed = 1
    for _k in range(9):
        seed = seed * 1_103_515_245 + 12_345
        out[7] += seed % 1000


def test_numbers_that_grow_in_loops():
    x = np.arange(100, 108)
    out = np.zeros(8, np.int64)
    Function(loops)[1, 1](x, out)
    expected = np.zeros(8, np.int64)
    a, b = 0, 1
    for _k in range(120):
        a, b = b, wrapped(a + b)
    expected[0] = b % 10
    expected[1] = -1 % 10
    t = h = 7
    for k in range(40):
        t = wrapped(h * 31)
        h = wrapped(t + k)
        expected[2] += h % 1000
    expected[3:7] = [x[h % 8], t // 10, x[-4], 1]
    seed = 1
    for _k in range(9):
        seed = wrapped(seed * 1_103_515_245 + 12_345)
        expected[7] += seed % 1000
    np.testing.assert_array_equal(out, expected)


def sums(values, narrow, x, out):
    i = values[0]
    j = values[1]
    if j > i + 5:  # i + 5 has passed 2**63
        out[0] = (j - i) % 7
    if i > 0:
        out[1] = (i + 12_345) % 1000
        out[2] = (i * i) % 10
        out[3] = (i**3) % 10
    least = narrow[0]
    out[4] = x[abs(least)]  # -128 has no absolute value in eight bits
    out[5] = abs(least) % 10
    u = np.int64(narrow[1]) & 255
    out[6] = (u * u * u * u * u * u * u * u * u) % 10


def test_sums_and_powers_of_elements():
    i, j = 2**63 - 3, -(2**63) + 4
    out = np.zeros(7, np.int64)
    narrow = np.array([-128, -1], np.int8)
    Function(sums)[1, 1](np.array([i, j]), narrow, np.arange(300), out)
    expected = [wrapped(j - i) % 7 if j > wrapped(i + 5) else 0, wrapped(i + 12_345) % 1000]
    expected += [wrapped(i * i) % 10, wrapped(i**3) % 10, 300 - 128, -128 % 10]
    assert out.tolist() == [*expected, wrapped(255**9) % 10]


def steps(out, start, count):
    n = 0
    for i in range(start * 4_294_967_296, count, start * 4_294_967_296):
        if n < 4:
            out[n] = i % 10
        n += 1
    out[4] = n


def test_ranges_from_large_numbers():
    out = np.zeros(5, np.int64)
    Function(steps)[1, 1](out, np.uint32(2**31), 5)  # from -2**63 downwards: none
    assert out.tolist() == [0, 0, 0, 0, 0]


def scaled(x, width):
    i = cuda.grid(1)
    if i < x.size:
        return x[i * width + 2 * i] + x[(i + 1) % x.size] + x[i // 2]
    return x[0]


def usual(x, out, width):
    i, j = cuda.grid(2)
    head = 0
    for k in range(out.shape[0]):
        out[k, (k + 1) % out.shape[1]] = x[i * out.shape[1] + j] + x[3 * k + 1]
        head = (head + 1) % 16
        out[k, head] = scaled(x, 3)
    while i < out.shape[0]:
        out[i, i % out.shape[1]] = x[(i << 3) | (j & 7)]
        i += cuda.gridsize(1)


def test_indices_of_usual_sizes_are_taken_as_they_are():
    text = Function(usual).inspect_source("void(float64[::1], float64[:,::1], int64)")
    for name in ("wrap", "mod", "floor_div", "cut_sum", "cut_product"):
        assert f"__ww_py_{name}(" not in text


def powers(x, out):
    i = cuda.grid(1)
    v = x[i]
    out[i, 0] = v % 1
    out[i, 1] = v // 1
    out[i, 2] = v % 2
    out[i, 3] = v // 2
    out[i, 4] = v % 64
    out[i, 5] = v // 64
    out[i, 6] = v % 2**40
    out[i, 7] = v // 2**40
    out[i, 8] = v % 2**62
    out[i, 9] = v // 2**62
    v //= 4
    out[i, 10] = v
    v %= 16
    out[i, 11] = v
    out[i, 12] = (v - 20) % 8
    out[i, 13] = x[(i - 9) % 4]


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32])
def test_quotients_and_remainders_by_powers_of_two_are_floored(dtype: type) -> None:
    info = np.iinfo(dtype)
    random = np.random.default_rng(info.bits)
    values = random.integers(info.min, info.max, 28, dtype, endpoint=True)
    x = np.append(values, np.array([info.min, info.max, 0, 1], dtype))
    out = np.zeros((32, 14), np.int64)
    Function(powers)[1, 32](x, out)
    for i, v in enumerate(x.tolist()):
        expected = [v % 1, v // 1, v % 2, v // 2, v % 64, v // 64, v % 2**40, v // 2**40]
        expected += [v % 2**62, v // 2**62, v // 4, v // 4 % 16]
        expected += [(v // 4 % 16 - 20) % 8, int(x[(i - 9) % 4])]
        assert out[i].tolist() == expected


def test_powers_of_two_need_no_division():
    text = Function(powers).inspect_source("int64[:], int64[:, :]")
    assert "& 63" in text
    assert not re.search(r"__ww_py_(mod|floor_div)| [/%] ", text)


def test_shifts_by_more_than_the_width_have_64_bits():
    text = Function(powers).inspect_source("int32[:], int64[:, :]")
    assert "(long long)v >> 40" in text and "(long long)v >> 62" in text


def search(x, wanted, out):
    low, high = 0, x.size
    while low < high:
        middle = (low + high) // 2
        if x[middle] < wanted[0]:
            low = middle + 1
        else:
            high = middle
    out[0] = low


def test_a_search_by_halves_counts_from_the_start():
    assert "wrap" not in Function(search).inspect_source("int64[:], int64[:], int64[:]")
    x = np.arange(0, 200, 2)
    for wanted in (-1, 0, 77, 78, 198, 500):
        out = np.zeros(1, np.int64)
        Function(search)[1, 1](x, np.array([wanted]), out)
        assert out[0] == np.searchsorted(x, wanted)


def far(x, out):
    near = x[0] & (2**62 - 1)
    for _ in range(2):
        near = (near + near) // 2 + 1
    out[0] = (near + near) % 7
    out[1] = (near + near) // 7


def test_large_masks_stay_large():
    out = np.zeros(2, np.int64)
    Function(far)[1, 1](np.array([2**62 - 1]), out)
    near = 2**62 - 1
    for _ in range(2):
        near = wrapped(near + near) // 2 + 1
    assert out.tolist() == [wrapped(2 * near) % 7, wrapped(2 * near) // 7]


def test_twice_a_large_variable_goes_on_from_the_other_end():
    assert "__ww_py_cut_sum(near, near)" in Function(far).inspect_source("int64[:], int64[:]")
