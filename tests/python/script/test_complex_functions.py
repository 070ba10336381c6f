"""cmath in kernels against CPython's, at ordinary and at special values; complex constants."""

from __future__ import annotations

import cmath
import itertools
import math

import devices
import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda

pytestmark = pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")

FUNCTIONS = [
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "log", "log10", "sin",
    "sinh", "sqrt", "tan", "tanh",
]  # fmt: skip
PARTS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.5,
    30.0,
    800.0,
    -1e300,
    1e-300,
    math.inf,
    -math.inf,
    math.nan,
]


@pytest.fixture(autouse=True)
def _on_the_device():
    with ww.Device(devices.NAME):
        yield


def kernel_of(function):
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = function(x[i])

    return kernel


def python_value(name, z):
    try:
        return getattr(cmath, name)(z)
    except (ValueError, OverflowError, ZeroDivisionError):
        return None  # kernels give infinities and NaN there, as C does


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
def test_functions(name, dtype):
    rng = np.random.default_rng(7)
    ordinary = rng.normal(size=200) * 3 + 1j * rng.normal(size=200) * 3
    parts = PARTS if dtype == np.complex128 else [x for x in PARTS if not 0 < abs(x) < 1e-30]
    special = np.array([complex(*pair) for pair in itertools.product(parts, repeat=2)])
    with np.errstate(over="ignore", invalid="ignore"):
        x = np.concatenate([ordinary, special]).astype(dtype)
    out = np.zeros(x.size, dtype)
    kernel_of(getattr(cmath, name))[4, 128](x, out)
    tolerance = 1e-13 if dtype == np.complex128 else 1e-5
    most = np.finfo(dtype).max
    checked = 0
    for z, value in zip(x, out, strict=True):
        expected = python_value(name, complex(z))
        if expected is None or any(
            most < abs(p) < math.inf for p in (expected.real, expected.imag)
        ):
            continue
        checked += 1
        size = abs(expected)
        for part, wanted in ((value.real, expected.real), (value.imag, expected.imag)):
            if math.isfinite(wanted) and math.isfinite(size):
                assert abs(part - wanted) <= tolerance * max(size, 1e-30), (
                    name,
                    z,
                    value,
                    expected,
                )
                if wanted == part == 0 and cmath.isfinite(z):  # else C leaves it open
                    assert math.copysign(1, part) == math.copysign(1, wanted), (name, z, value)
            elif math.isnan(wanted):  # C leaves open which part, where a part of z is NaN
                assert cmath.isnan(value), (name, z, value, expected)
            elif math.isinf(wanted):
                assert abs(part) == math.inf, (name, z, value, expected)
    assert checked >= 250


def test_tests_polar_forms_and_logarithms_of_a_base():
    @cuda.jit
    def kernel(x, flags, forms):
        i = cuda.grid(1)
        if i < x.size:
            flags[i, 0] = cmath.isnan(x[i])
            flags[i, 1] = cmath.isinf(x[i])
            flags[i, 2] = cmath.isfinite(x[i])
            size, angle = cmath.polar(x[i])
            forms[i, 0] = size
            forms[i, 1] = angle
            forms[i, 2] = cmath.rect(size, angle)
            forms[i, 3] = cmath.log(x[i], 3 + 1j)

    parts = [0.0, 2.0, -3.5, math.inf, math.nan]
    x = np.array([complex(*pair) for pair in itertools.product(parts, repeat=2)])
    flags = np.zeros((x.size, 3), bool)
    forms = np.zeros((x.size, 4), complex)
    kernel[1, 32](x, flags, forms)
    for z, flag, form in zip(x, flags, forms, strict=True):
        z = complex(z)
        assert list(flag) == [cmath.isnan(z), cmath.isinf(z), cmath.isfinite(z)]
        size, angle = cmath.polar(z)
        np.testing.assert_allclose(form[:2].real, [size, angle], rtol=1e-15)
        if cmath.isfinite(z):
            np.testing.assert_allclose(form[2], z, rtol=1e-14, atol=1e-15)
            if z:
                np.testing.assert_allclose(form[3], cmath.log(z, 3 + 1j), rtol=1e-14)


@pytest.mark.parametrize(("size", "angle"), [
    (0.0, math.inf), (0.0, math.nan), (math.inf, 1.0), (-math.inf, 1.0), (math.inf, 0.0),
    (2.0, 0.0), (2.0, -0.0), (1.5, 2.5),
])  # fmt: skip
def test_numbers_of_polar_form(size, angle):
    @cuda.jit
    def kernel(out, size, angle):
        out[0] = cmath.rect(size, angle)

    out = np.zeros(1, complex)
    kernel[1, 1](out, size, angle)
    expected = cmath.rect(size, angle)
    for part, wanted in ((out[0].real, expected.real), (out[0].imag, expected.imag)):
        assert part == pytest.approx(wanted, rel=1e-15)
        assert math.copysign(1, part) == math.copysign(1, wanted)


CUBE = (np.arange(24).reshape(2, 3, 4) + 1j).astype(np.complex64) / 2j
WIDE = np.array([1 - 2j, complex(math.inf, -0.0), 3j])
RECORDS = np.array([(1.5, 2), (3.5, -4)], dtype=[("x", float), ("y", np.int32)])
EMPTY = np.zeros(0)


def test_constants_of_complex_numbers_records_and_nothing():
    @cuda.jit
    def kernel(cube, wide, records, count):
        table = cuda.const.array_like(CUBE)
        i, j, k = cuda.threadIdx.z, cuda.threadIdx.y, cuda.threadIdx.x
        cube[i, j, k] = table[i, j, k]
        if k < 3:
            wide[k] = WIDE[k]
        rows = cuda.const.array_like(RECORDS)
        if k < 2:
            records[k] = rows[k].x * 10 + rows[k]["y"]
        count[0] = len(cuda.const.array_like(EMPTY)) + len(rows)

    cube = np.zeros_like(CUBE)
    wide = np.zeros_like(WIDE)
    records = np.zeros(2)
    count = np.zeros(1, int)
    kernel[1, (4, 3, 2)](cube, wide, records, count)
    assert np.array_equal(cube, CUBE)
    assert np.array_equal(wide, WIDE)
    assert np.array_equal(records, [17.0, 31.0])
    assert count[0] == 2


@pytest.mark.parametrize("real", [0.0, -0.0, 1.0, -1.0, math.nan])
def test_both_parts_of_a_root_are_nan_where_the_imaginary_part_is(real):
    out = np.zeros(1, np.complex128)
    kernel_of(cmath.sqrt)[1, 1](np.array([complex(real, math.nan)]), out)
    assert math.isnan(out[0].real) and math.isnan(out[0].imag)


NUMPYS = [
    np.exp, np.log, np.log2, np.log10, np.sqrt, np.sin, np.cos, np.tan, np.arcsin, np.arccos,
    np.arctan, np.sinh, np.cosh, np.tanh, np.arcsinh, np.arccosh, np.arctanh, np.conjugate,
]  # fmt: skip


@pytest.mark.parametrize("function", NUMPYS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
def test_numpys_functions(function, dtype):
    rng = np.random.default_rng(11)
    x = (rng.normal(size=100) * 2 + 1j * rng.normal(size=100) * 2).astype(dtype)

    def kernel(out, x):
        function(x, out)
        out[0] = function(x[0])

    out = np.zeros(100, dtype)
    cuda.jit(kernel)[1, 1](out, x)
    np.testing.assert_allclose(out, function(x), rtol=1e-13 if dtype == np.complex128 else 1e-5)


@pytest.mark.parametrize("function", [
    np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal, np.maximum,
    np.minimum, np.fmax, np.fmin,
], ids=lambda one: one.__name__)  # fmt: skip
def test_numpys_order(function):
    numbers = [0, -0.0, 1, -2.5, math.inf, math.nan]
    all_of_them = [complex(*pair) for pair in itertools.product(numbers, repeat=2)]
    x, y = (np.array(z) for z in zip(*itertools.product(all_of_them, repeat=2), strict=True))

    def kernel(out, x, y):
        function(x, y, out)

    with np.errstate(invalid="ignore"):
        expected = function(x, y)
    out = np.zeros_like(expected)
    cuda.jit(kernel)[1, 1](out, x, y)
    np.testing.assert_array_equal(out, expected)
