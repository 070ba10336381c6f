"""Indices that are natural because one variable is not below another: those are read as they are,
and others are still counted from the end."""

from __future__ import annotations

import numpy as np
import pytest

from warpwise import cuda
from warpwise._script import Function


def merge(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        low, high = max(0, i - b.size), min(i, a.size)
        while low < high:
            middle = (low + high) // 2
            if a[middle] <= b[i - middle - 1]:
                low = middle + 1
            else:
                high = middle
        from_a = low < a.size and (i - low >= b.size or a[low] <= b[i - low])
        out[i] = a[low] if from_a else b[i - low]


def search(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        low, high = 0, a.size
        while low < high:
            middle = low + (high - low) // 2
            if a[middle] < i:
                low = middle + 1
            else:
                high = middle
        out[i] = low


def convolve(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        for j in range(max(0, i - b.size + 1), min(i + 1, a.size)):
            out[i] += a[j] * b[i - j]


def palindromes(a, b, out):
    i = cuda.grid(1)
    if i < a.size:
        k = 0
        while i - k - 1 >= 0 and i + k + 1 < a.size and a[i - k - 1] == a[i + k + 1]:
            k += 1
        out[i] = k


def windows(a, b, out):
    i = cuda.grid(1)
    wide = 3
    if wide <= i < a.size:
        for k in range(wide + 1):
            out[i] += a[i - k]
        for k in range(wide, -1, -1):
            out[i] += 2 * a[i - wide + k]


def two_ends(a, b, out):
    i = cuda.grid(1)
    if i < a.size:
        first, last = 0, i
        while first < last:
            out[i] += a[last - first] * b[last - first - 1]
            first += 1
            last -= 1


KERNELS = [merge, search, convolve, palindromes, windows, two_ends]


def arguments():
    a, b = np.sort(np.arange(20) * 7 % 13), np.arange(24) % 5
    return a, np.sort(b), np.zeros(44, np.int64)


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_index_is_not_compared_with_zero(kernel):
    text = Function(kernel).inspect_source("int64[::1], int64[::1], int64[::1]")
    assert "__ww_py_wrap" not in text


@pytest.mark.parametrize("kernel", KERNELS)
def test_they_give_what_python_gives(kernel, monkeypatch):
    a, b, expected = arguments()
    for i in range(expected.size):
        monkeypatch.setattr(cuda, "grid", lambda _, i=i: i)
        kernel(a, b, expected)
    monkeypatch.undo()
    got = np.zeros_like(expected)
    Function(kernel)[1, 44](a, b, got)
    np.testing.assert_array_equal(got, expected)


def passes_the_other(x, out, i, n):
    low, high = 0, i
    while low <= high:
        out[0] = 3 * out[0] + x[high - low - 1]  # -1 in the last turn
        low += 2
        high -= 1
    out[1] = x[high - low]


def changes_in_the_loop(x, out, i, n):
    end = n
    for k in range(end):
        end -= 2
        out[0] = 3 * out[0] + x[end - k]
    out[1] = x[end - i]


def in_one_branch_alone(x, out, i, n):
    k = n
    if i < 3:
        k = i + 1
    out[0] = x[k - i - 1] + x[k - n]
    while k > i:
        k -= 3
    out[1] = x[k - i]


def of_another_variable(x, out, i, n):
    least, most = min(i, n), max(i, n)
    out[0] = x[most - least] + x[least - most] * 3
    out[1] = x[i - least] + x[n - most] * 5


def rounded(x, out, i, n):
    middle = (i + n) // 2
    out[0] = x[middle - i] + 3 * x[n - middle]
    out[1] = x[i - middle] + 3 * x[(i - n) // 2 - 1]


def written_in_a_condition(x, out, i, n):
    k = 0
    while (k := k + 1) < i:
        out[0] = 3 * out[0] + x[i - k - 1]
    out[1] = x[i - k - 1]


def assigned_behind_its_use(x, out, i, n):
    k = n - 9
    for t in range(2):
        out[t] = x[(k - i) + (k := i + 4)]


def through_a_variable_of_the_loop(x, out, i, n):
    t, d = max(-8, min(8, i)), max(-8, min(8, n))
    while t < d:
        m = t + (d - t) // 2
        if x[m] % 2 == 0:
            t = m + 1
        else:
            d = m
    low, high = d, t
    while low < high:
        half = (low + high) // 2
        out[0] = 3 * out[0] + x[low - half]
        high = half
    out[1] = x[d - t]


def assigned_in_the_stop(x, out, i, n):
    k = n
    for t in range(2):
        for j in range(k - 3, (k := i + 1)):
            out[t] = 3 * out[t] + x[j - i + 1]


@pytest.mark.parametrize(
    "kernel",
    [
        assigned_behind_its_use,
        assigned_in_the_stop,
        through_a_variable_of_the_loop,
        passes_the_other,
        changes_in_the_loop,
        in_one_branch_alone,
        of_another_variable,
        rounded,
        written_in_a_condition,
    ],
)
@pytest.mark.parametrize("i", [0, 1, 2, 5, 6])
@pytest.mark.parametrize("n", [1, 4, 7])
def test_an_index_that_may_be_negative_counts_from_the_end(kernel, i, n):
    x = np.arange(16) * 7 % 23 + 1
    expected, got = np.zeros(2, np.int64), np.zeros(2, np.int64)
    kernel(x, expected, i, n)
    Function(kernel)[1, 1](x, got, i, n)
    np.testing.assert_array_equal(got, expected)
