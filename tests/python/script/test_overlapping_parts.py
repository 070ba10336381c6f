"""Parts of an array that change by other parts of it: NumPy reads all before it writes."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww
from warpwise._script import Function


def add_before(m):
    m[1:] += m[:-1]


def add_behind(m):
    m[:-1] += m[1:]


def multiply_columns(m):
    m[:, 1:] *= m[:, :-1]


def shift_columns(m):
    m[:, :-1] = m[:, 1:]


def change_a_square(m):
    m[:2, 1:3] -= m[1:3, :2]


def double_in_place(m):
    m += m
    m[1] *= m[1]


def add_columns(m):
    m[:, 0] += m[:, 2]


def write_over_an_operand(m):
    np.subtract(m[1:], m[:-1], m[1:])
    np.multiply(m[0], m[0], m[0])
    np.add(m[:-1], m[1:], out=m[:-1])


def own_array(m):
    own = ww.cuda.local.array(4, np.float64)
    for i in range(4):
        own[i] = m[0, i]
    own[1:] += own[:-1]
    for i in range(4):
        m[0, i] = own[i]


def in_numpy(function, m):
    if function is own_array:
        m[0, 1:4] += m[0, :3].copy()
        return m
    function(m)
    return m


PARTS = [
    add_before, add_behind, multiply_columns, shift_columns, change_a_square, double_in_place,
    add_columns, write_over_an_operand, own_array,
]  # fmt: skip


@pytest.mark.parametrize("function", PARTS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("step", [1, 2])
def test_all_is_read_before_it_is_written(function, step):
    whole = np.arange(36.0 * step * step).reshape(6 * step, 6 * step) + 1
    expected = in_numpy(function, whole[::step, ::step].copy())
    given = whole[::step, ::step]
    Function(function)[1, 1](given)
    np.testing.assert_array_equal(given, expected)


def up_and_right(m):
    m[1:, :-1] += m[:-1, 1:]


def down_and_left(m):
    m[:-1, 1:] = m[1:, :-1]


def with_steps(m):
    m[2::2, :-1:2] += m[:-2:2, 1::2]
    m[::-2, 1:] = m[-2::-2, :-1]


def down_and_right(m):
    m[1:, 1:] -= m[:-1, :-1]


ORDERS = [
    lambda m: m, lambda m: m.T, lambda m: m[::-1], lambda m: m[:, ::-1], lambda m: m[::-1, ::-1].T,
]  # fmt: skip


@pytest.mark.parametrize("function", [
    *PARTS[:7], up_and_right, down_and_left, with_steps, down_and_right,
], ids=lambda one: one.__name__)  # fmt: skip
@pytest.mark.parametrize("order", range(len(ORDERS)))
def test_axes_in_every_order_and_direction(function, order):
    expected, given = np.arange(36.0).reshape(6, 6) + 1, np.arange(36.0).reshape(6, 6) + 1
    function(ORDERS[order](expected))
    Function(function)[1, 1](ORDERS[order](given))
    np.testing.assert_array_equal(given, expected)


def test_views_that_the_kernel_turns():
    def kernel(m, x):
        turned = m.T
        turned[:-1, 1:] = turned[1:, :-1]
        row = m[0, ::-1]
        row[1:] = row[:-1]
        back = x[::-2]
        back[:-1] += back[1:]

    expected = np.arange(25.0).reshape(5, 5), np.arange(9.0)
    given = tuple(one.copy() for one in expected)
    kernel(*expected)
    Function(kernel)[1, 1](*given)
    for one, other in zip(given, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def turned(m):
    m += m.T


def turned_by_name(m):
    other = m.T
    m[:] = other


def row_by_column(m):
    m[2, :] += m[:, 1]


def row_of_column(m):
    m[2, :] = m[:, 1]


def backwards(m):
    m[0] += m[0, ::-1]


def two_neighbours(m):
    np.add(m[2:], m[:-2], m[1:-1])


@pytest.mark.parametrize("kind", ["float64[:, ::1]", "float64[:, :]"])
@pytest.mark.parametrize("function", [
    turned, turned_by_name, row_by_column, row_of_column, backwards, two_neighbours,
], ids=lambda one: one.__name__)  # fmt: skip
def test_parts_that_need_a_copy_are_refused(function, kind):
    with pytest.raises(ww.UnsupportedError, match="kernels have no memory for a copy"):
        Function(function).inspect_source(kind)


def test_elements_of_another_size_need_a_copy():
    def kernel(m):
        halves = m.view(np.float32)
        m[:] = halves[:, :6]

    with pytest.raises(ww.UnsupportedError, match="kernels have no memory for a copy"):
        Function(kernel).inspect_source("float64[:, ::1]")


def test_one_row_for_all_of_its_own_array_ends_the_thread():
    def kernel(m):
        m += m[:1]

    m = np.ones((3, 2))
    Function(kernel)[1, 1](m)
    assert (m == 1).all()
    with pytest.raises(ValueError, match="parts of one array have other shapes"):
        ww.cuda.jit(kernel, debug=True, opt=False)[1, 1](m)
