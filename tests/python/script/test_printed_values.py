"""print() in kernels: formats and tuples are written as Python writes them, or refused."""

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda


class Point(NamedTuple):
    x: int
    y: int = 7


@dataclasses.dataclass
class Pair:
    a: int
    b: int = 2


@dataclasses.dataclass
class Loud:
    a: int

    def __repr__(self):
        return "loud"


@dataclasses.dataclass
class Secret:
    a: int = dataclasses.field(repr=False)


def hexadecimal(n):
    print(f"{-5:x}|{-n:X}|{n:o}|{n & 0xFFFF:04x}")


def strings_in_widths(n):
    print(f"{'ab':5}|{'ab':>5}|{'ab':^6}|{'ab':*<4}|{'abcdef':.3}|")


def numbers_in_widths(n):
    print(f"{n:-5d}|{n:<5}|{n:>5}|{n:+d}|{-n:05d}|{n: d}|{True:5}|")


def floats_with_letters(n):
    print(f"{2.5:.2f}|{2.5:8.3e}|{2.5:<8.2f}|{2.5:+.1f}|{1e10:g}|{n:.2f}|")


def strings_in_tuples(n):
    print((n, "a", None), ("b",), ())


def classes_by_name(n):
    print(Point(n), Pair(n), f"{Point(1, n)}")


def percent_signs(n):
    print(n, 2, sep="%", end="%d\n")


def equals_signs(n):
    print(f"{n=}", f"{n!r}")


@pytest.mark.parametrize("function", [
    hexadecimal, strings_in_widths, numbers_in_widths, floats_with_letters, strings_in_tuples,
    classes_by_name, percent_signs, equals_signs,
])  # fmt: skip
def test_kernels_print_what_python_prints(function, capfd):
    function(42)
    expected = capfd.readouterr().out
    cuda.jit(function)[1, 1](42)
    cuda.synchronize()
    assert capfd.readouterr().out == expected


def binary(n):
    print(f"{n:b}")


def character(n):
    print(f"{n:c}")


def hexadecimal_in_a_width(n):
    print(f"{-n:08x}")


def float_without_a_letter(n):
    print(f"{2.5:8.3}")


def centred(n):
    print(f"{n:^5}")


def own_text(n):
    print(Loud(n))


def hidden_field(n):
    print(Secret(n))


def representation_of_a_string(n):
    print(f"{'a'!r}")


@pytest.mark.parametrize(("function", "words"), [
    (binary, "cannot print int64 with the format 'b'"),
    (character, "cannot print int64 with the format 'c'"),
    (hexadecimal_in_a_width, "format '08x'; a number that may be negative takes no width"),
    (float_without_a_letter, "format '8.3'; give floats a letter"),
    (centred, r"format '\^5'"),
    (own_text, r"cannot print Loud\(int64\), whose class says how; print its fields"),
    (hidden_field, r"cannot print Secret\(int64\)"),
    (representation_of_a_string, r"no !r, !a or = of strings"),
])  # fmt: skip
def test_other_formats_are_refused(function, words):
    with pytest.raises(ww.UnsupportedError, match=words):
        cuda.jit(function)[1, 1](np.int64(42))
