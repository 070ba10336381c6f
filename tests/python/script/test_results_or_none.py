"""Functions that return a value on some paths and None on others, against Python's own results."""

from __future__ import annotations

import devices
import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda

pytestmark = pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")


@pytest.fixture(autouse=True)
def _on_the_device():
    with ww.Device(devices.NAME):
        yield


def place_of(x, v):  # noqa: RET503
    for i, one in enumerate(x):
        if one == v:
            return i


def difference(a, b):
    if a < b:
        return None
    return a - b


def chosen(a, b):
    return None if a < b else (a if a > 3 else None) if b > 1 else a * 2


def found(x, v):
    i = place_of(x, v)
    if i is None:
        return  # noqa: RET502
    return i, 10 * x[i]


def of_another(x, v):
    return place_of(x, v)


def halved(n):
    if n < 0:
        return None
    if n == 0:
        return 1.0
    rest = halved(n - 2)
    return None if rest is None else rest + 1


def a_place(x, v):
    i = place_of(x, v)
    return -1 if i is None else i


def a_comparison(x, v):
    return 3 if difference(x[2], v) is None else 4


def a_choice(x, v):
    t = chosen(x[4], v)
    return -1 if t is None else t


def a_tuple(x, v):
    pair = found(x, v)
    if pair is None:
        return -1
    i, value = pair
    return value + i


def a_named_condition(x, v):
    total = 0
    if (i := of_another(x, v)) is not None:
        total += 100 * i
    if (pair := found(x, v)) and pair[0] > 1:
        total += pair[1]
    return total


def a_loop(x, v):
    n, turns = v, 0
    while (d := difference(n, 1)) is not None:
        n, turns = d, turns + 1
    return turns


def a_test(x, v):
    total = 1 if difference(v, 4) else 2
    if not difference(v, 3):
        total += 10
    return total


def a_greatest(x, v):
    best = None
    for one in (v, 1, 9, 2):
        i = place_of(x, one)
        if i is None:
            continue
        if best is None or i > best:
            best = i
    return 99 if best is None else best


def a_count(x, v):
    return sum(1 for k in range(9) if place_of(x, k + v) is not None)


def a_next(x, v):
    i = next((k for k, one in enumerate(x) if one > v), None)
    return -1 if i is None else i


def a_recursion(x, v):
    result = halved(int(v))
    return -1 if result is None else result


def a_lambda(x, v):
    search = lambda w: place_of(x, w)  # noqa: E731
    i = search(v)
    if i is None:
        i = 50
    return i


def an_equality(x, v):
    t = difference(x[2], v)
    return 10 * (t == 2) + (t != 2)


FUNCTIONS = [
    a_place, a_comparison, a_choice, a_tuple, a_named_condition, a_loop, a_test, a_greatest,
    a_count, a_next, a_recursion, a_lambda, an_equality,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
def test_results_are_pythons(function):
    @cuda.jit
    def kernel(x, wanted, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = function(x, wanted[i])

    x = np.array([3.0, 1, 4, 1, 5, 9, 2, 6])
    wanted = np.array([5.0, 1, 3, 2, 6, 0, 7, 9])
    out = np.zeros(8)
    kernel[1, 8](x, wanted, out)
    assert out.tolist() == [function(x.tolist(), v) for v in wanted.tolist()]


@cuda.jit
def stored(x, out):
    out[0] = difference(x[0], 1.0)


@cuda.jit
def passed_on(x, out):
    out[0] = max(difference(x[0], 1.0), 2)


@cuda.jit
def unpacked(x, out):
    out[0], out[1] = found(x, 1.0)


@pytest.mark.parametrize("kernel", [stored, passed_on, unpacked], ids=lambda one: one.__name__)
def test_what_may_be_none_is_tested(kernel):
    with pytest.raises(ww.UnsupportedError, match="may return None here; assign it to a variable"):
        kernel[1, 1](np.ones(3), np.ones(3))


def test_none_is_no_operand():
    @cuda.jit(debug=True, opt=False)
    def kernel(x, out):
        out[0] = difference(x[0], 2.0) + 1

    with pytest.raises(TypeError, match=r"difference\(\) returned None"):
        kernel[1, 1](np.ones(3), np.ones(3))


def test_views_and_none_are_no_result():
    def row(x, i):
        return x[i:] if i > 0 else None

    @cuda.jit
    def kernel(x, out):
        part = row(x, 1)
        out[0] = 0 if part is None else part[0]

    with pytest.raises(ww.CompileError, match="returns None here and an array"):
        kernel[1, 1](np.ones(3), np.ones(3))
