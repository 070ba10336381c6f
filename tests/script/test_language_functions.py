"""Python's own constructs in kernels: control flow, tuples, functions, closures, records, enums."""

from __future__ import annotations

import cmath
import enum
import math

import numpy as np
import pytest
from launching import over

from warpwise import cuda
from warpwise.cuda.types import float32, float64, int32, int64


@cuda.jit
def rotate_three(x, y, z):
    i = cuda.grid(1)
    if i < x.size:
        x[i], y[i], z[i] = z[i], x[i], y[i]


def test_assignments_happen_together(rng):
    x, y, z = rng.normal(size=(3, 50))
    expected = z.copy(), x.copy(), y.copy()
    over(rotate_three, 50, x, y, z)
    assert all(np.array_equal(a, b) for a, b in zip((x, y, z), expected))


@cuda.jit
def first_divisors(n, out):
    i = cuda.grid(1)
    if i < n.size:
        d = 2
        while d * d <= n[i]:
            if n[i] % d == 0:
                break
            d += 1
        else:
            d = n[i]
        out[i] = d


def test_while_with_else():
    n = np.arange(2, 120)
    out = np.empty_like(n)
    over(first_divisors, n.size, n, out)
    assert out.tolist() == [next(d for d in range(2, v + 1) if v % d == 0) for v in n.tolist()]


@cuda.jit
def last_values(n, out):
    i = cuda.grid(1)
    if i < n.size:
        k = -1
        for k in range(n[i]):
            if k == 7:
                break
        else:
            k = k + 100
        out[i] = k


def test_loop_variables_keep_their_last_value():
    n = np.arange(12)
    out = np.empty_like(n)
    over(last_values, 12, n, out)
    assert out.tolist() == [99, *range(100, 107), 7, 7, 7, 7]


@cuda.jit
def classify(x, out):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        if -1 < v <= 0 or 2 <= v < 3:
            out[i] = 1
        elif not v > -3 and v != -5:
            out[i] = 2
        else:
            out[i] = 3 if 0 < v < 1 < 2 else 4


def test_chained_comparisons():
    x = np.arange(-6, 6, 0.25)
    out = np.empty(x.size, np.int32)
    over(classify, x.size, x, out)
    expected = [
        1 if -1 < v <= 0 or 2 <= v < 3 else 2 if not v > -3 and v != -5 else 3 if 0 < v < 1 else 4
        for v in x.tolist()
    ]
    assert out.tolist() == expected


@cuda.jit(device=True)
def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


@cuda.jit
def factorials(out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = factorial(i)


def test_recursion():
    out = np.empty(20, np.int64)
    over(factorials, 20, out)
    assert out.tolist() == [math.factorial(n) for n in range(20)]


@cuda.jit(device=True)
def scaled(x, factor=2.0, *, offset=1):
    return x * factor + offset


@cuda.jit
def defaults(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i, 0] = scaled(x[i])
        out[i, 1] = scaled(x[i], 3.0)
        out[i, 2] = scaled(x[i], offset=5)
        out[i, 3] = scaled(offset=7, factor=0.5, x=x[i])


def test_default_and_keyword_arguments(rng):
    x = rng.normal(size=20)
    out = np.empty((20, 4))
    over(defaults, 20, x, out)
    expected = np.stack([x * 2 + 1, x * 3 + 1, x * 2 + 5, x * 0.5 + 7], axis=1)
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-14)


def make_power(exponent, constant):
    @cuda.jit
    def power(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = x[i] ** exponent + constant

    return power


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, -2, 0.5])
def test_closures(rng, exponent):
    x = 0.5 + rng.random(40)
    out = np.empty_like(x)
    over(make_power(exponent, 10), 40, x, out)
    np.testing.assert_allclose(out, x**exponent + 10, rtol=1e-13)


@cuda.jit
def local_functions(x, out):
    i = cuda.grid(1)
    if i < x.size:
        half = x[i] / 2

        def shifted(v):
            return v + half

        double = lambda v: 2 * v  # noqa: E731
        out[i] = double(shifted(x[i]))


def test_local_functions_and_lambdas(rng):
    x = rng.normal(size=33)
    out = np.empty_like(x)
    over(local_functions, 33, x, out)
    np.testing.assert_allclose(out, 2 * (x + x / 2), rtol=1e-14)


@cuda.jit(device=True)
def extremes(a, b, c):
    return min(a, b, c), max(a, b, c), (a + b + c) / 3


@cuda.jit
def tuples(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        low, high, mean = extremes(x[i, 0], x[i, 1], x[i, 2])
        both = (low, high)
        out[i, 0] = both[1] - both[0]
        (a, b), c = both, mean
        out[i, 1] = a + b + c
        out[i, 2] = len(both)


def test_tuples(rng):
    x = rng.normal(size=(45, 3))
    out = np.empty((45, 3))
    over(tuples, 45, x, out)
    low, high = x.min(axis=1), x.max(axis=1)
    np.testing.assert_allclose(out[:, 0], high - low, rtol=1e-13)
    np.testing.assert_allclose(out[:, 1], low + high + x.mean(axis=1), rtol=1e-12, atol=1e-14)
    assert (out[:, 2] == 2).all()


PARTICLE = np.dtype(
    [("position", np.float64), ("speed", np.float32), ("kind", np.int32)], align=True
)


@cuda.jit
def move(particles, dt):
    i = cuda.grid(1)
    if i < particles.size:
        if particles[i]["kind"] > 0:
            particles[i]["position"] += dt * particles[i]["speed"]
        else:
            particles[i].speed = 0
            particles.kind[i] = -1


def test_records(rng):
    particles = np.zeros(50, PARTICLE)
    particles["position"], particles["speed"] = rng.normal(size=(2, 50))
    particles["kind"] = rng.integers(0, 2, 50)
    before = particles.copy()
    over(move, 50, particles, 0.5)
    moving = before["kind"] > 0
    expected = before["position"] + 0.5 * before["speed"].astype(float) * moving
    np.testing.assert_allclose(particles["position"], expected, rtol=1e-14)
    assert np.array_equal(particles["speed"], before["speed"] * moving)
    assert np.array_equal(particles["kind"], np.where(moving, 1, -1))


class Shape(enum.IntEnum):
    SQUARE = 1
    CIRCLE = 2
    NOTHING = 7


@cuda.jit
def areas(kinds, sizes, out):
    i = cuda.grid(1)
    if i < kinds.size:
        if kinds[i] == Shape.SQUARE:
            out[i] = sizes[i] ** 2
        elif kinds[i] == Shape.CIRCLE:
            out[i] = math.pi * sizes[i] ** 2
        else:
            out[i] = 0


def test_enumerations(rng):
    kinds, sizes = rng.choice([1, 2, 7], 40), rng.random(40)
    out = np.empty(40)
    over(areas, 40, kinds, sizes, out)
    factor = np.where(kinds == 1, 1, np.where(kinds == 2, math.pi, 0))
    np.testing.assert_allclose(out, factor * sizes**2, rtol=1e-14)


@cuda.jit
def interpreter(program, x, out):
    i = cuda.grid(1)
    if i < x.size:
        value = x[i]
        for op in program:
            match op:
                case 0:
                    value += 1.0
                case 1 | 2:
                    value *= 2.0 if op == 1 else 3.0
                case 3:
                    value = -value
                case _:
                    value = 0.0
        out[i] = value


def test_match_on_values(rng):
    x, program = rng.normal(size=30), np.array([0, 1, 3, 2, 0])
    out = np.empty_like(x)
    over(interpreter, 30, program, x, out)
    np.testing.assert_allclose(out, -(x + 1) * 2 * 3 + 1, rtol=1e-13)


@cuda.jit
def wrap_indices(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[-1 - i] + x[i - x.size]


def test_negative_indices(rng):
    x = rng.integers(0, 100, 37)
    out = np.empty_like(x)
    over(wrap_indices, 37, x, out)
    assert np.array_equal(out, x[::-1] + x)


@cuda.jit
def views(x, out):
    row = cuda.grid(1)
    if row < x.shape[0]:
        part = x[row, 1:-1]
        every = x[row, ::2]
        reverse = x[row, ::-1]
        out[row, 0] = part[0] + part[-1]
        out[row, 1] = len(every) + every[1]
        out[row, 2] = reverse[0] - reverse[part.size]


def test_views_of_arrays(rng):
    x = rng.integers(0, 50, (20, 9))
    out = np.empty((20, 3), np.int64)
    over(views, 20, x, out)
    expected = [x[:, 1] + x[:, -2], 5 + x[:, 2], x[:, -1] - x[:, 1]]
    assert np.array_equal(out, np.stack(expected, axis=1))


@cuda.jit
def complex_functions(z, out):
    i = cuda.grid(1)
    if i < z.size:
        out[i, 0] = cmath.exp(z[i])
        out[i, 1] = cmath.sqrt(z[i])
        out[i, 2] = abs(z[i]) + cmath.phase(z[i]) * 1j
        out[i, 3] = z[i].conjugate() / (z[i] + 2)


def test_complex_functions(rng):
    z = rng.normal(size=30) + 1j * rng.normal(size=30)
    out = np.empty((30, 4), np.complex128)
    over(complex_functions, 30, z, out)
    expected = np.stack(
        [np.exp(z), np.sqrt(z), np.abs(z) + 1j * np.angle(z), z.conj() / (z + 2)], axis=1
    )
    np.testing.assert_allclose(out, expected, rtol=1e-12)


@cuda.jit
def typing_rules(x, i, u, out):
    out[0] = x[0] * 2 + i[0]
    out[1] = i[0] / 2
    out[2] = i[0] // 4 + u[0]
    out[3] = float32(1) / 3
    out[4] = int32(7.9) + int64(-7.9)
    out[5] = 1 / float32(3)


def test_types_are_those_of_numba():
    out = np.empty(6)
    typing_rules[1, 1](
        np.array([0.1], np.float32), np.array([7], np.int32), np.array([5], np.uint8), out
    )
    third = 1.0 / 3.0
    assert out.tolist() == [float(np.float32(0.1)) * 2 + 7, 3.5, 6, third, 0, third]


@cuda.jit
def use_all_axes(out):
    x, y, z = cuda.grid(3)
    nx, ny, _nz = cuda.gridsize(3)
    if x < out.shape[0] and y < out.shape[1] and z < out.shape[2]:
        out[x, y, z] = x + nx * (y + ny * z)


def test_three_axes():
    out = np.empty((4, 6, 4), np.int64)
    use_all_axes[(2, 2, 2), (2, 3, 2)](out)
    x, y, z = np.indices(out.shape)
    assert np.array_equal(out, x + 4 * (y + 6 * z))


TABLE = np.arange(12, dtype=np.float64).reshape(3, 4) ** 2


@cuda.jit
def constants(out):
    table = cuda.const.array_like(TABLE)
    i = cuda.grid(1)
    if i < out.size:
        out[i] = table[i % 3, i % 4]


def test_constant_arrays():
    out = np.empty(30)
    over(constants, 30, out)
    assert out.tolist() == [TABLE[i % 3, i % 4] for i in range(30)]


@cuda.jit
def local_matrix(out):
    i = cuda.grid(1)
    if i < out.size:
        m = cuda.local.array((2, 3), float64)
        for a in range(2):
            for b in range(3):
                m[a, b] = i * a + b
        total = 0.0
        for a in range(m.shape[0]):
            for b in range(m.shape[1]):
                total += m[a, b]
        out[i] = total


def test_local_arrays():
    out = np.empty(25)
    over(local_matrix, 25, out)
    assert out.tolist() == [3.0 * i + 6 for i in range(25)]


@cuda.jit
def two_outcomes(x, out):
    i = cuda.grid(1)
    if i >= x.size:
        return
    if x[i] < 0:
        out[i] = -1
        return
    out[i] = 1
    if x[i] == 0:
        out[i] = 0
        return


def test_early_returns():
    x = np.array([-2.0, 0.0, 3.0, -0.0, 5.0])
    out = np.full(5, 9)
    over(two_outcomes, 5, x, out)
    assert out.tolist() == [-1, 0, 1, 0, 1]


@cuda.jit
def operands(a, b, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i, 0] = a[i] or b[i]
        out[i, 1] = a[i] and b[i]


def test_and_or_give_operands(rng):
    a, b = rng.integers(0, 3, (2, 40))
    out = np.empty((40, 2), np.int64)
    over(operands, 40, a, b, out)
    assert out.tolist() == [[x or y, x and y] for x, y in zip(a.tolist(), b.tolist())]


@cuda.jit
def loops_over_constants(out):
    i = cuda.grid(1)
    if i < out.size:
        total = 0
        for k, weight in enumerate((3, 1, 4, 1, 5)):
            total += k * weight
        for a, b in ((1, 2), (3, 4)):
            total += a * b
        out[i] = total + i


def test_loops_over_tuples():
    out = np.empty(10, np.int64)
    over(loops_over_constants, 10, out)
    assert out.tolist() == [1 + 8 + 3 + 20 + 14 + i for i in range(10)]
