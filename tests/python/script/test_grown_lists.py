"""Lists that append() makes longer, in loops of a known number of turns."""

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


def collected(x, out):
    near = []
    for k in range(8):
        if x[k] > 2:
            near.append(x[k])
    out[0] = len(near)
    total = 0
    for v in near:
        total += v
    out[1] = total
    out[2] = sum(near) + max(near) - near[0] + 3 * near[-1]
    for k, v in enumerate(near):
        out[3] += k * v
    out[4] = 1 if near else 0
    out[5] = 1 if 3.5 in near else 0
    near[1] = 7
    out[6] = near[1] + near[len(near) - 1]


def test_items_that_a_condition_chooses():
    same_as_in_python(collected, np.array([1, 3.5, 2, 5, 7, 0.5, 2.5, 9]), np.zeros(7))


def wider(x, out, n):
    found = [n]
    found.append(2)
    found.append(x[1])
    found.extend((4, n / 2))
    found += [n, 0.25]
    for k in range(len(found)):
        out[k] = found[k]


def test_the_items_have_a_type_that_holds_all():
    same_as_in_python(wider, np.array([1, 3.25]), np.zeros(7), 5)


def made_in_a_loop(x, out):
    for i in range(x.size):
        row = []
        for a in (1, x[i], 3):
            for b in range(0, 6, 2):
                if a * b > x[i]:
                    row.append(a * b)
                else:
                    continue
                if len(row) == 5:
                    break
        out[i] = len(row) + sum(row)


def test_a_list_in_each_turn():
    same_as_in_python(made_in_a_loop, np.array([0.5, 2, 7, 100]), np.zeros(4))


def made_again(x, out):
    part = []
    k = 0
    for i in range(12):
        part.append(x[i])
        if len(part) == 4:
            out[k] = sum(part)
            k += 1
            part = []
    out[k] = len(part)


def test_a_list_that_is_emptied():
    same_as_in_python(made_again, np.arange(12.0), np.zeros(4))


def count_of(items, limit):
    return sum(1 for v in items if v > limit)


def given_away(x, out):
    found = []
    flags = []
    for k in range(5):
        found.append(x[k] * 2)
        flags.append(x[k] > 1)
    out[0] = count_of(found, 3)
    add = lambda b: b + found[2]  # noqa: E731
    out[1] = add(1)
    out[2] = any(flags) + 2 * all(flags)


def test_functions_read_it():
    same_as_in_python(given_away, np.array([0.5, 3, 1, 4, 1.25]), np.zeros(3))


def checked(x, k):
    found = []
    for i in range(3):
        if x[i] > 0:
            found.append(x[i])
    x[0] = found[k]


def test_an_index_behind_its_end_is_an_error_with_checks():
    kernel = cuda.jit(checked, debug=True, opt=False)
    x = np.array([1.0, -1, 2])
    kernel[1, 1](x, 1)
    assert x[0] == 2
    with pytest.raises(IndexError):
        kernel[1, 1](np.array([1.0, -1, 2]), 2)


def in_while(x):
    found = []
    while x[0] > 0:
        found.append(1)
        x[0] -= 1


def in_unknown_range(x):
    found = []
    for i in range(x.size):
        found.append(i)
    x[0] = len(found)


def too_long(x):
    found = []
    for i in range(1000):
        found.append(i)
        found.append(x[0])
    x[0] = len(found)


def other_name(x):
    found = []
    other = found
    for i in range(3):
        found.append(i)
    x[0] = len(other)


def popped(x):
    found = [1.5]
    found.append(2)
    x[0] = found.pop()


def of_a_parameter(x):
    def add(items):
        items.append(2)

    found = [1, 2]
    found.append(3)
    add(found)
    x[0] = len(found)


def of_tuples(x):
    found = []
    for i in range(3):
        found.append((i, 2))
    x[0] = len(found)


def in_an_expression(x):
    found = []
    x[0] = 1 if found.append(2) is None else 0


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (in_while, "number of turns is known"),
        (in_unknown_range, "number of turns is known"),
        (too_long, "up to 1024 items"),
        (other_name, "has one name"),
        (popped, "fixed length"),
        (of_a_parameter, "fixed length"),
        (of_tuples, "one list for each part"),
        (in_an_expression, "statement of its own"),
    ],
)
def test_other_growth_is_refused(kernel, message):
    with pytest.raises((ww.CompileError, ww.UnsupportedError), match=message):
        Function(kernel)[1, 1](np.ones(3))
