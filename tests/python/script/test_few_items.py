"""Arrays with few items along the last axis choose a kernel that knows how many they are."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda
from warpwise._script import Function


def ends(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        out[i, 0] = x[i, 0]
        out[i, 1] = x[i, -1]


def expected(x):
    return x[:, [0, -1]]


def run(function, x):
    out = ww.zeros((x.shape[0], 2))
    function[1, x.shape[0]](ww.asarray(x), out)
    np.testing.assert_array_equal(out.get(), expected(x))


def values(*shape):
    return np.arange(1.0, 1 + np.prod(shape)).reshape(shape)


def source(function):
    (found,) = function.inspect_source().values()
    return found


@pytest.mark.parametrize("order", [1, -1])
def test_extents_take_turns(order):
    function = Function(ends)
    for _round in range(2):
        for last in range(1, 12)[::order]:
            run(function, values(5, last))
            run(function, values(7, last))
            run(function, values(4, 2 * last)[:, ::2])


def test_it_is_compiled_for_few_extents_only():
    def of_three(x, y, z, out):
        out[0] = x[0, 1] + y[0, 1] + z[0, 1]

    function = Function(of_three)
    for a, b, c in np.ndindex(3, 3, 3):
        arrays = [values(3, n + 2) for n in (a, b, c)]
        out = ww.zeros(1)
        function[1, 1](*(ww.asarray(one) for one in arrays), out)
        assert out.get()[0] == sum(one[0, 1] for one in arrays)
    assert "__ww_py_of_last" not in source(function)  # the kernel for all extents


def test_the_general_kernel_is_compiled_for_signatures():
    types = "float64[:,::1], float64[:,::1]"
    function = Function(ends)
    run(function, values(5, 3))
    assert "__ww_py_of_last<3>(x_arg)" in source(function)
    assert "__ww_py_of_last" not in function.inspect_source(types)
    eager = Function(ends, signatures=[types])
    run(eager, values(5, 3))  # compiles nothing
    assert "__ww_py_of_last" not in source(eager)
    function.compile(types)
    run(function, values(5, 3))
    assert "__ww_py_of_last" not in source(function)


def test_a_kernel_gets_arrays_of_other_extents():
    function = Function(ends)
    run(function, values(5, 3))
    (kernel,) = function.kernels.values()
    kernel_source = kernel.source
    again = pickle.loads(pickle.dumps(function))
    run(again, values(5, 4))
    run(again, values(5, 3))
    assert "__ww_py_of_last<3>(x_arg)" in kernel_source


def test_signs_and_extents_take_turns():
    def shifted(x, offset, out):
        for i in range(out.shape[0]):
            for c in range(x.shape[1]):
                out[i, c] = x[i + offset, c]

    function = Function(shifted)
    for offset in (1, -3, 2, -1):
        for last in (3, 4, 3, 2, 9):
            x = values(8, last)
            out = ww.zeros((4, last))
            function[1, 1](ww.asarray(x), offset, out)
            np.testing.assert_array_equal(out.get(), x[[i + offset for i in range(4)]])


def by_constants(x, out):
    out[0] = x[0, 2]


def by_counters(x, out):
    for k in range(3):
        out[0] += x[0, k]


def by_its_length(x, out):
    for k in range(x.shape[1]):
        out[0] += x[0, k]


def by_a_length_with_a_name(x, out):
    n = x.shape[1]
    for k in range(n):
        out[0] += x[0, k]


def by_rows(x, out):
    for value in x[0]:
        out[0] += value


def by_names(x, out):
    out[0], _, _ = x[0]


def third(row):
    return row[2]


def in_a_function(x, out):
    out[0] = third(x[0])


LOOKS = [by_constants, by_counters, by_its_length, by_a_length_with_a_name, by_rows, by_names]


@pytest.mark.parametrize("looks", [*LOOKS, in_a_function])
def test_axes_with_constant_indices_and_loops_are_known(looks):
    function = Function(looks)
    x, out, want = values(2, 3), ww.zeros(1), np.zeros(1)
    function[1, 1](ww.asarray(x), out)
    looks(x, want)
    np.testing.assert_array_equal(out.get(), want)
    assert "__ww_py_of_last<3>(x_arg)" in source(function)


def by_threads(x, out):
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        out[i, j] = x[i, j]


def by_a_variable(x, out):
    j = 0
    while j < x.shape[1]:
        out[0, j] = x[0, j]
        j += 1


@pytest.mark.parametrize("looks", [by_threads, by_a_variable])
def test_other_kernels_are_compiled_once(looks):
    function = Function(looks)
    function[1, (2, 3)](ww.asarray(values(2, 3)), ww.zeros((2, 3)))
    assert "__ww_py_of_last" not in source(function)


def test_an_array_that_is_another_one_later():
    def replaced(x, y, out):
        if out[0] > 0:
            x = y
        out[0] = x[1, 1]

    function = Function(replaced)
    for first in (0.0, 1.0):
        x, y = values(2, 3), values(2, 4)
        out = ww.asarray(np.array([first]))
        function[1, 1](ww.asarray(x), ww.asarray(y), out)
        assert out.get()[0] == (y if first > 0 else x)[1, 1]
