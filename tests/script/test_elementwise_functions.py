"""Functions of one element: arithmetic, bits, special functions."""

from __future__ import annotations

import math

import numpy as np
from launching import over

from warpwise import cuda


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


def test_saxpy(rng):
    x, y = rng.random((2, 301), np.float32)
    expected = y + np.float32(2.5) * x
    over(saxpy, 301, np.float32(2.5), x, y)
    np.testing.assert_allclose(y, expected, rtol=1e-6)


@cuda.jit
def strided_sum(a, b, out):
    for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
        out[i] = a[i] + b[i]


def test_a_grid_strided_loop(rng):
    a, b = rng.integers(-1000, 1000, (2, 777))
    out = np.zeros(777, np.int64)
    strided_sum[3, 32](a, b, out)
    assert np.array_equal(out, a + b)


@cuda.jit
def clamp(x, low, high, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = low if x[i] < low else high if x[i] > high else x[i]


def test_clamp(rng):
    x = rng.normal(size=200)
    out = np.empty_like(x)
    over(clamp, 200, x, -0.5, 0.5, out)
    assert np.array_equal(out, np.clip(x, -0.5, 0.5))


@cuda.jit
def horner(coefficients, x, out):
    i = cuda.grid(1)
    if i < x.size:
        total = 0.0
        for c in coefficients:
            total = total * x[i] + c
        out[i] = total


def test_polynomials_by_horner(rng):
    coefficients, x = rng.normal(size=6), rng.normal(size=150)
    out = np.empty_like(x)
    over(horner, 150, coefficients, x, out)
    np.testing.assert_allclose(out, np.polyval(coefficients, x), rtol=1e-12)


@cuda.jit
def sigmoid(x, out):
    i = cuda.grid(1)
    if i < x.size:
        if x[i] >= 0:
            out[i] = 1 / (1 + math.exp(-x[i]))
        else:
            e = math.exp(x[i])
            out[i] = e / (1 + e)


def test_sigmoid(rng):
    x = rng.normal(scale=20, size=200)
    out = np.empty_like(x)
    over(sigmoid, 200, x, out)
    np.testing.assert_allclose(
        out, [0.5 * (1 + math.tanh(v / 2)) for v in x], rtol=1e-9, atol=1e-16
    )


@cuda.jit
def logistic_map(x, r, steps, out):
    i = cuda.grid(1)
    if i < x.size:
        value = x[i]
        for _ in range(steps):
            value = r * value * (1.0 - value)
        out[i] = value


def test_the_logistic_map(rng):
    x = rng.random(128)
    out = np.empty_like(x)
    over(logistic_map, 128, x, 2.7, 40, out)
    expected = x.copy()
    for _ in range(40):
        expected = 2.7 * expected * (1 - expected)
    np.testing.assert_allclose(out, expected, rtol=1e-9)


@cuda.jit
def polar(x, y, radius, angle):
    i = cuda.grid(1)
    if i < x.size:
        radius[i] = math.hypot(x[i], y[i])
        angle[i] = math.degrees(math.atan2(y[i], x[i]))


def test_polar_coordinates(rng):
    x, y = rng.normal(size=(2, 180))
    radius, angle = np.empty_like(x), np.empty_like(x)
    over(polar, 180, x, y, radius, angle)
    np.testing.assert_allclose(radius, np.hypot(x, y), rtol=1e-14)
    np.testing.assert_allclose(angle, np.degrees(np.arctan2(y, x)), rtol=1e-13)


@cuda.jit
def complex_square_plus(z, c):
    i = cuda.grid(1)
    if i < z.size:
        z[i] = z[i] * z[i] + c


def test_complex_numbers(rng):
    z = rng.normal(size=99) + 1j * rng.normal(size=99)
    expected = z * z + (0.3 - 0.2j)
    over(complex_square_plus, 99, z, 0.3 - 0.2j)
    np.testing.assert_allclose(z, expected, rtol=1e-13)


@cuda.jit
def complex_parts(z, real, imaginary, size):
    i = cuda.grid(1)
    if i < z.size:
        real[i] = z[i].real
        imaginary[i] = z[i].imag
        size[i] = abs(z[i])


def test_parts_of_complex_numbers(rng):
    z = (rng.normal(size=70) + 1j * rng.normal(size=70)).astype(np.complex64)
    parts = np.empty((3, 70), np.float32)
    over(complex_parts, 70, z, parts[0], parts[1], parts[2])
    assert np.array_equal(parts[0], z.real) and np.array_equal(parts[1], z.imag)
    np.testing.assert_allclose(parts[2], np.abs(z), rtol=1e-6)


@cuda.jit
def gray_code(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] ^ (x[i] >> 1)


def test_gray_code(rng):
    x = rng.integers(0, 2**31, 200).astype(np.int32)
    out = np.empty_like(x)
    over(gray_code, 200, x, out)
    assert np.array_equal(out, x ^ (x >> 1))


@cuda.jit
def count_bits(x, out):
    i = cuda.grid(1)
    if i < x.size:
        value = x[i]
        count = 0
        while value != 0:
            value &= value - 1
            count += 1
        out[i] = count


def test_counting_bits(rng):
    x = rng.integers(0, 2**62, 150)
    out = np.empty(150, np.int32)
    over(count_bits, 150, x, out)
    assert out.tolist() == [int(v).bit_count() for v in x]


@cuda.jit
def integer_root(x, out):
    i = cuda.grid(1)
    if i < x.size:
        low, high = 0, 1 << 21
        while low < high:
            middle = (low + high + 1) // 2
            if middle * middle <= x[i]:
                low = middle
            else:
                high = middle - 1
        out[i] = low


def test_integer_square_roots(rng):
    x = rng.integers(0, 2**40, 150)
    out = np.empty_like(x)
    over(integer_root, 150, x, out)
    assert out.tolist() == [math.isqrt(int(v)) for v in x]


@cuda.jit
def floor_division(a, b, quotient, rest):
    i = cuda.grid(1)
    if i < a.size:
        quotient[i] = a[i] // b[i]
        rest[i] = a[i] % b[i]


def test_floor_division_of_integers_is_pythons(rng):
    a = rng.integers(-50, 50, 300)
    b = rng.choice([-7, -3, -1, 1, 2, 5, 9], 300)
    quotient, rest = np.empty_like(a), np.empty_like(a)
    over(floor_division, 300, a, b, quotient, rest)
    assert np.array_equal(quotient, a // b) and np.array_equal(rest, a % b)


def test_floor_division_of_floats_is_pythons(rng):
    a = np.round(rng.normal(scale=10, size=300), 1)
    b = np.round(rng.choice([-0.7, -0.1, 0.1, 0.3, 2.5], 300), 1)
    quotient, rest = np.empty_like(a), np.empty_like(a)
    over(floor_division, 300, a, b, quotient, rest)
    assert quotient.tolist() == [float(x) // float(y) for x, y in zip(a, b)]
    np.testing.assert_allclose(rest, [float(x) % float(y) for x, y in zip(a, b)], atol=1e-15)


@cuda.jit
def smooth_step(x, low, high, out):
    i = cuda.grid(1)
    if i < x.size:
        t = min(max((x[i] - low) / (high - low), 0.0), 1.0)
        out[i] = t * t * (3 - 2 * t)


def test_smooth_step(rng):
    x = rng.normal(size=200)
    out = np.empty_like(x)
    over(smooth_step, 200, x, -1.0, 0.5, out)
    t = np.clip((x + 1) / 1.5, 0, 1)
    np.testing.assert_allclose(out, t * t * (3 - 2 * t), rtol=1e-13)


@cuda.jit
def special_functions(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i, 0] = math.erf(x[i])
        out[i, 1] = math.lgamma(abs(x[i]) + 0.5)
        out[i, 2] = math.expm1(x[i])
        out[i, 3] = math.log1p(abs(x[i]))
        out[i, 4] = math.asinh(x[i])


def test_special_functions(rng):
    x = rng.normal(size=120)
    out = np.empty((120, 5))
    over(special_functions, 120, x, out)
    functions = (
        math.erf, lambda v: math.lgamma(abs(v) + 0.5), math.expm1,
        lambda v: math.log1p(abs(v)), math.asinh,
    )  # fmt: skip
    expected = [[function(v) for function in functions] for v in x]
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-14)


@cuda.jit
def mix_colours(pixels, weight):
    i, j = cuda.grid(2)
    if i < pixels.shape[0] and j < pixels.shape[1]:
        grey = 0.299 * pixels[i, j, 0] + 0.587 * pixels[i, j, 1] + 0.114 * pixels[i, j, 2]
        for c in range(3):
            pixels[i, j, c] = int((1 - weight) * pixels[i, j, c] + weight * grey)


def test_pixels_are_greyed(rng):
    pixels = rng.integers(0, 256, (13, 17, 3)).astype(np.uint8)
    grey = pixels @ np.array([0.299, 0.587, 0.114])
    expected = (0.25 * pixels + 0.75 * grey[..., None]).astype(np.uint8)
    mix_colours[(2, 3), (8, 8)](pixels, 0.75)
    assert np.abs(pixels.astype(int) - expected.astype(int)).max() <= 1
