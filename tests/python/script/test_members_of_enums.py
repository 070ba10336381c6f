"""Members of enums in kernels: those of Enum are no numbers, those of IntEnum are."""

import enum

import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda


class Color(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = -7

    def is_warm(self):
        return self is Color.RED

    @property
    def twice(self):
        return self.value * 2


class Other(enum.Enum):
    RED = 1


class Weight(enum.Enum):
    LIGHT = 1.5
    HEAVY = 2.5


class Mixed(enum.Enum):
    NUMBER = 1
    TEXT = "b"


class Flag(enum.Flag):
    X = 1
    Y = 2
    Z = 4


class Level(enum.IntEnum):
    LOW = 1


def pick(i):
    return Color.GREEN if i > 2 else Color.RED


def equalities(out):
    out[0] = Color.RED == Color.RED
    out[1] = Color.RED == Other.RED
    out[2] = Color.RED != Color.GREEN
    out[3] = pick(3) is Color.GREEN
    out[4] = pick(1) == None  # noqa: E711
    out[5] = pick(1) in (Color.BLUE, Color.RED)
    out[6] = (pick(1), 2) == (Color.RED, 2)


def truth(out):
    zero = Other.RED
    out[0] = 1 if zero else 2
    out[1] = bool(Flag.X & Flag.Y)
    out[2] = not Color.BLUE


def values(out):
    color = Color.RED
    if out[0] == 0:
        color = Color.BLUE
    weight = Weight.LIGHT if out[0] else Weight.HEAVY
    out[0] = color.value
    out[1] = color.twice
    out[2] = color.is_warm()
    out[3] = weight.value * 2
    out[4] = Mixed.TEXT.value == "b"
    out[5] = Color.GREEN.name == "GREEN"
    out[6] = Level.LOW + 1


def places(out):
    kind = Mixed.NUMBER
    if out[0] == 0:
        kind = Mixed.TEXT
    out[0] = kind is Mixed.TEXT
    out[1] = kind == Mixed.NUMBER


def flags(out):
    both = Flag.X | Flag.Z
    out[0] = both.value
    out[1] = (~both).value
    out[2] = Flag.X in both
    out[3] = (Flag.X | Flag.Y) in both
    out[4] = (both ^ Flag.X) == Flag.Z
    both &= ~Flag.Z
    out[5] = both.value


def matches(out):
    for i in range(5):
        match pick(i):
            case Color.RED:
                out[i] = 10
            case Color.GREEN:
                out[i] = 20


def perhaps_none(out):
    best = None
    for i in range(4):
        if i == 2:
            best = Color.GREEN
    if best is not None:
        out[0] = best.value


@pytest.mark.parametrize(
    "function", [equalities, truth, values, places, flags, matches, perhaps_none]
)
def test_members_are_those_of_python(function):
    expected, out = np.zeros(8), np.zeros(8)
    function(expected)
    cuda.jit(function)[1, 1](out)
    assert list(out) == list(expected)


@pytest.mark.parametrize("member", [Color.RED, Color.GREEN])
def test_members_as_arguments_have_their_value(member):
    @cuda.jit
    def kernel(out, color):
        out[0] = color is Color.RED
        out[1] = color.value

    out = np.zeros(2, int)
    kernel[1, 1](out, member)
    assert list(out) == [member is Color.RED, member.value]


def adds(out):
    out[0] = Color.RED + 1


def compares(out):
    out[0] = Color.RED == 1


def orders(out):
    out[0] = Color.RED < Color.GREEN


def stores(out):
    out[0] = Color.RED


def indexes(out):
    out[Color.RED] = 1


def has_items(out):
    (out[0],) = Color.RED


def has_a_length(out):
    out[0] = len(Color.RED)


def converts(out):
    out[0] = int(Color.RED)


def negates(out):
    out[0] = -Color.RED


def prints(out):
    print(Color.RED)


def joins_number_and_flag(out):
    out[0] = (Flag.X | 1).value


def value_of_several_types(out):
    kind = Mixed.NUMBER
    if out[0] == 0:
        kind = Mixed.TEXT
    out[1] = kind.value == 1


@pytest.mark.parametrize(("function", "words"), [
    (adds, r"no \+ for Color\(int64\) and int64; members of enums are no numbers"),
    (compares, "a member of the enum Color is equal to its own members only, and never to int64"),
    (orders, "there is no < for members of the enum Color"),
    (stores, r"an element of float64 cannot be Color\(int64\)"),
    (indexes, "Color is an enum, whose members are no numbers and have no items; use .value"),
    (has_items, "have no items; use .value"),
    (has_a_length, "have no items; use .value"),
    (converts, r"takes a number, got Color\(int64\)"),
    (negates, r"there is no - for Color\(int64\)"),
    (prints, r"cannot print Color\(int64\), whose class says how; print its .value"),
    (joins_number_and_flag, r"there is no \| for Flag\(int64\) and int64"),
    (value_of_several_types, "no field 'value'; members that are written have"),
])  # fmt: skip
def test_members_of_plain_enums_are_no_numbers(function, words):
    with pytest.raises((ww.CompileError, ww.UnsupportedError), match=words):
        cuda.jit(function)[1, 1](np.zeros(4))
