"""Constructs of the language, one by one, against Python's own results on the same inputs."""

from __future__ import annotations

import dataclasses
import enum
import math
import sys
from typing import NamedTuple

import devices
import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda

pytestmark = pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")


@pytest.fixture(autouse=True)
def _on_the_device():
    with ww.Device(devices.NAME):
        yield


@dataclasses.dataclass
class Circle:
    radius: float
    weight: int = 2

    # Methods are no part of what kernels see.


class Span(NamedTuple):
    low: float
    high: float = 10.0


LIMITS = Span(2.0, 8.0)
LAST = np.arange(1.0, 9.0)
DISC = Circle(1.5)


def match_values(x, i):
    match i % 7:
        case 0:
            return 10
        case 1 | 2:
            return 20
        case n if n > 5:
            return n * 100
        case -1 | 3:
            return 30
        case n:
            return n
    return 0


def match_tuples(x, i):
    match (i % 2, i % 3):
        case (0, 0):
            return 1
        case (1, y) if y > 1:
            return 10 + y
        case (a, b):
            return a * 100 + b
    return -1


def match_guards_that_assign(x, i):
    """What a guard assigned, and what its pattern bound, is there where the guard was false."""
    n = -1
    match i % 3:
        case 0 if (x := x + 10) > 15:
            x = 100.0
        case n if (x := x + 1) > 4:
            x = -x
    return x * 1000 + n


def match_none_and_bools(x, i):
    match i % 2 == 0:
        case True:
            return 5
        case False:
            return 7
    return 0


def make_dataclasses(x, i):
    one = Circle(x)
    two = Circle(radius=x + 1, weight=i)
    return one.radius * one.weight + two.radius * two.weight + DISC.radius * DISC.weight


def make_named_tuples(x, i):
    span = Span(x)
    other = Span(high=x * 2, low=-x)
    low, high = other
    return span.low + span.high + low * 3 + high + LIMITS.high - LIMITS[0] + len(span)


def local_functions(x, i):
    shift = x * 2

    def moved(value, by=3):
        return value + by + shift

    def twice(value):
        return moved(moved(value), by=1)

    triple = lambda value: 3 * value  # noqa: E731
    return twice(x) + triple(i) + moved(by=i, value=x)


def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def recursions(x, i):
    return factorial(i % 12) + is_even(i) * 1000 + ackermann(i % 3, 2)


def while_else(x, i):
    n = i
    while n > 1:
        if n % 5 == 0:
            found = n
            break
        n -= 3
    else:
        found = -n
    return found


def for_else(x, i):
    for divisor in range(2, i):
        if i % divisor == 0:
            result = divisor
            break
    else:
        result = 0
    for divisor in (3, 5, 7):
        if i % divisor == 0:
            continue
        result += divisor * 10
    return result


def nested_loops(x, i):
    total = 0
    for a in range(i % 5):
        for b in range(a, 6):
            if (a + b) % 4 == 3:
                break
            if b % 2:
                continue
            total += a * b + 1
        else:
            total += 1000
    return total


def indices_that_descend_below_zero(x, i):
    table = (x, x * 3, x + 5, x - 7)
    total = 0
    for k in range(i % 3, -3, -1):
        total = total * 2 + LAST[k]
    for k in range(1, -2, -1):
        total = total * 2 + LAST[k]
    return total + table[0]


def operands_of_and_or(x, i):
    return (i % 3 or x) + (i % 2 and 7) + ((x > 2 and i) or 3)


def unpacking(x, i):
    a, (b, *c), d = i, (x, 2, 3), 4
    a, b = b, a
    (e, f), g = (a, b), c
    return a * 2 + b * 3 + d + e * f + g[0] * 100 + g[1]


def comparisons(x, i):
    return (0 < x < i) + (i != 3 != x) * 10 + (1 <= i % 5 <= 3 < 4) * 100 + (i in (1, 4, 6)) * 1000


def conversions(x, i):
    return int(x) + float(i) + bool(i % 2) + round(x, 1) + abs(-i) + divmod(i, 3)[1] + pow(i, 2)


def floor_arithmetic(x, i):
    return (x - 5) // 0.1 + (x - 5) % 0.7 + (i - 9) // 4 * 10 + (i - 9) % 4 + (-i) ** 3


def enumerated(x, i):
    total = 0
    for place, value in enumerate((x, i, 2.5), start=1):
        total += place * value
    for a, b in zip((1, 2, 3), (x, 4, i), strict=False):
        total += a * b
    for value in reversed((1, 10, 100)):
        total = total * 0.5 + value
    return total


def walrus_and_conditions(x, i):
    total = 0
    while (left := i - total) > 3:
        total += left // 2
    return (y := total * 2) + y + (1 if (z := x) > 2 else 0) + z


def keyword_arguments(x, i):
    def combine(a, b=2, *, c=3, d):
        return a + 10 * b + 100 * c + 1000 * d

    return combine(x, d=1) + combine(i, c=5, d=2, b=7) + combine(*(1, 2), d=3)


def math_functions(x, i):
    return (
        math.hypot(x, i) + math.gcd(i, 12) + math.floor(x) + math.copysign(1.5, -x) + math.isqrt(i)
    )


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Shade(enum.Enum):
    DARK = "dark"
    LIGHT = 3.5


def members_of_enums(x, i):
    level = Level.HIGH if i % 2 else Level.LOW
    total = level + 10 * (level is Level.HIGH) + 100 * (Level.LOW is not level)
    if level is Level.LOW and i % 3 is not None:
        total += 1000
    return total + Level["HIGH"] * Shade.LIGHT.value + (x > Level.HIGH)


FUNCTIONS = [
    match_values, match_tuples, match_guards_that_assign, match_none_and_bools,
    make_dataclasses, make_named_tuples,
    local_functions, recursions, while_else, for_else, nested_loops,
    indices_that_descend_below_zero, operands_of_and_or, unpacking,
    comparisons, conversions, floor_arithmetic, enumerated, walrus_and_conditions,
    keyword_arguments, math_functions, members_of_enums,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_constructs(function):
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = function(x[i], i)

    x = np.linspace(0.25, 9.75, 40)
    out = np.full(40, np.nan)
    kernel[2, 32](x, out)
    expected = np.array([function(float(value), i) for i, value in enumerate(x)], float)
    np.testing.assert_allclose(out, expected, rtol=1e-14)


def test_formatted_output(capfd):
    @cuda.jit
    def shows(x, n):
        print(
            f"{n:4d}|{x:.2f}|{x:8.3e}|{n:x}|{n:05d}",
            "and",
            x,
            n,
            True,
            (1, 2.5),
            sep="/",
            end="!\n",
        )
        print(f"{'text'} {n}%", None)
        print()

    shows[1, 1](2.5, 42)
    cuda.synchronize()
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "  42|2.50|2.500e+00|2a|00042/and/2.500000/42/True/(1, 2.500000)!"
    assert lines[1] == "text 42% None"
    assert lines[2] == ""


def test_the_first_axis_is_the_length():
    @cuda.jit
    def kernel(x, out):
        out[0] = len(x)

    out = np.zeros(1, np.int64)
    kernel[1, 1](np.zeros((3, 5)), out)
    assert out[0] == 3


@pytest.mark.parametrize("count", [1, 3])
def test_divmod_takes_two(count):
    numbers = (7,) * count

    @cuda.jit
    def kernel(out):
        out[0] = divmod(*numbers)[0]

    with pytest.raises(ww.CompileError, match=r"divmod\(\) takes two"):
        kernel[1, 1](np.zeros(1))


def test_indices_below_a_number_may_be_negative():
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        if i < x.size:
            j = i - 5
            if i > j:
                out[0, i] = x[j]
            if j < i:
                out[1, i] = x[j]
            if j <= i:
                out[2, i] = x[j]

    x = np.arange(40.0)
    out = np.zeros((3, 40))
    kernel[2, 32](x, out)
    assert np.array_equal(out, np.tile(np.roll(x, 5), (3, 1)))


def test_a_branch_that_returns_gives_its_variables_to_nobody():
    @cuda.jit(device=True)
    def chosen(i):
        value = (1, 2)
        if i > 3:
            value = 3.5
        else:
            return -1.0
        return value + 1

    @cuda.jit
    def kernel(out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = chosen(i)

    out = np.zeros(8)
    kernel[1, 32](out)
    assert out.tolist() == [-1.0] * 4 + [4.5] * 4


def test_functions_are_called_for_what_they_do():
    @cuda.jit(device=True)
    def count(x):
        cuda.atomic.add(x, 0, 1)

    @cuda.jit(device=True)
    def twice(x):
        count(x)
        count(x)

    @cuda.jit
    def kernel(x):
        twice(x)

    x = np.zeros(1, np.int64)
    kernel[1, 32](x)
    assert x[0] == 64


def test_struct_sequences_have_fields():
    @cuda.jit
    def kernel(out):
        out[0] = sys.float_info.epsilon
        out[1] = sys.float_info[0]
        out[2] = sys.int_info.bits_per_digit

    out = np.zeros(3)
    kernel[1, 1](out)
    assert list(out) == [sys.float_info.epsilon, sys.float_info.max, sys.int_info.bits_per_digit]
