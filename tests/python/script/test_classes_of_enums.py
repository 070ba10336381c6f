"""Classes of enums in kernels: loops over them, calls of them, and dicts whose keys are members."""

from __future__ import annotations

import enum
import types

import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda

pytestmark = pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")


class Color(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = -7
    CRIMSON = 1  # noqa: PIE796


class Weight(enum.Enum):
    LIGHT = 1.5
    HEAVY = 2.5


class Mixed(enum.Enum):
    NUMBER = 1
    TEXT = "b"


class Level(enum.IntEnum):
    LOW = 3
    HIGH = 5


class Access(enum.Flag):
    READ = 1
    WRITE = 2
    RUN = 8


class Lenient(enum.Enum):
    ONE = 1

    @classmethod
    def _missing_(cls, value):
        return cls.ONE


palette = types.SimpleNamespace(Color=Color)
PRICES = {Color.RED: 0.5, Color.GREEN: 1.5, Color.BLUE: 7}
LEVELS = {Level.LOW: 10, Level.HIGH: 20}


def loops(x, out):
    for i, color in enumerate(Color):
        out[i] = color.value + (color is Color.GREEN)
    for level in Level:
        out[3] = out[3] * 10 + level
    for kind, weight in zip(Mixed, Weight):
        out[4] += weight.value * (2 if kind is Mixed.TEXT else 1)
    out[5] = sum(one.value for one in palette.Color if one is not Color.RED)
    out[6] = len(Color) + 10 * len(list(Level))
    out[7] = max(one.value for one in Weight) + (Color.RED in Color)


def names(x, out):
    for i, (name, color) in enumerate(Color.__members__.items()):
        out[i] = color.value + 100 * len(name)


def flags(x, out):
    both = Access(int(x[0]) + 8)
    out[0] = both.value
    out[1] = Access.RUN in both
    out[2] = Access(0).value
    out[3] = Access(-6).value
    out[4] = len(Access)


def dicts(x, out):
    color = Color.RED
    for i in range(3):
        out[i] = PRICES[color] + {Color.RED: 10, Color.BLUE: i}.get(color, -1)
        color = Color.BLUE if i == 0 else Color.GREEN
    out[3] = PRICES[Color.BLUE] + LEVELS[Level.HIGH] + LEVELS[3]
    for one, price in PRICES.items():
        out[4] = 3 * out[4] + one.value * price
    out[5] = (Color.RED in PRICES) + 2 * (Color.GREEN in {Color.RED: 1}) + 4 * (Color(2) in PRICES)
    for key in PRICES:
        out[6] = 3 * out[6] + key.value
    out[7] = sum(level for level in LEVELS)


def local_names(x, out):
    def inner(Color):  # noqa: N803
        total = 0
        for one in Color:
            total += one
        return total

    out[1] = inner((3, 4))
    PRICES = {"near": 3}  # noqa: N806
    out[2] = PRICES["near"]


@pytest.mark.parametrize("function", [loops, names, flags, dicts, local_names])
def test_classes_of_enums_are_those_of_python(function):
    x = np.array([2, -7, 2])
    expected, out = np.zeros(8), np.zeros(8)
    function(x, expected)
    cuda.jit(function)[1, 1](x, out)
    assert list(out) == list(expected)


def test_a_call_makes_the_member_of_the_value():
    def of_values(x, out):
        for i in range(x.size):
            color = Color(x[i])
            out[i] = 5 if color is Color.GREEN else color.value
        out[3] = Weight(2.5).value + Level(x[0] + 1)
        out[4] = Mixed("b") is Mixed.TEXT
        out[5] = palette.Color(-7).value

    x = np.array([2, -7, 1])
    expected, out = np.zeros(8), np.zeros(8)
    of_values(x, expected)
    cuda.jit(of_values)[1, 1](x, out)
    assert list(out) == list(expected)


def test_another_value_ends_the_thread():
    def of_value(x, out):
        out[0] = 1
        out[1] = Color(x[0]).value

    out = np.zeros(2)
    cuda.jit(of_value)[1, 1](np.array([3]), out)
    assert list(out) == [1, 0]


def test_another_value_is_a_value_error_with_debug():
    def of_value(x, out):
        out[1] = Color(x[0]).value

    with pytest.raises(ValueError, match="this is not a valid Color"):
        cuda.jit(of_value, debug=True, opt=False)[1, 1](np.array([3]), np.zeros(2))


def own_way(out):
    out[0] = Lenient(5).value


def keys_of_two_enums(out):
    out[0] = {Color.RED: 1, Weight.LIGHT: 2}[Color.RED]


def lacking(out):
    out[0] = {Color.RED: 1}[Color.BLUE]


def of_a_number(out):
    out[0] = {Color.RED: 1}[int(out[0])]


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (own_way, "the class Lenient cannot be called in a kernel"),
        (keys_of_two_enums, "the keys of a dict are members of one enum in kernels, or none"),
        (lacking, "the dict lacks this member of the enum"),
        (of_a_number, "is equal to its own members only, and never to int64"),
    ],
)
def test_other_uses_of_enums_are_refused(function, words):
    with pytest.raises((ww.CompileError, ww.UnsupportedError), match=words):
        cuda.jit(function)[1, 1](np.zeros(4))


TUPLES = {(1, 2): 3}


def global_dict_of_tuples(out):
    out[0] = TUPLES[(1, 2)]


def test_a_dict_with_other_keys_says_which_kernels_take():
    with pytest.raises(ww.CompileError, match="a dict of 1 keys; those of kernels have 1 to 256"):
        cuda.jit(global_dict_of_tuples)[1, 1](np.zeros(4))
