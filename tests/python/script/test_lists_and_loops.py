"""Lists in loops that are written out, what loops leave behind, arrays changed in their place."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda
from warpwise._script import Function


def same_as_in_python(kernel, *arguments):
    expected = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
    kernel(*expected)
    given = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
    Function(kernel)[1, 1](*given)
    for one, other in zip(given, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def list_in_each_turn(x, b):
    for t in (100, b, 4):
        acc = [0] * 3
        acc[1] += b
        acc[t % 3] += 0.5
        x[0] += acc[0] + 2 * acc[1] + 3 * acc[2]


def list_in_some_turns(x, b):
    for k, t in enumerate((100, b, 4)):
        if t > 4:
            acc = list(range(6))
            acc[k] = t
            x[k] = sum(acc)


def test_a_loop_over_a_tuple_makes_a_list_in_each_turn():
    same_as_in_python(list_in_each_turn, np.zeros(3), 5)
    same_as_in_python(list_in_some_turns, np.zeros(3), 5)


def test_lists_of_several_lengths_in_such_a_loop_are_refused():
    @Function
    def kernel(x):
        for n in (2, 3):
            acc = [0] * n
            acc[0] = n
            x[0] += len(acc)

    with pytest.raises(ww.UnsupportedError, match="one length"):
        kernel[1, 1](np.zeros(2))


def last_turns(x):
    for i in range(2, 9, 3):
        x[0] += i
    for j in range(5, -3, -2):
        x[1] += j
    for k in range(-4, -1):
        x[2] += k
    x[3] = 100 * i + 10 * j + k


def test_ranges_of_constants_leave_their_last_number():
    same_as_in_python(last_turns, np.zeros(4))


# What follows a loop whose first turn surely returns is not reached: its variables have no type.
def returns_from_a_tuple(a):
    for t in (7, 5, 4):
        if 6 != 2:
            return a + t
        a = t % 7 - 3
    return a % 97


def returns_from_a_range(a):
    for i in range(3):
        if 6 != 2:
            return a + i
        a = i % 7 - 3
    else:
        a = i
    return a % 97


def continues_or_breaks(a):
    for t in (7, 5, 4):
        if a > t:
            continue
        if 6 != 2:
            break
        a = t % 7 - 3
    for i in range(3):
        if a > i:
            continue
        return a
    return a % 97 + t


@pytest.mark.parametrize("loop", [returns_from_a_tuple, returns_from_a_range, continues_or_breaks])
@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_what_follows_a_loop_that_returns(loop, dtype):
    @Function
    def kernel(a, out):
        i = cuda.grid(1)
        out[i] = loop(a[i])

    a = np.array([-4, 0, 3, 6, 50], dtype)
    out = np.zeros(5)
    kernel[1, 5](a, out)
    assert out.tolist() == [loop(one) for one in a]


@pytest.mark.parametrize("bounds", ["3, 3", "4, 2", "1, 5, -1"])
def test_ranges_without_numbers_leave_none(bounds, tmp_path):
    file = tmp_path / "kernel.py"
    file.write_text(f"def kernel(x):\n    for i in range({bounds}):\n        pass\n    x[0] = i\n")
    scope = {"cuda": cuda}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    with pytest.raises(ww.CompileError, match="'i' has no value"):
        cuda.jit(scope["kernel"])[1, 1](np.zeros(2))


def arrays_in_place(x, y):
    x += 2
    row = x[1]
    row *= y
    x[0] -= row
    y //= 2


def test_an_operator_on_an_array_changes_it():
    same_as_in_python(arrays_in_place, np.arange(6.0).reshape(2, 3), np.array([3, -5, 8]))


def test_an_operator_on_an_array_takes_arrays_that_broadcast():
    @Function
    def kernel(x, y):
        x += y

    x = np.zeros((2, 3))
    kernel[1, 1](x, np.arange(3.0))
    assert x.tolist() == [[0, 1, 2]] * 2


def along_an_array(x, y, out):
    for v in x:
        out[0] = out[0] * 2 + v
        if v == 2:
            x = y
    out[1] = x[1]


def along_a_counted_array(x, y, out):
    for i, v in enumerate(x):
        out[0] = out[0] * 2 + v * (i + 1)
        if i == 1:
            x = y
    for v in x:
        out[1] += v


def along_two_arrays(x, y, out):
    for v, w in zip(x, y, strict=False):
        out[0] = out[0] * 2 + v - w
        if out[0] < 3:
            x, y = y, x
    out[1] = x[0]


def along_a_reversed_array(x, y, out):
    for v in reversed(x):
        out[0] = out[0] * 2 + v
        if out[0] > 3:
            x = y
    out[1] = x[1]


def along_all_elements(x, y, out):
    for _, v in np.ndenumerate(x):
        out[0] = out[0] * 2 + v
        if out[0] > 3:
            x = y
    out[1] = x[1]


def along_a_composed_sequence(x, y, out):
    for i, v in enumerate(reversed(x)):
        out[0] = out[0] * 2 + v * i
        if out[0] > 3:
            x = y
    out[1] = x[1]


@pytest.mark.parametrize(
    "kernel",
    [
        along_an_array,
        along_a_counted_array,
        along_two_arrays,
        along_a_reversed_array,
        along_all_elements,
        along_a_composed_sequence,
    ],
)
def test_a_loop_goes_along_what_it_began_with(kernel):
    same_as_in_python(kernel, np.arange(1.0, 6.0), np.arange(10.0, 30.0), np.zeros(2))
