"""itertools.count(), cycle(), repeat() and islice(); hasattr(), super() and `in` of flags."""

from __future__ import annotations

import dataclasses
import enum
import itertools
from typing import NamedTuple

import numpy as np
import pytest

import warpwise as ww
from warpwise._script import Function


class Flags(enum.IntFlag):
    A = 1
    B = 2


class Point(NamedTuple):
    x: float
    y: float


@dataclasses.dataclass
class Shape:
    width: float
    height: float

    def area(self):
        return self.width * self.height

    def scaled(self, factor, offset=0):
        return self.area() * factor + offset


@dataclasses.dataclass
class Box(Shape):
    depth: float

    def area(self):
        return 2 * super().area() + self.depth

    def scaled(self, factor, offset=1):
        return super().scaled(factor, offset=offset) + 1


@dataclasses.dataclass
class Cube(Box):
    def area(self):
        return super().area() + 100


@dataclasses.dataclass
class Other(Shape):
    def area(self):
        return 7.0


@dataclasses.dataclass
class First(Shape):
    def area(self):
        return super().area() + 1


@dataclasses.dataclass
class Both(First, Other):
    pass


def counted(a, n, out):
    for i, v in zip(itertools.count(), a):
        out[i] = v
    for i, v in zip(itertools.count(n + 8, 2), a):
        out[i] = v
    for i, v in zip(itertools.count(start=30, step=-1), a[:3]):
        out[i] = v
    i = 0
    for i in itertools.count(n):
        if i * i > 50:
            break
    out[31] = i
    out[32] = sum(itertools.islice(itertools.count(5, 5), n))


def cycled(a, n, out):
    for i, v in zip(itertools.cycle((1, 2, 3)), a):
        out[i] += v
    out[4] = sum(x * c for x, c in zip(a, itertools.cycle((1, -1))))
    for i, v in enumerate(itertools.islice(itertools.cycle(range(n)), 2, 9)):
        out[8 + i] = v


def repeated(a, n, out):
    for v in itertools.repeat(a[1], n):
        a[1] += 100
        out[int(a[1]) // 100] = v
    for v in itertools.repeat(1, times=n - 9):
        out[20] += v
    for x, y in zip(a, itertools.repeat(a[2])):
        out[21] += x * y


def sliced(a, n, out):
    for i, v in enumerate(itertools.islice(a, n)):
        out[i] = v
    for i, v in enumerate(itertools.islice(a, 1, None, 2)):
        out[8 + i] = v
    for i, (x, k) in enumerate(itertools.islice(zip(a, range(9)), n - 1, 100)):
        out[16 + i] = x * k
    for v in itertools.islice(a, n + 9, 100):
        out[24] = v


def attributes(a, n, out):
    p = Point(a[0], a[1])
    out[0] = 1 if hasattr(p, "x") else 2
    out[1] = 1 if hasattr(p, "z") else 2
    out[2] = 1 if hasattr(p, "count") else 2
    s = Shape(a[0], a[1])
    out[3] = s.area() if hasattr(s, "area") else 2
    out[4] = 1 if hasattr(s, "__add__") else 2


def flags(a, n, out):
    both = Flags.A | Flags.B
    one = Flags.A if n > 1 else Flags.B
    out[0] = 1 if Flags.A in both else 2
    out[1] = 1 if Flags.B in one else 2
    out[2] = 1 if Flags.B not in one else 2


def bases(a, n, out):
    box = Box(a[0], a[1], 3.0)
    out[0] = box.area()
    out[1] = box.scaled(2.0)
    cube = Cube(a[0], a[1], 1.0)
    out[2] = cube.area()
    out[3] = cube.scaled(3.0, 5.0)


KERNELS = [counted, cycled, repeated, sliced, attributes, flags, bases]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda one: one.__name__)
def test_they_are_as_in_python(kernel):
    expected, out = np.zeros(40), np.zeros(40)
    kernel(np.arange(1.0, 7.0), 3, expected)
    Function(kernel)[1, 1](np.arange(1.0, 7.0), 3, out)
    np.testing.assert_array_equal(out, expected)


def test_the_thread_ends_at_numbers_that_islice_does_not_take():
    def kernel(a, n, out):
        for v in itertools.islice(a, n):
            out[0] += v
        out[1] = 1

    out = np.zeros(2)
    Function(kernel)[1, 1](np.ones(4), -1, out)
    assert list(out) == [0, 0]


def a_cycle_of_an_array(a, out):
    for i, v in zip(range(9), itertools.cycle(a)):
        out[i] = v


def a_count_of_floats(a, out):
    for x, v in zip(itertools.count(0.5), a):
        out[0] += x * v


def several_bases(a, out):
    out[0] = Both(a[0], a[1]).area()


def an_unknown_name(a, out):
    out[0] = 1 if hasattr(a[0], "real") else 2


@pytest.mark.parametrize(
    "kernel, message",
    [
        (a_cycle_of_an_array, "index with i % len"),
        (a_count_of_floats, "takes whole numbers in kernels"),
        (several_bases, "has no method 'area'"),
        (an_unknown_name, "takes a named tuple or a dataclass"),
    ],
)
def test_what_is_refused(kernel, message):
    with pytest.raises((ww.CompileError, ww.UnsupportedError), match=message):
        Function(kernel)[1, 1](np.ones(4), np.zeros(9))


def test_lengths_of_ranges():
    @Function
    def kernel(bounds, out):
        for i in range(len(out)):
            start, stop, step = bounds[i]
            out[i] = len(range(start, stop, step))

    bounds = [(0, 10, 3), (10, 0, -3), (5, 5, 1), (0, -5, 1), (-5, 5, 4), (3, -9, -1)]
    out = ww.zeros(len(bounds), dtype=ww.int64, device="cpu")
    kernel[1, 1](ww.asarray(np.array(bounds), device="cpu"), out)
    assert out.get().tolist() == [len(range(*one)) for one in bounds]
