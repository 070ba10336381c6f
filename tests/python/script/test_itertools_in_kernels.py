"""What loops of kernels go over by itertools."""

from __future__ import annotations

import itertools
import operator
from itertools import combinations, permutations, product

import numpy as np
import pytest

import warpwise as ww
from warpwise._script import Function

NEAR = (-1, 0, 1)


def same_as_in_python(kernel, *arguments):
    expected = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
    kernel(*expected)
    given = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
    Function(kernel)[1, 1](*given)
    for one, other in zip(given, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def products(x, n):
    for k, (dx, dy) in enumerate(product(NEAR, repeat=2)):
        x[k] = 10 * dx + n * dy
    for i, j, k in itertools.product(range(3), repeat=3):
        x[9] += x[i] * (j + 1) - k
    for a, b, c, d in product((1, n), range(2), repeat=2):
        x[10] = 3 * x[10] + a + 2 * b + 3 * c + 5 * d
    for i, j in product(range(n), repeat=2):
        x[11] = x[11] * 2 + i * j
    for a, b, c, d in product((1, 2, 3, n), repeat=4):
        x[12] = (x[12] * 5 + a + 2 * b + 3 * c + 7 * d) % 10007
    for value in product((n, 2)):
        x[13] += value[0]
    x[14] = sum(a * b for a, b in product((1, 2, n), repeat=2))


def test_product_repeats():
    same_as_in_python(products, np.zeros(15), 5)


def selections(x, n):
    for a, b in combinations((1, n, 3, 7), 2):
        x[0] = 2 * x[0] + a * b
    for a, b, c in permutations((1, n, 3)):
        x[1] = 2 * x[1] + a + 3 * b + 5 * c
    for a, b in permutations(range(4), r=2):
        x[2] = 2 * x[2] + a - b
    for a, b in itertools.combinations_with_replacement((n, 2, 3), 2):
        x[3] = 2 * x[3] + a * b
    for pair in combinations((1, n), 3):
        x[4] += len(pair)
    pairs = [a - b for a, b in combinations((n, 2, 9), 2)]
    x[5] = pairs[0] + 10 * pairs[1] + 100 * pairs[2]
    for k, (a, b) in enumerate(zip(combinations(range(3), 1), permutations((n, 1)))):
        x[6] += k + a[0] + b[1]
    for none in permutations((1, n), 0):
        x[7] += 1 + len(none)


def test_combinations_and_permutations():
    same_as_in_python(selections, np.zeros(8), 5)


def add_twice(a, b):
    return a + 2 * b


def sums(x, n):
    for k, v in enumerate(itertools.accumulate((1, n, x[0], 4))):
        x[1 + k] = v
    for v in itertools.accumulate((1, n, 3), operator.mul):
        x[5] = 3 * x[5] + v
    for v in itertools.accumulate((1, n, 3), func=add_twice, initial=7):
        x[6] = 3 * x[6] + v
    for v in itertools.accumulate(range(5), lambda a, b: max(a, n - b)):
        x[7] = 3 * x[7] + v


def test_accumulate():
    same_as_in_python(sums, np.array([2.5, 0, 0, 0, 0, 0, 0, 0]), 3)


def sums_of_arrays(x, n):
    for k, v in enumerate(itertools.accumulate(x)):
        x[k] += v / 2
    for v, u in zip(itertools.accumulate(x, operator.mul), x, strict=True):
        x[5] = 3 * x[5] + v * u
    for v in itertools.accumulate(x, max, initial=1):
        x[6] = 3 * x[6] + v
    for v in itertools.accumulate(range(n), lambda a, b: a + n * b):
        if v > 20:
            break
        x[7] = 3 * x[7] + v
    x[0] = sum(itertools.accumulate(x)) + max(v for v in itertools.accumulate(x))


def test_accumulate_of_arrays():
    same_as_in_python(sums_of_arrays, np.array([2.0, 1, 3, -1, 4, 0, 0, 0]), 5)


def test_accumulated_whole_numbers_have_64_bits():
    def kernel(x, out):
        for k, v in enumerate(itertools.accumulate(x)):
            out[k] = v

    x = np.array([2**31 - 1, 2**31 - 1, 5], np.int32)
    out = np.zeros(3, np.int64)
    Function(kernel)[1, 1](x, out)
    assert out.tolist() == [2**31 - 1, 2**32 - 2, 2**32 + 3]


def test_accumulate_of_nothing():
    def kernel(x, out):
        for v in itertools.accumulate(x):
            out[0] = v + 1
        for v in itertools.accumulate(x, initial=5):
            out[1] = v

    out = np.zeros(2)
    Function(kernel)[1, 1](np.zeros(0), out)
    assert out.tolist() == [0, 5]


def in_other_order(x):
    for a, b in itertools.pairwise(itertools.accumulate(x)):
        x[0] = a + b


def too_often(x, n):
    for a, b in product(x, repeat=n):
        x[0] = a + b


def too_many(x):
    for a in combinations(range(30), 3):
        x[0] = a[0]


def of_another_length(x, n):
    for a in combinations((1, 2, 3), n):
        x[0] = len(a)


def acts(x):
    for a, b in product((bump(x), 1), (2, 3)):
        x[0] = a + b


def bump(x):
    x[1] += 1
    return x[1]


def test_a_product_calls_what_acts_once():
    same_as_in_python(acts, np.zeros(3))


@pytest.mark.parametrize(
    ("kernel", "arguments", "message"),
    [
        (in_other_order, (), "is gone over by a loop itself"),
        (too_often, (2,), "repeat is a constant"),
        (too_many, (), "256 items at most"),
        (of_another_length, (2,), "r is a constant"),
    ],
)
def test_what_is_not_known_when_compiled_is_refused(kernel, arguments, message):
    with pytest.raises((ww.CompileError, ww.UnsupportedError), match=message):
        Function(kernel)[1, 1](np.zeros(3), *arguments)
