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
