"""Classes whose values are made, compared or ordered by rules of their own, and calls that Python
refuses: kernels do as Python, or refuse them.
"""

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda


@dataclasses.dataclass(init=False)
class Doubled:
    a: int

    def __init__(self, v):
        self.a = v * 2


@dataclasses.dataclass
class Plain:
    a: int


class Tripled(Plain):
    def __init__(self, v):
        self.a = v * 3


class Point(NamedTuple):
    x: int
    y: int = 7


class Moved(Point):
    def __new__(cls, x):
        return super().__new__(cls, x * 2, 1)


class Named(Point):
    pass


@dataclasses.dataclass(eq=False)
class Unique:
    a: int


@dataclasses.dataclass
class Tagged:
    a: int
    tag: int = dataclasses.field(default=3, compare=False)


class ByY(NamedTuple):
    x: int
    y: int

    def __lt__(self, other):
        return self.y < other.y


def makes_doubled(out):
    out[0] = Doubled(4).a


def makes_tripled(out):
    out[0] = Tripled(4).a


def makes_moved(out):
    out[0] = Moved(4).x


def compares_unique(out):
    out[0] = Unique(1) == Unique(1)


def sorts_by_y(out):
    out[0] = sorted((ByY(3, 1), ByY(1, 9)))[0].x


def by_position(a, /, b):
    return a * 10 + b


def calls_by_keyword(out):
    out[0] = by_position(a=1, b=2)


def indexes_by_a_bool(out):
    out[out[0] > 5] = 7


@pytest.mark.parametrize(("function", "words"), [
    (makes_doubled, "the class Doubled cannot be called"),
    (makes_tripled, "the class Tripled cannot be called"),
    (makes_moved, "the class Moved cannot be called"),
    (compares_unique, "values of Unique are equal to themselves only"),
    (sorts_by_y, r"sorted\(\) does not call ByY.__lt__"),
    (calls_by_keyword, "'by_position' takes its argument 'a' by position only"),
    (indexes_by_a_bool, r"NumPy takes a bool in an index for a new axis; convert it with int\(\)"),
])  # fmt: skip
def test_what_would_differ_is_refused(function, words):
    with pytest.raises((ww.CompileError, ww.UnsupportedError), match=words):
        cuda.jit(function)[1, 1](np.zeros(4))


def compares_tagged(out):
    out[0] = Tagged(1, 2) == Tagged(1, 5)
    out[1] = Tagged(1, 2) == Tagged(2, 2)


def makes_named(out):
    out[0] = Named(4).x * Named(1).y


def indexes_tuples_by_bools(out):
    choice = (10, 20)
    numbers = [5, 6]
    numbers[True] = 8
    out[0] = choice[bool(out[1] == 0)]
    out[1] = numbers[1]


@pytest.mark.parametrize("function", [compares_tagged, makes_named, indexes_tuples_by_bools])
def test_what_is_accepted_is_as_in_python(function):
    expected, out = np.zeros(4), np.zeros(4)
    function(expected)
    cuda.jit(function)[1, 1](out)
    assert list(out) == list(expected)
