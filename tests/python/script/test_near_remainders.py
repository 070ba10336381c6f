"""Remainders of numbers that are known to lie near an axis are found without a division."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda
from warpwise._script import Function


class GridOnHost:
    def __init__(self, i):
        self.i = i

    def grid(self, _axes):
        return self.i


def check(kernel, sizes=(1, 2, 3, 7), values=8):
    """The kernel gives what Python does; returns its source."""
    function = Function(kernel)
    for n in sizes:
        x, out = np.arange(n), ww.zeros((n, values), np.int64)
        expected = np.zeros((n, values), np.int64)
        function[1, 16](ww.asarray(x), out)
        for i in range(16):
            namespace = {**kernel.__globals__, "cuda": GridOnHost(i)}
            type(kernel)(kernel.__code__, namespace)(x, expected)
        np.testing.assert_array_equal(out.get(), expected)
    (text,) = function.inspect_source().values()
    return text


def is_divided(text):
    return "%" in text or "__ww_py_mod(" in text


def next_and_last(x, out):
    i = cuda.grid(1)
    n = x.size
    if i < n:
        out[i, 0] = (i + 1) % n
        out[i, 1] = (i - 1) % n
        out[i, 2] = (i + n - 1) % n
        out[i, 3] = (n + i + 1) % x.size
        out[i, 4] = i % n
        out[i, 5] = (1 + i) % x.shape[0]


def in_loops(x, out):
    i = cuda.grid(1)
    n = x.size
    if i >= n:
        return
    for d in range(-1, 2):
        out[i, d + 1] = (i + d) % n
        out[i, d + 4] = (i - d) % n
    for d in range(1, -2, -1):
        out[i, 7] += 10 * out[i, 7] + (d + i + n) % n


def of_a_range(x, out):
    if cuda.grid(1) == 0:
        for i in range(x.size):
            out[i, 0] = (i + 1) % x.size
            out[i, 1] = (i - 1) % x.size


def inside(x, out):
    i = cuda.grid(1)
    n = x.size
    if 1 < i < n - 1:
        out[i, 0] = (i - 5) % n
        out[i, 1] = (i + 4) % n
        out[i, 2] = (i - 2) % n
        out[i, 3] = (i + 1) % n


@pytest.mark.parametrize("kernel", [next_and_last, in_loops, of_a_range, inside])
def test_near_ones_are_not_divided(kernel):
    assert not is_divided(check(kernel))


def two_further(x, out):
    i = cuda.grid(1)
    n = x.size
    if i < n:
        out[i, 0] = (i + 2) % n


def two_before(x, out):
    i = cuda.grid(1)
    n = x.size
    if i < n:
        out[i, 0] = (i - 2) % n


def up_to_the_end(x, out):
    i = cuda.grid(1)
    n = x.size
    if i <= n:
        out[i % n, 0] = 1


def of_a_larger_range(x, out):
    i = cuda.grid(1)
    n = x.size
    if i < n:
        for d in range(-1, 3):
            out[i, d + 1] = (i + d) % n


def counter_is_assigned(x, out):
    i = cuda.grid(1)
    n = x.size
    if i < n:
        for d in range(2):
            k = d
            d = d * 5 - 3
            out[i, k] = (i + d) % n


def index_is_assigned(x, out):
    i = cuda.grid(1)
    n = x.size
    if i < n:
        k = i
        i += n + 2
        out[k, 0] = (i + 1) % n


def modulus_is_assigned(x, out):
    i = cuda.grid(1)
    n = x.size
    if i < n:
        n = 1 + n // 3
        out[i, 0] = (i + 1) % n


def inside_too_far(x, out):
    i = cuda.grid(1)
    n = x.size
    if 1 < i < n - 1:
        out[i, 0] = (i - 7) % n
        out[i, 1] = (i + 6) % n


def twice_the_modulus(x, out):
    i = cuda.grid(1)
    n = x.size
    if i < n:
        out[i, 0] = (i + n + n) % n


FAR = [two_further, two_before, up_to_the_end, of_a_larger_range, counter_is_assigned]
FAR += [index_is_assigned, modulus_is_assigned, inside_too_far, twice_the_modulus]


@pytest.mark.parametrize("kernel", FAR)
def test_others_are(kernel):
    assert is_divided(check(kernel))


def test_a_counter_has_no_bounds_behind_its_loop():
    def kernel(x, out):
        i = cuda.grid(1)
        n = x.size
        d = 7
        for d in range(-1, x[0]):
            out[0, 1] = d
        if i < n:
            out[i, 0] = (i + d) % n

    check(kernel)
