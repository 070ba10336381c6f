"""Indices that conditions and ranges keep from being negative, and those that they do not."""

from __future__ import annotations

import numpy as np
import pytest

from warpwise import cuda
from warpwise._script import Function


def same_as_in_python(kernel, *arguments):
    expected = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
    kernel(*expected)
    given = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
    Function(kernel)[1, 1](*given)
    for one, other in zip(given, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def window(x, out, i):
    if 2 <= i < x.size - 2:
        for d in range(-2, 3):
            out[0] = 3 * out[0] + x[i + d]
        for d in (-1, 0, 2):
            out[1] = 3 * out[1] + x[i + d]
    for d in range(-2, 3):
        out[2] = 3 * out[2] + x[i + d - 2]


def distance(x, out, i):
    d = 1
    while d < 8:
        if i >= d:
            out[0] += x[i - d] * d
        else:
            out[1] += x[i - d] * d
        d *= 2
    for k in range(i, 6):
        out[2] = 2 * out[2] + x[k - i] + x[i - k]
    for k in range(3):
        out[3] = 2 * out[3] + x[2 - k] + x[1 - k]


def assigned_behind(x, out, i):
    d = 0
    if i >= d:
        d = i + 2
        out[0] = x[i - d]
    n = 3
    for k in range(n):
        out[1] = 2 * out[1] + x[n - k - 1]
        n -= 1
    m = 4
    while m >= 2:
        for _k in range(3):
            out[2] = 2 * out[2] + x[m - 2]
            m -= 1
    j = 1
    if j > 0:
        if i > 3:
            j = -2
        out[3] = x[j]
    t = 5
    if t > i:
        while d > 4:
            out[4] = 2 * out[4] + x[t - i - 1]
            t -= 2
            d -= 1


@pytest.mark.parametrize("kernel", [window, distance, assigned_behind])
@pytest.mark.parametrize("i", [0, 1, 2, 4, 5])
def test_indices_are_pythons(kernel, i):
    same_as_in_python(kernel, np.arange(11, 19.0), np.zeros(5), i)


def test_an_index_that_a_condition_bounds_is_taken_as_it_is():
    def kernel(x):
        i = cuda.grid(1)
        if 1 <= i < x.size - 1:
            for d in range(-1, 2):
                x[i] += x[i + d]
            for k in (-1, 1):
                x[i] += x[i + k]
        d = 1
        while d < 4:
            if i >= d:
                x[i] += x[i - d]
            d *= 2

    text = Function(kernel).inspect_source("float64[::1]")
    assert "__ww_py_wrap" not in text


def parts(x, out, i):
    n = x.size
    weights = np.array([1.0, 2.0, 4.0])
    if 1 <= i < n - 1:
        out[0] = (x[i - 1 : i + 2] * weights).sum()
    if i < x.size - 2:
        out[1] = (x[i : i + 3] * weights).sum() + x[n - 1 - i]
        out[2] = (x[i : i + 3 : 2] * np.array([3.0, 5.0])).sum()
    if i >= 2 and n >= i:
        part = x[i - 2 : i] * 2
        out[3] = part[0] + 3 * part[1]
    if n > i + 4:
        part = x[i : i + 5]
        out[4] = part.sum() + part.size
    out[5] = x[i : i + 4].sum()  # it may end before


@pytest.mark.parametrize("i", range(9))
def test_parts_that_conditions_bound_are_pythons(i):
    same_as_in_python(parts, np.arange(11, 19.0), np.zeros(6), i)


def test_parts_within_an_array_have_their_length():
    def kernel(im, out):
        x, y = cuda.grid(2)
        h, w = im.shape
        if 1 <= x < w - 1 and 1 <= y < h - 1:
            out[y, x] = (im[y - 1 : y + 2, x - 1 : x + 2] * 2).sum()

    text = Function(kernel).inspect_source("float64[:,::1], float64[:,::1]")
    assert text.count("__ww_py_within") == 2
    assert "return" not in text


@pytest.mark.parametrize("more", [0, 1])
def test_parts_that_may_pass_the_end_are_checked(more):
    def of_another(x, y, out):
        i = cuda.grid(1)
        n = y.size
        if i < n - 2:
            out[i] = (x[i : i + 3] * 2).sum()

    def too_long(x, y, out):
        i = cuda.grid(1)
        n = x.size
        if i < n - 2:
            out[i] = (x[i : i + 4] * 2).sum()

    def of_a_chosen_one(x, y, out):
        i = cuda.grid(1)
        n = x.size
        if i < 1:
            x = y
        if i < n - 2:
            out[i] = (x[i : i + 3] * 2).sum()

    for kernel in (of_another, too_long, of_a_chosen_one):
        text = Function(kernel).inspect_source("float64[::1], float64[::1], float64[::1]")
        assert "__ww_py_within" not in text
        x, y = np.arange(6.0), np.arange(6.0)[: 6 - more].copy()
        if kernel is of_another:
            x, y = y, x
        out = np.full(8, -1.0)
        Function(kernel)[1, 8](x, y, out)
        length = 4 if kernel is too_long else 3
        source = x if kernel is not of_a_chosen_one else y
        for i in range(4):
            if i + length > (x.size if i else source.size):
                assert out[i] == -1
            elif kernel is not of_a_chosen_one or i:
                assert out[i] == 2 * x[i : i + length].sum()
        if kernel is of_a_chosen_one:
            assert out[0] == 2 * y[:3].sum()


def rows_of(x, rows, out):
    last = k = 0
    for r in range(rows.size - 1):
        for k in range(rows[r], rows[r + 1]):
            if x[k] > 117:
                break
            if x[k] == 112:
                continue
            item = x[k] + x[k - 1]
            out[r] += item * (k + 20)
            last = k
        else:
            out[r] += 1000 + x[last]
        out[r] += k


@pytest.mark.parametrize(
    "rows", [[0, 3, 3, 8], [-5, -2, 4, 9], [-3, 2, 1, 1], [2, -1, 3, -4], [-8, 5, 6, 7]]
)
def test_rows_between_elements_of_an_array(rows):
    for kind in (np.int32, np.int64, np.uint16) if min(rows) >= 0 else (np.int32, np.int64):
        same_as_in_python(rows_of, np.arange(110, 119), np.array(rows, kind), np.zeros(3, int))


def test_rows_from_a_natural_element_on_are_read_without_a_test_of_the_sign():
    def kernel(x, rows, out):
        i = cuda.grid(1)
        for k in range(rows[i], rows[i + 1]):
            out[i] += x[k]

    text = Function(kernel).inspect_source("float64[::1], int32[::1], float64[::1]")
    natural, _, other = text.partition("} else {")
    assert "__ww_py_wrap" not in natural
    assert "x[__ww_py_wrap(" in other


def neighbours(x, out, width, i, j):
    if i > 0 and j > 0:
        at = i * width + j
        out[0] = x[at - 1] + x[at - width]
        at = j - 3
        out[1] = x[at - 1] + x[at]
    at = j + i
    if i < 3:
        at = -2
    out[2] = x[at] + x[at - 1]
    for k in range(2):
        out[3] += x[at - 1] + k
        at = at + i - 2


@pytest.mark.parametrize("i", [0, 1, 2, 3])
@pytest.mark.parametrize("j", [0, 1, 2])
def test_places_of_neighbours_are_pythons(i, j):
    same_as_in_python(neighbours, np.arange(11, 31.0), np.zeros(4), 4, i, j)


def test_neighbours_of_inner_elements_have_no_index_from_the_end():
    def kernel(x, out, width, height):
        j, i = cuda.grid(2)
        if 0 < i < height - 1 and 0 < j < width - 1:
            at = i * width + j
            out[at] = x[at - 1] + x[at - width] + x[at + 1] + x[at + width]

    function = Function(kernel)
    x = np.zeros(16)
    function[1, (4, 4)](x, x.copy(), 4, 4)
    (text,) = function.inspect_source().values()
    assert "__ww_py_wrap" not in text
