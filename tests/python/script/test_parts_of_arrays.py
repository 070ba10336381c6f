"""Parts of arrays of a known length, x[i:i + 3], as a whole; tables: np.interp, np.searchsorted."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda
from warpwise._script import Function


def same_as_in_python(kernel, *arguments, rtol=0.0):
    expected = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
    kernel(*expected)
    given = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
    Function(kernel)[1, 1](*given)
    for one, other in zip(given, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=rtol)


def of_one_axis(x, out, i):
    w = x[i : i + 3] * 2
    out[0] = w[0] + 10 * w[1] + 100 * w[2]
    near = x[i - 1 : i + 2]
    out[1] = (near - near.mean()).max()
    out[2] = np.sqrt(x[2 * i : 2 * i + 4]).sum()
    out[3] = (x[:3] + x[i + 1 : 4 + i] ** 2).min()
    out[4:7] = x[i : 3 + i] - x[1 + i : i + 4]
    out[7] = np.where(x[i : i + 5] > 3, 1, 0).sum()
    out[8] = (x[i : i + 6 : 2] * x[i + 1 : i + 7 : 2]).sum()
    out[9] = sorted(x[i : i + 3])[1]
    j = i * 2
    for k in range(2):
        part = x[j + k : j + k + 2]
        out[10] += (part * (k + 1)).sum()
    copy = x[i : i + 2].copy()
    copy[0] = 100
    out[11] = copy.sum() + x[i]
    a = np.cross(x[0:3], x[i : i + 3])
    out[12] = a[0] + a[1] + a[2]
    out[13] = np.concatenate((x[i : i + 2], np.array([5.0])))[2]
    out[14] = (-x[i : i + 2])[1]
    out[15] = x[i : i + 4].clip(1.5, 3)[3]
    steps = np.diff(x[i : i + 4])
    sums = np.cumsum(x[i : i + 4])
    out[16] = steps[2] + sums[3] * x[0:3].cumprod()[2]


def test_arithmetic_of_parts_of_one_axis():
    x = np.array([0.5, 3, 1, 4, 1, 5, 9, 2, 6, 5])
    same_as_in_python(of_one_axis, x, np.zeros(17), 2)


def of_two_axes(x, out, i, j):
    window = x[i - 1 : i + 2, j - 1 : j + 2]
    weights = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]])
    out[0] = (window * weights).sum()
    rows = window.sum(axis=0)
    out[1] = rows[0] - rows[2]
    out[2] = (x[i, j : j + 3] - x[i + 1, j : j + 3])[1]
    out[3] = (x[i : i + 2, j : j + 2] @ np.array([1.0, 2.0]))[1]
    column = x[i : i + 3, j] * 2
    out[4] = column[2]


def test_arithmetic_of_windows():
    same_as_in_python(of_two_axes, np.arange(48.0).reshape(6, 8) ** 1.5, np.zeros(5), 2, 3)


def doubled(x, out, i):
    out[0] = 1
    out[1] = (x[i : i + 3] * 2).sum()
    out[2] = 1


@pytest.mark.parametrize("start", [8, 9, 10, -1, -12])
def test_the_thread_ends_where_the_array_ends_before(start):
    out = np.zeros(3)
    Function(doubled)[1, 1](np.ones(10), out, start)
    np.testing.assert_array_equal(out, [1, 0, 0])
    with pytest.raises(ValueError, match="ends before the part"):
        cuda.jit(doubled, debug=True, opt=False)[1, 1](np.ones(10), np.zeros(3), start)


def test_a_part_from_the_end_has_its_length():
    same_as_in_python(doubled, np.arange(10.0), np.zeros(3), -5)


def of_unknown_length(x, out, i, j):
    part = x[i : j + 3] * 2
    out[0] = part.sum()


def too_long(x, out, i):
    twice = x[i : i + 300] * 2
    out[0] = twice.sum()


@pytest.mark.parametrize(
    ("kernel", "arguments", "message"),
    [
        (of_unknown_length, (1, 2), "compute with elements"),
        (too_long, (1,), "up to 256 elements"),
    ],
)
def test_other_parts_are_refused(kernel, arguments, message):
    with pytest.raises((ww.CompileError, ww.UnsupportedError), match=message):
        Function(kernel)[1, 1](np.ones(1000), np.zeros(1), *arguments)


XP = np.array([0.0, 1, 1, 2.5, 4, 8])
FP = np.array([1.0, 3, 4, 2, np.inf, -1])
VALUES = [-1, 0, 0.25, 1, 1.75, 2.5, 3, 4, 5, 8, 9, np.nan, np.inf, -np.inf]


def interpolated(x, xp, fp, out):
    for i in range(x.size):
        out[0, i] = np.interp(x[i], XP, FP)
        out[1, i] = np.interp(x[i], xp, fp, left=-5)
        out[2, i] = np.interp(x[i], xp[:3], fp[:3], None, 7.5)
        out[3, i] = np.interp(x[i], (0, 1, 3), (2, 4, -1.5))
        out[4, i] = np.interp(x[i], xp[1:2], fp[1:2])
    out[5, 0] = np.interp(np.array([0.5, 2.0]), XP, FP)[1]


def test_interp():
    x = np.array(VALUES)
    arrays = XP.astype(np.float32), FP.astype(np.float32)
    same_as_in_python(interpolated, x, *arrays, np.zeros((6, x.size)), rtol=1e-7)


def searched(x, xp, whole, out):
    for i in range(x.size):
        out[0, i] = np.searchsorted(XP, x[i])
        out[1, i] = np.searchsorted(xp, x[i], side="right")
        out[2, i] = np.searchsorted(whole, x[i], "left")
        out[3, i] = np.searchsorted((1, 2, 3), x[i])
    out[4, 0] = np.searchsorted(whole, 4) + np.searchsorted(whole, 2, "right")
    places = np.searchsorted(whole, np.array([0, 3, 99]))
    out[4, 1] = places[0] + 10 * places[1] + 100 * places[2]


def test_searchsorted():
    x = np.array(VALUES)
    arrays = np.append(XP, np.nan), np.array([1, 2, 2, 4, 7], np.int32)
    same_as_in_python(searched, x, *arrays, np.zeros((5, x.size)))


def unlike_tables(x, xp, fp):
    x[0] = 1
    x[1] = np.interp(0.5, xp, fp)
    x[2] = 1


def test_tables_of_different_lengths_end_the_thread():
    for lengths in ((3, 2), (0, 0)):
        x = np.zeros(3)
        Function(unlike_tables)[1, 1](x, *(np.arange(float(n)) for n in lengths))
        np.testing.assert_array_equal(x, [1, 0, 0])


def of_arrays(x, xp):
    x[0] = np.interp(x, xp, xp)[0]


def with_a_period(x, xp):
    x[0] = np.interp(x[0], xp, xp, period=3)


@pytest.mark.parametrize(
    ("kernel", "message"), [(of_arrays, "one number"), (with_a_period, "left and right")]
)
def test_other_tables_are_refused(kernel, message):
    with pytest.raises((ww.CompileError, ww.UnsupportedError), match=message):
        Function(kernel)[1, 1](np.zeros(2), np.zeros(2))


def unpacked_rows(pixels, out, i):
    r, g, b = pixels[i]
    out[i] = r + 2 * g, g + 2 * b, b + 2 * r
    x, y = out[i - 1, :2], out[i - 1]
    out[0, 0] += x[1] + y[2]


@pytest.mark.parametrize("i", [2, -1, -3])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_rows_that_are_unpacked_and_stored(dtype, i):
    pixels = np.arange(12).reshape(4, 3).astype(dtype)
    expected, out = np.zeros((4, 3), np.int64), np.zeros((4, 3), np.int64)
    unpacked_rows(pixels.astype(np.int64), expected, i)
    Function(unpacked_rows)[1, 1](pixels, out, i)
    np.testing.assert_array_equal(out, expected)


def test_rows_of_three_axes():
    def kernel(x, out, i, j):
        a, b = x[i, j]
        out[i, j] = b, a

    x = np.arange(24.0).reshape(3, 4, 2)
    for i, j in ((1, 2), (-1, -2), (2, -4)):
        expected, out = np.zeros_like(x), np.zeros_like(x)
        kernel(x, expected, i, j)
        Function(kernel)[1, 1](x, out, i, j)
        np.testing.assert_array_equal(out, expected)


def test_rows_of_another_length_end_the_thread():
    def kernel(x, out):
        out[0, 0] = 1
        a, b = x[1]
        out[0, 1] = a + b

    for columns in (1, 2, 3):
        out = np.zeros((1, 2))
        Function(kernel)[1, 1](np.ones((2, columns)), out)
        np.testing.assert_array_equal(out, [[1, 2 if columns == 2 else 0]])


def test_the_address_of_an_unpacked_row_follows_from_its_length():
    def kernel(pixels, out):
        i = cuda.grid(1)
        r, g, b = pixels[i]
        out[i] = b, g, r

    text = Function(kernel).inspect_source("uint8[:,::1], uint8[:,::1]")
    assert text.count("__ww_py_row<3>") == 2
    assert "__ww_py_view" not in text
