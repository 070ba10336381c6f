"""Dicts with constant keys: written in the function, or global."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda
from warpwise._script import Function

WEIGHTS = {-1: 0.25, 0: 0.5, 1: 4, 7.5: 8}
NAMES = {"near": 1.5, "far": 20}


def same_as_in_python(kernel, *arguments):
    expected = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
    kernel(*expected)
    given = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
    Function(kernel)[1, 1](*given)
    for one, other in zip(given, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def looked_up(x, out, n):
    for i in range(x.size):
        out[0, i] = WEIGHTS[x[i]]
        out[1, i] = {0: 3, 1: n, -1: x[i], 7.5: 2}[x[i]]
        out[2, i] = WEIGHTS.get(x[i] + n - 3, -5)
        out[3, i] = (x[i] in WEIGHTS) + 2 * (i not in WEIGHTS)
        out[4, i] = WEIGHTS[True] + NAMES["far"] + NAMES.get("none", 3)
    out[5, 0] = len(WEIGHTS)
    for key, value in WEIGHTS.items():
        out[5, 1] = 3 * out[5, 1] + key * value
    for key in WEIGHTS.keys():  # noqa: SIM118
        out[5, 2] = 3 * out[5, 2] + key
    out[5, 3] = sum(NAMES.values())
    for i, key in enumerate(WEIGHTS):
        out[5, 4] = 3 * out[5, 4] + i * key


def test_keys_at_run_time():
    same_as_in_python(looked_up, np.array([0, 1, -1, 7.5, 1, 0]), np.zeros((6, 6)), 3)


def with_whole_keys(x, out, wide):
    codes = {3: 30, 2**40: 40, -2: 50}
    for i in range(x.size):
        out[i] = codes[x[i]] + codes.get(wide[i], 1) * 100
    pairs = {1: (2, 3.5), 2: (4, 5)}
    a, b = pairs[x[0] - 2]
    out[3] = a + 10 * b


def test_whole_keys():
    x = np.array([3, 2**40, -2])
    wide = np.array([3, 2**63, 2**64 - 2], np.uint64)
    same_as_in_python(with_whole_keys, x, np.zeros(4), wide)


def lacking(x, out):
    out[0] = 1
    out[1] = WEIGHTS[x[0]]
    out[2] = 1


def test_a_key_that_it_lacks_ends_the_thread():
    out = np.zeros(3)
    Function(lacking)[1, 1](np.array([3.0]), out)
    np.testing.assert_array_equal(out, [1, 0, 0])
    with pytest.raises(KeyError, match="lacks the key"):
        cuda.jit(lacking, debug=True, opt=False)[1, 1](np.array([3.0]), np.zeros(3))


def test_a_changed_dict_compiles_again():
    table = {1: 5, 2: 6}

    @Function
    def kernel(x):
        x[0] = table.get(int(x[0]), -1)

    def result(key):
        x = np.array([float(key)])
        kernel[1, 1](x)
        return x[0]

    assert [result(k) for k in (1, 2, 3)] == [5, 6, -1]
    table[2] = 60
    assert [result(k) for k in (1, 2, 3)] == [5, 60, -1]
    table[3] = 70
    assert [result(k) for k in (1, 2, 3)] == [5, 60, 70]
    del table[1]
    assert [result(k) for k in (1, 2, 3)] == [-1, 60, 70]


def with_unknown_keys(x):
    x[0] = {x[1]: 2, 3: 4}[x[0]]


def with_a_key_twice(x):
    x[0] = {1: 2, True: 4}[x[0]]  # noqa: F601


def assigned(x):
    d = {1: 2, 2: 4}
    d[1] = x[0]


def of_several_types(x):
    x[0] = {1: 2, 2: (3, 4)}[x[0]]


def lacking_a_constant(x):
    x[0] = WEIGHTS[5]


def popped(x):
    d = {1: 2}
    x[0] = d.pop(1)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (with_unknown_keys, "keys of dicts are constants"),
        (with_a_key_twice, "one value for each key"),
        (assigned, "do not change dicts"),
        (of_several_types, "several types"),
        (lacking_a_constant, "lacks this key"),
        (popped, "not pop"),
    ],
)
def test_other_dicts_are_refused(kernel, message):
    with pytest.raises((ww.CompileError, ww.UnsupportedError), match=message):
        Function(kernel)[1, 1](np.ones(3))
