"""Parts of arrays that are assigned whole, and NumPy's functions that write to an array."""

from __future__ import annotations

import linecache
import operator

import numpy as np
import pytest

import warpwise as ww
from warpwise._script import Function

pytestmark = pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")


def run(function, *arguments):
    Function(function)[1, 1](*arguments)
    return arguments[0]


def in_python(function, *arguments):
    function(*arguments)
    return arguments[0]


def fill(x):
    x[1:3] = 7
    x[-2:] = x[0] + 0.5


def fill_local(x):
    own = ww.cuda.local.array((3, 4), np.float64)
    own[:] = 1
    own[1] = 2
    own[:, 2] = 3
    own[::2, ::-3] = 4
    for i in range(3):
        for j in range(4):
            x[4 * i + j] = own[i, j]


def in_plain_python(x):
    own = np.empty((3, 4))
    own[:] = 1
    own[1] = 2
    own[:, 2] = 3
    own[::2, ::-3] = 4
    x[:12] = own.ravel()


def copy(x, y):
    x[2:5] = y[::2]
    x[5:] = y[1:2]
    x[0:1] = y[3]


def unpack(x, y):
    a, b, c = y[1:4]
    x[0:2] = a, b * c
    x[2:4] = x[1], x[0]
    x[4:7] = (c,)


def change(x, y):
    x[1:4] += 2
    x[::-1] *= y[:1]
    x[:3] -= y[4:1:-1]


def shift(x):
    x[2:] = x[:-2]


def shift_back(x):
    x[:-3] = x[3:]
    x[:] = x


def chained(x, y):
    x[:2] = y[:2] = 3.5


@pytest.mark.parametrize("function", [fill, copy, unpack, change, shift, shift_back, chained])
def test_parts_are_assigned_as_in_numpy(function):
    count = function.__code__.co_argcount
    given = [np.arange(9.0), np.array([10.0, 20, 30, 40, 50])][:count]
    wanted = [x.copy() for x in given]
    run(function, *given)
    in_python(function, *wanted)
    for one, other in zip(given, wanted, strict=True):
        assert np.array_equal(one, other)


def test_memory_of_the_thread():
    assert np.array_equal(run(fill_local, np.zeros(12)), in_python(in_plain_python, np.zeros(12)))


def test_several_axes_broadcast():
    def kernel(x, row, column):
        x[:, :] = row
        x[1:, :2] += column
        x[0] *= 2

    given = np.zeros((3, 4)), np.arange(4.0), np.array([[10.0], [20.0]])
    wanted = tuple(x.copy() for x in given)
    assert np.array_equal(run(kernel, *given), in_python(kernel, *wanted))


def test_rows_are_unpacked_and_assigned():
    def kernel(m, sums):
        (a, b), (c, d), last = m
        sums[0] = a * d - b * c + last[1]
        for k, (x, y) in enumerate(m):
            sums[1] += x * k - y
        x, y = m[1]
        m[1] = y, x
        m[0, :], m[2] = (m[2, 1], m[2, 0]), (7,)
        m[1:] = ((x, 1), (2, y))
        m[0] *= 2

    given = np.arange(6.0).reshape(3, 2) + 1, np.zeros(2)
    wanted = tuple(x.copy() for x in given)
    run(kernel, *given)
    in_python(kernel, *wanted)
    for one, other in zip(given, wanted, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize(("code", "message"), [
    ("a, b = x", "expected 2 values to unpack"),
    ("x[:] = 1, 2", "could not broadcast 2 values to another shape"),
])  # fmt: skip
def test_another_number_of_values_ends_the_thread(code, message):
    scope = {}
    file = f"<{code}>"
    source = f"def kernel(x):\n    {code}\n    x[0] = 9\n"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec"), scope)
    x = np.zeros(3)
    with pytest.raises(ValueError):
        scope["kernel"](x)
    run(scope["kernel"], x)
    assert x.tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match=message):
        ww.cuda.jit(scope["kernel"], debug=True, opt=False)[1, 1](x)


def test_a_value_is_evaluated_once_and_before_the_place():
    def next_number(counter):
        counter[0] += 1
        return counter[0]

    def kernel(x, counter):
        x[next_number(counter) : 4] = next_number(counter)

    given, wanted = (np.zeros(5), np.zeros(1, np.int64)), (np.zeros(5), np.zeros(1, np.int64))
    assert np.array_equal(run(kernel, *given), in_python(kernel, *wanted)) and given[1][0] == 2


def test_a_shape_that_does_not_fit_ends_the_thread():
    def kernel(x, y):
        x[1:3] = y
        x[0] = 9

    x = np.zeros(4)
    Function(kernel)[1, 1](x, np.ones(3))
    assert x.tolist() == [0, 0, 0, 0]
    with pytest.raises(ValueError, match="could not broadcast an array to another shape"):
        ww.cuda.jit(kernel, debug=True, opt=False)[1, 1](x, np.ones(3))


def reversed_part(x):
    x[:] = x[::-1]


def text(x):
    x[1:] = "text"


def too_many_axes(x):
    own = ww.cuda.local.array((2, 2), np.float64)
    x[:2] = own


def whole_number_of_a_float(x):
    own = ww.cuda.local.array(4, np.int32)
    np.sqrt(x, own)


def no_output(x):
    y = np.sin(x)
    x[0] = y[0]


def in_an_expression(x):
    x[0] = 1 + np.sin(x, x)


@pytest.mark.parametrize(("function", "words"), [
    (reversed_part, "the parts of the array may overlap"),
    (text, "a part of an array cannot be str"),
    (too_many_axes, "an array float64[:, ::1] does not fit into an array float64"),
    (whole_number_of_a_float, "numpy.sqrt gives float64, which an array of int32 does not hold"),
    (no_output, "numpy.sin of an array needs one for the results"),
    (in_an_expression, "numpy.sin of an array is a statement of its own"),
])  # fmt: skip
def test_what_is_refused(function, words):
    with pytest.raises(ww.Error) as caught:
        Function(function).inspect_source("float64[::1]")
    assert words in str(caught.value)


FUNCTIONS = [
    np.sin, np.arccos, np.arctan2, np.hypot, np.add, np.power, np.floor_divide, np.maximum,
    np.logical_and, np.logical_or, np.logical_xor, np.logical_not, np.less, np.greater_equal,
    np.equal, np.not_equal, np.negative, np.absolute, np.isnan, np.floor, np.sign, np.deg2rad,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
def test_numpys_functions_write_to_an_array(function):
    rng = np.random.default_rng(5)
    inputs = [rng.random((4, 3)), rng.random(3)][: function.nin]
    dtype = function(*inputs).dtype
    if function.nin == 1:

        def kernel(out, x):
            function(x, out)
    else:

        def kernel(out, x, y):
            function(x, y, out)

    out = run(kernel, np.zeros((4, 3), dtype), *inputs)
    np.testing.assert_allclose(out, function(*inputs), rtol=1e-14)


@pytest.mark.parametrize("function", [
    np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert, np.left_shift, np.remainder, np.fmax,
], ids=lambda one: one.__name__)  # fmt: skip
def test_numpys_functions_of_whole_numbers(function):
    def kernel(out, x, y):
        if unary:
            function(x, out=out)
        else:
            function(x, y, out=out)

    unary = function.nin == 1
    x, y = np.arange(-6, 6), np.arange(1, 13)
    out = run(kernel, np.zeros(12, np.int64), x, y)
    assert np.array_equal(out, function(x) if unary else function(x, y))


def test_an_output_may_be_an_input_and_numbers_broadcast():
    def kernel(x):
        np.multiply(x, 2, x)
        np.add(1, x[1:], x[1:])

    assert run(kernel, np.arange(4.0)).tolist() == [0, 3, 5, 7]


def test_names_of_the_operators():
    def kernel(out, a, b):
        out[0] = operator.lt(a, b) + 2 * operator.eq(a, b) + 4 * operator.ne(a, b)
        out[1] = operator.neg(a) + operator.invert(b) + operator.lshift(a, 2)
        out[2] = operator.not_(a) + 2 * operator.truth(b) + operator.abs(a)
        out[3] = np.logical_xor(a, b) + 2 * np.less_equal(a, b) + 4 * np.not_equal(a, 0)
        out[4] = np.invert(a) + np.negative(b) + np.invert(a == b)

    given, wanted = np.zeros(5, np.int64), np.zeros(5, np.int64)
    Function(kernel)[1, 1](given, -3, 5)
    kernel(wanted, np.int64(-3), np.int64(5))
    assert given.tolist() == wanted.tolist()


def test_numpys_other_names():
    def kernel(out, x):
        out[0] = np.arccos(x) + np.arctan2(x, 2.0) + np.power(x, 2.0) + np.arcsinh(x)

    out = run(kernel, np.zeros(1), 0.25)
    assert out[0] == pytest.approx(
        np.arccos(0.25) + np.arctan2(0.25, 2) + 0.25**2 + np.arcsinh(0.25)
    )
