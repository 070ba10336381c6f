"""Integers of a launch that are all natural choose a kernel that knows it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda
from warpwise._script import Function


def at(x, out, i, step):
    out[0] = x[i]
    out[1] = x[i * step + 1]
    out[2] = i // step
    out[3] = i % step
    out[4] = 1 if i < x.size else 0
    if i > 2:
        i -= 7
        out[5] = x[i]  # another number than the argument
    step = -step
    out[6] = x[step]
    out[7] = i % 5


CALLS = [(0, 1), (3, 2), (-1, 3), (4, -2), (-3, -2), (6, 1), (np.int32(5), np.int32(-2))]
CALLS += [(np.int64(2), 2), (np.int8(3), np.int16(2)), (np.int8(-3), np.int16(2))]


def expected(i, step):
    x = np.arange(100.0, 120.0)
    out = np.zeros(8)
    at(x, out, int(i), int(step))
    return out


@pytest.mark.parametrize("order", [1, -1])
def test_signs_take_turns(order):
    function = Function(at)
    launch = function[1, 1]
    x = ww.asarray(np.arange(100.0, 120.0))
    for _round in range(3):
        for i, step in CALLS[::order]:
            out = ww.zeros(8)
            launch(x, out, i, step)
            np.testing.assert_array_equal(out.get(), expected(i, step))


def large(x, out, i):
    out[0] = (i * i * i) % 10
    out[1] = x[i >> 60]
    out[2] = (i + i) // 3


@pytest.mark.parametrize("i", [2**31 - 1, 2**31, 2**40 + 5, 2**63 - 1, -(2**63)])
def test_large_numbers_are_no_sizes(i):
    function = Function(large)
    x = ww.asarray(np.arange(100, 120))
    out = ww.zeros(3, np.int64)
    function[1, 1](x, out, 3)
    function[1, 1](x, out, i)

    def cut(value):
        return (value + 2**63) % 2**64 - 2**63

    assert out.get().tolist() == [cut(i**3) % 10, 100 + (i >> 60) % 20, cut(2 * i) // 3]


def added(x, out, offset):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i + offset]


TYPES = "float64[::1], float64[::1], int64"


def test_the_general_kernel_is_shown_and_compiled_for_signatures():
    function = Function(added)
    x = ww.asarray(np.arange(8.0))
    out = ww.zeros(4)
    function[1, 4](x, out, 2)
    assert "__ww_py_wrap" not in function.kernels[TYPES].source
    assert "__ww_py_wrap" in function.inspect_source(TYPES)
    function[1, 4](x, out, -6)
    np.testing.assert_array_equal(out.get(), [2, 3, 4, 5])
    assert list(function.kernels) == [TYPES]
    assert "__ww_py_wrap" in function.kernels[TYPES].source
    eager = Function(added, signatures=[TYPES])
    eager[1, 4](x, out, 2)  # compiles nothing
    assert "__ww_py_wrap" in eager.kernels[TYPES].source
    np.testing.assert_array_equal(out.get(), [2, 3, 4, 5])


def test_unpickled_launchers_have_both():
    launch = Function(added)[1, 4]
    x = ww.asarray(np.arange(8.0))
    out = ww.zeros(4)
    launch(x, out, 1)
    again = pickle.loads(pickle.dumps(launch))
    for offset in (1, -8, 2, -5):
        again(x, out, offset)
        np.testing.assert_array_equal(out.get(), [(i + offset) % 8 for i in range(4)])


def test_one_index_of_usual_sizes_needs_no_test_of_its_sign():
    def kernel(x, out, width, offset):
        i, j = cuda.grid(2)
        for k in range(offset, width, 2):
            out[(j + offset) % out.size] += x[i * width + (k - offset) + j // width]

    function = Function(kernel)
    x = ww.zeros(64)
    function[1, 1](x, x, 2, 1)
    (found,) = function.inspect_source().values()
    for name in ("wrap", "mod", "floor_div"):
        assert f"__ww_py_{name}(" not in found


def test_a_captured_launch_takes_any_integers_later():
    @cuda.jit
    def quarters(out, n):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = (n >> 2) + i

    out = ww.zeros(4, np.int64)
    stream = ww.Stream()
    with stream.capture() as graph:
        quarters[1, 4, stream](out, 5)
    place = np.zeros((), [("data", np.uint64), ("shape", np.int64)])
    place["data"], place["shape"] = out.ptr, 4
    for n in (2**40, -9, 5):
        graph.kernels[0].set_arguments(place[()], n)
        graph.launch(stream)
        stream.synchronize()
        np.testing.assert_array_equal(out.get(), (n >> 2) + np.arange(4))
