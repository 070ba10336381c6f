"""Indices that are negative only where the array is empty are not counted from its end."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda
from warpwise._script import Function, JitOptions


def source(kernel):
    (found,) = kernel.inspect_source().values()
    return found


def run(kernel, x, y, value):
    out = ww.zeros(8)
    kernel[1, 1](ww.asarray(x), ww.asarray(y), value, out)
    expected = np.zeros(8)
    kernel.py_func(x, y, value, expected)
    np.testing.assert_array_equal(out.get(), expected)
    return source(kernel)


def check(function, values=(0, 1, 5, 100)):
    kernel = cuda.jit(function)
    for size in (1, 2, 9):
        for value in values:
            found = run(kernel, np.arange(10.0, 10 + size), np.arange(20.0, 23.0), value)
    return found


def last(x, y, value, out):
    n = x.size
    out[0] = x[n - 1]
    out[1] = x[x.shape[0] - 1]
    out[2] = y[len(y) - 1]


def clamped(x, y, value, out):
    n = x.size
    out[0] = x[min(value, n - 1)]
    out[1] = x[max(min(value + 1, x.size - 1), 0)]
    out[2] = x[min(n - 1, value * 3)]


@pytest.mark.parametrize("function", [last, clamped])
def test_ends_of_their_own_axis_are_not_wrapped(function):
    assert "__ww_py_wrap" not in check(function)


def one_before_the_last(x, y, value, out):
    out[0] = x[x.size - 2]


def clamped_from_below(x, y, value, out):
    out[0] = x[max(value - 1, -1)]


def another_later(x, y, value, out):
    n = x.size
    if value > 0:
        n = 0
    out[0] = x[n - 1]


WRAPPED = [one_before_the_last, clamped_from_below, another_later]


@pytest.mark.parametrize("function", WRAPPED)
def test_others_are(function):
    assert "__ww_py_wrap" in check(function, values=(0, 1))


def test_the_end_of_an_empty_array_is_that_of_another():
    def kernel(x, y, value, out):
        out[0] = y[x.size - 1]

    for size in (0, 1, 3):
        found = run(cuda.jit(kernel), np.arange(float(size)), np.arange(20.0, 23.0), 0)
    assert "__ww_py_wrap" in found


def test_what_may_be_unset_is_zero():
    def function(x, value, out):
        if value > 3:
            n = x.size
        out[0] = x[n - 1]

    kernel = Function(function, options=JitOptions(zero_unset=True))
    x = ww.asarray(np.arange(10.0, 15.0))
    for value in (0, 5):
        out = ww.zeros(1)
        kernel[1, 1](x, value, out)
        assert out.get()[0] == 14
    assert "__ww_py_wrap" in source(kernel)


@cuda.jit
def last_of_chain(following, weights, out, sums):
    i = cuda.grid(1)
    if i < following.size:
        at = i
        total = 0.0
        while following[at] != at:
            total += weights[following[at]]
            at = following[at]
        out[i] = at
        sums[i] = total


@pytest.mark.parametrize("dtype", [np.int32, np.int16, np.int64])
@pytest.mark.parametrize("share", [0, 0.1, 1])
def test_indices_of_a_chain_count_from_either_end(dtype, share):
    rng = np.random.default_rng(5)
    n = 1000
    places = (np.arange(n) * rng.random(n)).astype(dtype)
    following = np.where((rng.random(n) < share) & (places > 0), places - n, places).astype(dtype)
    weights = rng.normal(size=n)
    out, sums = np.zeros(n, np.int64), np.zeros(n)
    last_of_chain[8, 128](following, weights, out, sums)
    expected = np.zeros(n, np.int64)
    totals = np.zeros(n)
    for i in range(n):
        at = i
        while following[at] != at:
            totals[i] += weights[following[at]]
            at = following[at]
        expected[i] = at
    assert np.array_equal(out, expected)
    np.testing.assert_allclose(sums, totals)
