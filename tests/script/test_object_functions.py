"""Values with structure in kernels: classes with methods and operators, patterns, bytes, dtypes."""

from __future__ import annotations

import dataclasses
import enum
import math
import operator
from typing import NamedTuple

import numpy as np
import pytest
from launching import over

from warpwise import cuda


class Vector(NamedTuple):
    x: float
    y: float

    def __sub__(self, other):
        return Vector(self.x - other.x, self.y - other.y)

    def __rmul__(self, factor):
        return Vector(factor * self.x, factor * self.y)

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def dot(self, other):
        return self.x * other.x + self.y * other.y

    @property
    def length(self):
        return math.sqrt(self.dot(self))


@cuda.jit
def reflect(x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        axis = Vector(0.6, 0.8)
        v = Vector(x[i], y[i])
        mirrored = v - 2.0 * v.dot(axis) * axis
        out[i, 0], out[i, 1] = -mirrored
        out[i, 2] = mirrored._replace(y=0.0).length


def test_methods_and_operators_of_named_tuples(rng):
    x, y = rng.normal(size=(2, 40))
    out = np.empty((40, 3))
    over(reflect, 40, x, y, out)
    along = 2 * (0.6 * x + 0.8 * y)
    expected = np.stack([along * 0.6 - x, along * 0.8 - y, np.abs(x - along * 0.6)], axis=1)
    np.testing.assert_allclose(out, expected, rtol=1e-13, atol=1e-14)


@dataclasses.dataclass(frozen=True)
class Lattice:
    n: int
    spacing: float = 0.5

    NEIGHBOURS = (-1, 0, 1)

    def wrapped(self, i):
        return i % self.n

    @staticmethod
    def weight(offset):
        return 2.0 if offset == 0 else 1.0

    def __call__(self, i):
        return i * self.spacing


LATTICE = Lattice(24)


@cuda.jit
def smooth(x, out):
    i = cuda.grid(1)
    if i < x.size:
        total = LATTICE(i)
        for offset in LATTICE.NEIGHBOURS:
            total += LATTICE.weight(offset) * x[LATTICE.wrapped(i + offset)]
        out[i] = total


def test_methods_of_global_dataclasses(rng):
    x = rng.normal(size=24)
    out = np.empty_like(x)
    over(smooth, 24, x, out)
    expected = 0.5 * np.arange(24) + np.roll(x, 1) + 2 * x + np.roll(x, -1)
    np.testing.assert_allclose(out, expected, rtol=1e-13, atol=1e-14)


@cuda.jit
def spaced(lattice, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = lattice(lattice.wrapped(i)) + lattice.n


def test_methods_of_arguments():
    out = np.empty(20)
    for lattice in (Lattice(7), Lattice(3, 2.0)):
        over(spaced, 20, lattice, out)
        assert out.tolist() == [lattice(i % lattice.n) + lattice.n for i in range(20)]


class Circle(NamedTuple):
    r: float


class Box(NamedTuple):
    w: float
    h: float


def area(shape):
    match shape:
        case Circle(r):
            return math.pi * r**2
        case Box(w=0.0) | Box(h=0.0):
            return 0.0
        case Box(w, h):
            return w * h


@cuda.jit
def areas(sizes, out):
    i = cuda.grid(1)
    if i < sizes.size:
        out[i, 0] = area(Circle(sizes[i]))
        out[i, 1] = area(Box(sizes[i], 2.0))


def test_match_on_classes():
    sizes = np.array([0.0, 1.0, 2.5])
    out = np.empty((3, 2))
    over(areas, 3, sizes, out)
    np.testing.assert_allclose(out, np.stack([math.pi * sizes**2, 2 * sizes], axis=1), rtol=1e-14)


@cuda.jit
def step(kinds, x, out):
    i = cuda.grid(1)
    if i < x.size:
        instruction = (kinds[i], x[i], 2.0)
        match instruction:
            case (0, *_):
                out[i] = 0
            case (1, value, _):
                out[i] = value
            case (2, *operands) if operands[0] > 0:
                out[i] = operands[0] * operands[1]
            case (kind, _, _):
                out[i] = -kind


def test_match_on_sequences(rng):
    kinds, x = rng.integers(0, 4, 50), rng.normal(size=50)
    out = np.empty(50)
    over(step, 50, kinds, x, out)
    expected = [
        0 if k == 0 else v if k == 1 else 2 * v if k == 2 and v > 0 else -k
        for k, v in zip(kinds.tolist(), x.tolist())
    ]
    assert out.tolist() == expected


@cuda.jit
def named_conditions(x, out):
    i = cuda.grid(1)
    if i < x.size:
        if (a := x[i]) > 0 and (b := math.sqrt(a)) < 1:
            out[i] = b
        elif not (a < -1 or (c := a + 1) == 0):
            out[i] = c
        else:
            out[i] = a


def test_names_that_conditions_assign(rng):
    x = rng.normal(size=60) * 2
    out = np.empty_like(x)
    over(named_conditions, 60, x, out)
    root = np.sqrt(np.abs(x))
    expected = np.where((x > 0) & (root < 1), root, np.where(x >= -1, x + 1, x))
    np.testing.assert_allclose(out, expected, rtol=1e-15)


KEY = b"secret"


@cuda.jit
def encode(text, out):
    i = cuda.grid(1)
    if i < text.size:
        letter = text[i]
        if letter in b"aeiou":
            out[i] = letter ^ KEY[i % len(KEY)]
        elif letter == b" "[0]:
            out[i] = 0
            for other in b"ab":
                out[i] += other
        else:
            out[i] = letter


def test_bytes_are_tuples_of_numbers():
    text = np.frombuffer(b"the quick brown fox jumps over a lazy dog", np.uint8).copy()
    out = np.empty_like(text)
    over(encode, text.size, text, out)
    expected = [
        c ^ KEY[i % len(KEY)] if c in b"aeiou" else 195 if c == 32 else c
        for i, c in enumerate(text.tolist())
    ]
    assert out.tolist() == expected


@cuda.jit
def store_as(x, out, dtype):
    i = cuda.grid(1)
    if i < x.size:
        local = cuda.local.array(1, dtype)
        local[0] = x[i]
        out[i] = dtype(x[i]) + local[0]


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.dtype("uint16")])
def test_dtypes_as_arguments(rng, dtype):
    x = 100 * rng.random(30)
    out = np.empty(30)
    over(store_as, 30, x, out, dtype)
    assert np.array_equal(out, 2 * x.astype(dtype).astype(np.float64))


@cuda.jit
def apply(x, out, function, mode):
    i = cuda.grid(1)
    if i < x.size:
        value = function(x[i])
        out[i] = value if mode == "set" else out[i] + value


@pytest.mark.parametrize("function", [math.cos, np.float32, abs, lambda v: v * v, operator.neg])
def test_functions_and_strings_as_arguments(rng, function):
    x = rng.normal(size=25)
    out = np.empty(25)
    over(apply, 25, x, out, function, "set")
    over(apply, 25, x, out, function, "add")
    np.testing.assert_allclose(out, [2 * float(function(v)) for v in x.tolist()], rtol=1e-14)


PRECISION = np.float32


@cuda.jit
def rounded(x, out):
    i = cuda.grid(1)
    if i < x.size:
        unit = x.dtype.type(2) if x.dtype == np.float64 else x.dtype.type(3)
        out[i] = PRECISION(x[i]) * unit + np.finfo(PRECISION).eps + np.iinfo(np.int16).max


def test_dtypes_of_globals_and_arrays(rng):
    for dtype, unit in ((np.float64, 2), (np.float32, 3)):
        x = rng.normal(size=20).astype(dtype)
        out = np.empty(20)
        over(rounded, 20, x, out)
        single = x.astype(np.float32)
        product = single.astype(dtype) * dtype(unit)
        np.testing.assert_allclose(out, product + np.finfo(np.float32).eps + 32767, rtol=1e-6)


@cuda.jit
def planes(x, out):
    i = cuda.grid(1)
    if i < x.shape[-1]:
        plane = x[..., i]
        out[i, 0] = plane[1, 2] + x[0, ..., i][1]
        out[i, ...] += plane.shape[0] * 10 + plane.shape[1]
        out[..., 1][i] += plane[-1, -1]


def test_an_ellipsis_stands_for_the_other_axes(rng):
    x = rng.integers(0, 100, (2, 3, 5)).astype(float)
    out = np.zeros((5, 2))
    over(planes, 5, x, out)
    assert np.array_equal(out[:, 0], x[1, 2] + x[0, 1] + 23)
    assert np.array_equal(out[:, 1], x[-1, -1] + 23)


ROWS = ((1, 2, 3), (4, 5, 6))


@cuda.jit
def tables(out):
    i = cuda.grid(1)
    if i < out.size:
        total = 0
        for weight in ROWS[i % 2][::-1]:
            total = 10 * total + weight
        out[i] = total + ROWS[0][2:0:-1][1]


def test_tables_of_tuples():
    out = np.empty(10, np.int64)
    over(tables, 10, out)
    assert out.tolist() == [323 if i % 2 == 0 else 656 for i in range(10)]


@cuda.jit
def number_theory(out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i, 0] = math.comb(30, i) + math.perm(i, 3) + math.factorial(i)
        out[i, 1] = math.gcd(12, 18, i) + math.lcm(i, 4, 6)
        out[i, 2] = math.prod((i, 2, 3)) + i.bit_length() + (-i).bit_count()


def test_functions_of_whole_numbers():
    out = np.empty((16, 3), np.int64)
    over(number_theory, 16, out)
    for i, row in enumerate(out.tolist()):
        assert row[0] == math.comb(30, i) + math.perm(i, 3) + math.factorial(i)
        assert row[1] == math.gcd(12, 18, i) + math.lcm(i, 4, 6)
        assert row[2] == 6 * i + i.bit_length() + i.bit_count()


@cuda.jit
def bounded(x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i, 0] = np.clip(x[i], -0.5, y[i])
        out[i, 1] = np.where(x[i] > y[i], x[i], 0)
        out[i, 2] = np.logaddexp(x[i], y[i]) + np.heaviside(x[i], 0.5)
        out[i, 3] = math.isclose(x[i], y[i], rel_tol=0.5) + math.isclose(x[i], y[i], abs_tol=0.1)
        out[i, 4] = math.dist((x[i], 1.0, 2.0), (y[i], 3.0, 4)) + math.hypot(x[i], y[i], 1)


def test_functions_of_several_numbers(rng):
    x, y = rng.normal(size=(2, 80))
    y[:20] = x[:20] + 0.05 * rng.normal(size=20)
    x[-1] = 0
    out = np.empty((80, 5))
    over(bounded, 80, x, y, out)
    np.testing.assert_array_equal(out[:, 0], np.clip(x, -0.5, y))
    np.testing.assert_array_equal(out[:, 1], np.where(x > y, x, 0))
    np.testing.assert_allclose(out[:, 2], np.logaddexp(x, y) + np.heaviside(x, 0.5), rtol=1e-14)
    for a, b, (close, distance) in zip(x.tolist(), y.tolist(), out[:, 3:].tolist()):
        assert close == math.isclose(a, b, rel_tol=0.5) + math.isclose(a, b, abs_tol=0.1)
        expected = math.dist((a, 1, 2), (b, 3, 4)) + math.hypot(a, b, 1)
        assert math.isclose(distance, expected, rel_tol=1e-14)


class Access(enum.IntFlag):
    READ = 1
    WRITE = 2
    RUN = 4


@cuda.jit
def permissions(modes, out):
    i = cuda.grid(1)
    if i < modes.size:
        mode = modes[i]
        if mode == Access.READ | Access.WRITE:
            out[i] = 10
        elif mode & Access.RUN and not mode & Access.WRITE:
            out[i] = mode ^ Access.RUN
        else:
            out[i] = Access.RUN | mode


def test_flags():
    modes = np.arange(8)
    out = np.empty_like(modes)
    over(permissions, 8, modes, out)
    assert out.tolist() == [4, 5, 6, 10, 0, 1, 6, 7]


@cuda.jit
def last_of_fixed_loops(out):
    i = cuda.grid(1)
    if i < out.size:
        for row in range(3):
            for column in (1, 2, i):
                inner = row * column
        out[i] = inner + row + column


def test_names_of_loops_that_surely_run():
    out = np.empty(6, np.int64)
    over(last_of_fixed_loops, 6, out)
    assert out.tolist() == [2 * i + 2 + i for i in range(6)]
