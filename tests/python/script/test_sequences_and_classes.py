"""Loops over sequences of all kinds, *args, isinstance(), and classes as Python has them."""

from __future__ import annotations

import dataclasses
import math
import operator
from typing import NamedTuple

import numpy as np
import pytest
from refused_lines import expect_refused

import warpwise as ww
from warpwise import cuda

pytestmark = pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")


def result_of(function, *arguments):
    """What a kernel's call of the function stores, of type float64."""

    @cuda.jit
    def kernel(out, arguments):
        out[0] = function(*arguments)

    out = np.full(1, -1.0)
    kernel[1, 1](out, arguments)
    return out[0]


def assert_same(function, *arguments):
    assert result_of(function, *arguments) == function(*arguments)


WEIGHTS = (0.5, 2, 4)
NAMES = ("x", "yy", "x")


def zipped_with_an_array(values):
    total = 0.0
    for weight, value in zip(WEIGHTS, values):
        total = total * 3 + weight * value
    return total


def zipped_with_a_range(n):
    total = 0.0
    for i, weight in zip(range(1, n), WEIGHTS):
        total += i * weight
    return total


def numbered_pairs():
    total = 0.0
    for i, (name, weight) in enumerate(zip(NAMES, WEIGHTS), 1):
        if name == "x":
            total += i * weight
    return total


def backwards():
    total = 0.0
    for i, weight in enumerate(reversed(WEIGHTS)):
        total = total * 10 + weight * i
    for name, i in zip(reversed(NAMES), range(5, -5, -2)):
        total += i * len(name)
    return total


def letters():
    total = 0
    for letter in "aΩa":
        total = total * 2 + (1 if letter == "a" else 0)
    for i, letter in enumerate("ab"):
        total += i * ord(letter)
    return total


def reversed_range_and_array(n, values):
    total = 0.0
    for i in reversed(range(n)):
        total = total * 2 + i
    for i, value in enumerate(reversed(values)):
        total += i * value
    return total


def leaving_a_loop_over_pairs(values):
    for i, (weight, value) in enumerate(zip(WEIGHTS, values)):
        if value > weight * i:
            break
    else:
        i = 17
    return i


def pairs_of_a_function(x):
    total = 0
    for i, part in enumerate(divmod(x, 7)):
        total += (i + 1) * part
    return total


def first_divisor(n):
    for divisor in range(2, n):
        if n % divisor == 0:
            return divisor
    else:
        return -1


def is_listed(n):
    while n > 20:
        if n in {25, 30}:
            return n
        n -= 1
    else:
        for one in (3, 5):
            if n % one == 0:
                return one
        else:
            return 1 if n not in {7, 11} else 2


VALUES = np.array([3.0, 1.0, 2.0, 8.0])


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (zipped_with_an_array, (VALUES,)),
        (zipped_with_an_array, (VALUES[:2],)),
        (zipped_with_a_range, (3,)),
        (zipped_with_a_range, (9,)),
        (numbered_pairs, ()),
        (backwards, ()),
        (letters, ()),
        (reversed_range_and_array, (5, VALUES)),
        (leaving_a_loop_over_pairs, (VALUES,)),
        (leaving_a_loop_over_pairs, (-VALUES,)),
        (pairs_of_a_function, (38,)),
        (first_divisor, (35,)),
        (first_divisor, (37,)),
        (is_listed, (33,)),
        (is_listed, (24,)),
        (is_listed, (7,)),
        (is_listed, (14,)),
    ],
)
def test_loops(function, arguments):
    assert_same(function, *arguments)


def test_a_loop_over_the_characters_of_a_string():
    @cuda.jit
    def kernel(words, out):
        i = cuda.grid(1)
        for k, code in enumerate(words[i]):
            out[i] += (k + 1) * code

    words, out = np.array([b"", b"a", b"bcd"], "S4"), np.zeros(3, np.int64)
    kernel[1, 3](words, out)
    assert out.tolist() == [sum((k + 1) * code for k, code in enumerate(one)) for one in words]


# --- *args.


def sum_of(first, *rest, scale=1):
    total = first * scale
    for one in rest:
        total += one * scale
    return total


def applied(function, *arguments):
    return function(*arguments) + len(arguments)


def test_functions_with_any_number_of_arguments():
    assert_same(lambda x: sum_of(x) + sum_of(x, 2, 0.5, scale=3) + sum_of(1, *WEIGHTS), 4)
    assert_same(lambda x, y: applied(math.hypot, x, y) + applied(sum_of, x, y, 1), 3.0, 4.0)
    assert_same(lambda x: applied(lambda *all: all[0] - all[-1], x, 7, 2.5), 10)


def test_kernels_with_any_number_of_arrays():
    @cuda.jit
    def total(out, *arrays):
        i = cuda.grid(1)
        if i < out.size:
            for array in arrays:
                out[i] += array[i]

    out = np.zeros(4)
    total[1, 4](out, VALUES, np.arange(4), np.ones(4, np.float32))
    assert out.tolist() == (VALUES + np.arange(4) + 1).tolist()
    total[1, 4](out)
    assert out.tolist() == (VALUES + np.arange(4) + 1).tolist()


# --- isinstance().


class Point(NamedTuple):
    x: float
    y: float = 2.0


@dataclasses.dataclass
class Circle:
    radius: float

    unit = 1.0

    @classmethod
    def of_area(cls, area, scale=1.0):
        return cls(scale * math.sqrt(area / math.pi) * cls.unit)

    @classmethod
    def pair(cls, area):
        return cls.of_area(area), cls.of_area(area, scale=2.0)

    @staticmethod
    def area_of(radius):
        return math.pi * radius * radius

    def grown(self):
        return self.of_area(2 * self.area_of(self.radius))


@dataclasses.dataclass
class Ball(Circle):
    weight: float = 3.0


def kind(value):
    if isinstance(value, bool):
        return 1
    if isinstance(value, int):
        return 2
    if isinstance(value, (float, np.floating)):
        return 3
    if isinstance(value, Point):
        return 4 + value.x
    if isinstance(value, tuple) and len(value) == 2:
        return 5 + value[1]
    if isinstance(value, Circle | Ball):
        return 6 + value.radius
    if isinstance(value, np.ndarray):
        return 7 + value[0]
    return 8 if isinstance(value, str) else 9


@pytest.mark.parametrize(
    "value",
    [True, 3, 2.5, np.float32(1), Point(0.5), (1, 2), (1, 2, 3), Circle(0.25), Ball(0.5), VALUES,
     "text", b"bytes", 1j],
    ids=repr,
)  # fmt: skip
def test_isinstance_chooses_branches(value):
    assert_same(kind, value)


def test_isinstance_with_types_of_numpy():
    @cuda.jit
    def kernel(x, out):
        out[0] = isinstance(x[0], np.int32)
        out[1] = isinstance(x[0], np.integer)
        out[2] = isinstance(x[0], (np.unsignedinteger, np.inexact))
        out[3] = isinstance(x[0], np.number) and not isinstance(x, tuple)

    for dtype in ("int32", "int64", "uint8", "float32", "complex64"):
        out = np.zeros(4, bool)
        kernel[1, 1](np.zeros(1, dtype), out)
        value = np.zeros(1, dtype)[0]
        kinds = (np.int32, np.integer, (np.unsignedinteger, np.inexact), np.number)
        assert out.tolist() == [isinstance(value, one) for one in kinds]


def test_class_methods():
    assert_same(lambda area: Circle.of_area(area).radius, 2.0)
    assert_same(lambda area: Circle.pair(area)[1].radius, 2.0)
    assert_same(lambda circle: circle.grown().radius + circle.area_of(1.0), Circle(1.5))
    assert_same(lambda area: Ball.of_area(area).weight, 2.0)
    assert_same(lambda radius: Circle.area_of(radius), 1.5)


def test_repeated_tuples():
    assert_same(lambda x: sum(3 * (x, 2)) + len((x,) * 4), 5)


def test_tuples_are_repeated_by_constants():
    with pytest.raises(ww.CompileError, match="repeat tuples by constants of up to 64"):
        result_of(lambda x: ((1,) * x)[0], 2)


@dataclasses.dataclass
class Sums:
    count: int = 4
    total: float = 0.5


class Limits(NamedTuple):
    low: float = -1.5
    high: int = 3


def test_classes_whose_fields_all_have_defaults():
    assert_same(lambda x: Sums().count + Sums().total + x, 1)
    assert_same(lambda x: Limits().low + Limits()[1] + x, 1)


def test_a_field_of_a_dataclass_is_not_assigned():
    def function(x):
        sums = Sums()
        sums.count = x
        return sums.count

    with pytest.raises(ww.UnsupportedError, match="kernels change no fields of a dataclass"):
        result_of(function, 1)


# --- Patterns.


def matched(value):
    match value:
        case Ball(radius, weight):
            return radius + weight
        case Circle(radius=radius):
            return radius
        case Point(x, 2.0):
            return 10 + x
        case (0, y) | (y, 0):
            return 20 + y
        case (first, *_, last):
            return 30 + first + last
        case bool():
            return 40
        case int(whole):
            return 50 + whole
        case float() as real:
            return 60 + real
        case str():
            return 70
    return 80


@pytest.mark.parametrize(
    "value",
    [Circle(1.5), Ball(1.5), Point(3.0), Point(0.0, 4.0), (0, 3), (3, 0), (1, 2, 3), (5,), True, 7,
     2.5, "text", b"ab", 1j],
    ids=repr,
)  # fmt: skip
def test_patterns(value):
    assert_same(matched, value)


def test_arrays_are_no_sequences_of_patterns():
    def function(values):
        match values:
            case (a, b, c, d):
                return a + b + c + d
            case _:
                return values[0]

    # Whatever a program has registered as a collections.abc.Sequence.
    assert result_of(function, VALUES) == VALUES[0]


def another_point():
    class Point(NamedTuple):
        x: float
        y: float = 2.0

    return Point


def test_classes_of_one_name_are_two():
    other = another_point()
    assert_same(kind, other(1.5))
    assert_same(matched, other(1.5, 2.0))


# --- Indices and functions that take tuples.


def test_named_tuples_as_indices():
    class Cell(NamedTuple):
        row: int
        column: int

    @cuda.jit
    def kernel(table, counts, cell):
        table[cell] += 1
        table[cell.row] *= 2
        cuda.atomic.add(counts, cell, table[cell])
        counts[cell[::-1]] = 5

    table, counts = np.ones((2, 3)), np.zeros((3, 3))
    kernel[1, 1](table, counts, Cell(1, 2))
    assert table.tolist() == [[1, 1, 1], [2, 2, 4]]
    assert counts[1, 2] == 4 and counts[2, 1] == 5


@pytest.mark.parametrize(
    "function",
    [
        lambda n, k: math.comb(n, k),
        lambda n, k: math.perm(n, k),
        lambda n, k: math.perm(n),
        lambda n, k: math.factorial(n),
        lambda n, k: math.isqrt(n),
    ],
)
def test_a_thread_ends_at_numbers_that_a_function_does_not_take(function):
    @cuda.jit
    def kernel(out, n, k):
        i = cuda.grid(1)
        out[i] = function(n[i], k[i])

    n, k = np.array([5, -1, 7, 4, 0]), np.array([2, 1, -1, 9, 0])
    out = np.full(5, -7)
    kernel[1, 5](out, n, k)
    for i in range(5):
        try:
            expected = function(int(n[i]), int(k[i]))
        except ValueError as error:
            expected = -7  # the thread ended before it stored anything
            checked = cuda.jit(kernel.py_func, debug=True, opt=False)
            with pytest.raises(
                ValueError, match=str(error).replace("(", r"\(").replace(")", r"\)")
            ):
                checked[1, 1](out.copy(), n[i:], k[i:])
        assert out[i] == expected


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("y = x[circle]", "Circle is a dataclass, whose values have fields but no items"),
        ("cuda.atomic.add(x, circle, 1)", "Circle is a dataclass"),
        ("y = math.dist(circle, (1,))", "Circle is a dataclass"),
        ("y = isinstance(x, operator.add)", "isinstance() takes classes of numbers, of NumPy"),
        ("y = (lambda a, *b: a)()", "lacks its argument 'a'"),
        ("y = (lambda *b: 1)(b=2)", "has no parameter 'b'"),
        ("y = Circle.area_of()", "'area_of' lacks its argument 'radius'"),
    ],
)
def test_what_is_refused(tmp_path, line, message):
    names = {"circle": Circle(1.0), "Circle": Circle, "math": math, "cuda": cuda}
    expect_refused(tmp_path, line, "pass", names | {"operator": operator}, message)


def test_keyword_arguments_are_not_gathered():
    with pytest.raises(ww.UnsupportedError, match=r"takes \*\*kwargs, which kernels cannot pass"):
        result_of(lambda x: (lambda **named: 1)(a=x), 1)
