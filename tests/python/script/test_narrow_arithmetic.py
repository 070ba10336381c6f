"""Whole numbers that end in fewer bits than they are computed with."""

from __future__ import annotations

import linecache
import re
from typing import Any

import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda
from warpwise.cuda.types import float32, int8, int32, uint32

EXPRESSIONS = [
    "a + b * 3 - 7",
    "-a",
    "~a ^ b",
    "(a << 13) ^ b",
    "a << 31",
    "a << 32",
    "a << 40 | b",
    "(a + b) >> 1",
    "(a * b) >> 3",
    "a >> 5",
    "a >> 31",
    "a >> 33",
    "a * 2654435761 + 0x1_0000_0001",
    "(a & 0xFFFFFFFF) >> 4",
    "(a ^ b) + (w << 3)",
    "(w + a) >> 7",
    "w - b",
    "(w >> 20) + a",
    "a * b + w * 5",
    "(a << (b & 7)) + b",
    "a % 7 + b",
    "-(a - b) * (a | b)",
    "(a == b) + (a << 2)",
]
NUMBERS = [
    0,
    1,
    -1,
    2,
    7,
    -128,
    127,
    255,
    1 << 15,
    -(1 << 15),
    (1 << 31) - 1,
    -(1 << 31),
    123456789,
]
WIDE = [0, -1, 1 << 31, 1 << 32, -(1 << 40) + 12345, (1 << 62) + 987654321]


def wrapped(number: int, kind: type) -> int:
    bits = np.dtype(kind).itemsize * 8
    low = number & ((1 << bits) - 1)
    return low - (1 << bits) if np.iinfo(kind).min < 0 and low >> (bits - 1) else low


def as_written(kind: type, values: list[int]) -> np.ndarray:
    return np.array([wrapped(value, kind) for value in values], kind)


def kernel(expression: str) -> Any:
    text = (
        "def kernel(a, b, w, out):\n"
        "    i = cuda.grid(1)\n"
        "    if i < out.size:\n"
        "        out[i] = value(a[i], b[i], w[i])\n"
    )
    function = f"def value(a, b, w):\n    return {expression}\n"
    scope: dict[str, Any] = {"cuda": cuda}
    for name, one in (("value", function), ("kernel", text)):
        file = f"<narrow {name} {expression}>"
        linecache.cache[file] = (len(one), None, one.splitlines(True), file)
        exec(compile(one, file, "exec"), scope)
    return cuda.jit(scope["kernel"])


@pytest.mark.parametrize("kind", [np.int32, np.uint32, np.int8, np.uint16])
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_results_are_the_last_bits_of_what_python_computes(expression: str, kind: type) -> None:
    one = kernel(expression)
    # NumPy's own operators join int64 and uint64 to float64: these columns are of what joins.
    for left in (np.int32, np.uint32, np.int8):
        count = len(NUMBERS) ** 2
        a = np.repeat(as_written(left, NUMBERS), len(NUMBERS))
        b = np.tile(as_written(np.int16, NUMBERS), len(NUMBERS))
        w = np.resize(np.array(WIDE, np.int64), count)
        out = np.zeros(count, kind)
        one[4, 64](a, b, w, out)
        value = eval(f"lambda a, b, w: {expression}")
        # Each operation is of 64 bits: what is beyond them has no influence on the last ones, but
        # behind >>.
        expected = []
        for x, y, z in zip(a.tolist(), b.tolist(), w.tolist(), strict=True):
            expected.append(wrapped(value(*(Wrapping(v) for v in (x, y, z))).number, kind))
        np.testing.assert_array_equal(out, np.array(expected, kind), err_msg=f"{left} {expression}")


class Wrapping:
    """A number of 64 bits."""

    def __init__(self, number: int) -> None:
        self.number = wrapped(int(number), np.int64)

    def _with(self, other: Any, name: str) -> Wrapping:
        number = other.number if isinstance(other, Wrapping) else other
        return Wrapping(getattr(self.number, name)(number))

    def _from(self, other: Any, name: str) -> Wrapping:
        return Wrapping(getattr(other, name)(self.number))

    def __eq__(self, other: Any) -> Any:
        return Wrapping(self.number == other.number)

    def __neg__(self) -> Wrapping:
        return Wrapping(-self.number)

    def __invert__(self) -> Wrapping:
        return Wrapping(~self.number)


def _operators() -> None:
    for name in ("add", "sub", "mul", "mod", "and", "or", "xor", "lshift", "rshift"):
        setattr(Wrapping, f"__{name}__", lambda a, b, n=f"__{name}__": a._with(b, n))
        setattr(Wrapping, f"__r{name}__", lambda a, b, n=f"__{name}__": a._from(b, n))


_operators()


def test_operations_of_32_bits_stay_so() -> None:
    @cuda.jit
    def xorshift(out, steps):
        i = cuda.grid(1)
        s = uint32(i * 2654435761 + 1)
        for _ in range(steps):
            s = uint32(s ^ (s << 13))
            s = uint32(s ^ (s >> 17))
            s = uint32(s ^ (s << 5))
        out[i] = s

    out = np.zeros(64, np.uint32)
    xorshift[1, 64](out, 20)
    s = (np.arange(64, dtype=np.uint64) * 2654435761 + 1).astype(np.uint32)
    for _ in range(20):
        s ^= s << np.uint32(13)
        s ^= s >> np.uint32(17)
        s ^= s << np.uint32(5)
    np.testing.assert_array_equal(out, s)
    (source,) = xorshift.inspect_source().values()
    assert re.search(r"\^ \(s(_\d)? >> 17\)", source)
    assert "unsigned long long" not in source


def test_conversions_are_of_what_they_name() -> None:
    @cuda.jit
    def kernel(a, out, real):
        i = cuda.grid(1)
        out[i] = int32(uint32(a[i] + 1) >> 1) + int8(a[i] * 3)
        real[i] = float32(int32(a[i] * 65537 + a[i]))

    a = np.array([0, 1, -1, 2**31 - 1, -(2**31), 77777, -99], np.int32)
    out, real = np.zeros(len(a), np.int64), np.zeros(len(a), np.float32)
    kernel[1, len(a)](a, out, real)
    wide = a.tolist()
    expected = [
        wrapped(wrapped(v + 1, np.uint32) >> 1, np.int32) + wrapped(v * 3, np.int8) for v in wide
    ]
    np.testing.assert_array_equal(out, expected)
    numbers = [np.float32(wrapped(v * 65537 + v, np.int32)) for v in wide]
    np.testing.assert_array_equal(real, np.array(numbers, np.float32))


def test_debug_kernels_give_the_same() -> None:
    @cuda.jit(debug=True)
    def kernel(a, out):
        i = cuda.grid(1)
        out[i] = ~(a[i] * 3) + (a[i] << 4)

    a = np.arange(-8, 8, dtype=np.int32) * 123456789
    out = np.zeros(16, np.int32)
    kernel[1, 16](ww.asarray(a), out)
    np.testing.assert_array_equal(out, ~(a * 3) + (a << 4))


@cuda.jit
def shift_by_numbers(x, places, scalar, wide, out):
    i = cuda.grid(1)
    if i < x.size:
        by = places[i] * 2 - places[i]
        out[i, 0] = x[i] >> places[i]
        out[i, 1] = (x[i] & 0xFFFFFFFF) >> by
        out[i, 2] = scalar >> by
        out[i, 3] = (scalar >> by) * 8 + (x[i] >> by)
        out[i, 4] = wide[i] >> by
        out[i, 5] = uint32(x[i]) >> by


def test_shifts_by_numbers_of_places_give_what_64_bits_give():
    grid = np.array([(a, by) for a in NUMBERS for by in range(-70, 71)])
    x, places = grid[:, 0].astype(np.int32), grid[:, 1].astype(np.int32)
    scalar = 0x7FFF_1234
    wide = x.astype(np.int64) << 9
    out = np.zeros((len(x), 6), np.int64)
    device = [ww.asarray(a) for a in (x, places, wide, out)]
    shift_by_numbers[len(x) // 64 + 1, 64](device[0], device[1], scalar, device[2], device[3])
    last = np.where(places >= 64, 63, places & 63).astype(np.int64)
    low = x.astype(np.int64) & 0xFFFFFFFF
    columns = [x >> last, low >> last, scalar >> last, None, wide >> last, low >> last]
    columns[3] = columns[2] * 8 + columns[0]
    assert np.array_equal(device[3].get(), np.stack(columns, axis=1))


def test_a_natural_number_of_a_small_launch_is_shifted_in_32_bits():
    arrays = [np.zeros(4, np.int32), np.zeros(4, np.int32)]
    out = np.zeros((4, 6), np.int64)
    shift_by_numbers[1, 4](*arrays, 5, np.zeros(4, np.int64), out)
    (text,) = shift_by_numbers.inspect_source().values()
    assert "__ww_py_shift_right((int)scalar, by)" in text
    assert "__ww_py_shift_right(wide[i], by)" in text


@cuda.jit
def best_of_three(a, b, w, gap, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i, 0] = max(a[i] - gap, w[i], b[i] - gap)
        out[i, 1] = min(min(a[i] + 1, b[i] + 1), w[i] + 1)
        out[i, 2] = max(w[i] - b[i], w[i] - a[i])
        out[i, 3] = min(w[i] - 9, a[i] - 9) + max(gap + a[i], b[i] + gap)


def test_the_greatest_of_sums_with_a_common_term_is_that_of_64_bits():
    limits = np.iinfo(np.int64)
    numbers = [0, 1, -1, 7, (1 << 31) - 1, -(1 << 31)]
    wide = [0, -1, 1 << 31, -(1 << 31) - 5, limits.max, limits.min, limits.min + 8]
    grid = np.array([(a, b, w) for a in numbers for b in numbers for w in wide], np.int64)
    a, b, w = grid[:, 0].astype(np.int32), grid[:, 1].astype(np.int32), grid[:, 2].copy()
    for gap in (1, -3, 1 << 40, limits.min + 1):
        out = np.zeros((len(grid), 4), np.int64)
        best_of_three[len(grid) // 64 + 1, 64](a, b, w, gap, out)
        with np.errstate(over="ignore"):
            x, y = grid[:, 0], grid[:, 1]
            least = np.minimum(np.minimum(x + 1, y + 1), w + 1)
            last = np.minimum(w - 9, x - 9) + np.maximum(gap + x, y + gap)
            greatest = np.maximum(np.maximum(x - gap, w), y - gap)
            expected = [greatest, least, np.maximum(w - y, w - x), last]
        np.testing.assert_array_equal(out, np.stack(expected, axis=1))


def test_numbers_of_which_one_term_is_taken_are_compared_with_32_bits():
    arrays = [np.zeros(4, kind) for kind in (np.int32, np.int32, np.int64)]
    kernel = cuda.jit(best_of_three.py_func)
    kernel[1, 4](*arrays, 5, np.zeros((4, 4), np.int64))
    (text,) = kernel.inspect_source().values()
    assert "__ww_py_max(a[i], b[i]) + gap" in text
    assert "__ww_py_min(w[i] - 9, (long long)a[i] - 9)" in text
