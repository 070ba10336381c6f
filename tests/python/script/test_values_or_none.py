"""Variables that are None on some paths, against Python's own results."""

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


def greatest(x, k, out):
    best = None
    for v in x[:k]:
        if best is None or v > best:
            best = v
    out[0] = best


def place_of_greatest(x, k, out):
    best = None
    at = None
    for i in range(k):
        if best is None or x[i] > best:
            best, at = x[i], i
    out[0] = -1 if at is None else at
    out[1] = best


def two_greatest(x, k, out):
    first, second = None, None
    for v in x[:k]:
        if first is None or v > first:
            second = first
            first = v
        elif second is None or v > second:
            second = v
    out[0] = first
    out[1] = second


def ends(x, k, out):
    low = high = None
    for v in x[:k]:
        low = v if low is None else min(low, v)
        high = v if high is None else max(high, v)
    out[:2] = (0.0, 0.0) if low is None or high is None else (low, high)


def differences(x, k, out):
    before = None
    for i in range(k):
        if before is not None:
            out[i] = x[i] - before
        before = x[i]


def runs(x, k, out):
    total = None
    count = 0
    for i in range(k):
        if total is None:
            total = x[i]
            continue
        total += x[i]
        if total > 3.0:
            out[count] = total
            count += 1
            total = None
    out[5] = 1 if total is None else 2


def set_later_in_the_turn(x, k, out):
    kept = None
    for i in range(k):
        if i > 1:
            out[i] = kept * 2
        kept = i


def pairs(x, k, out):
    box = None
    for v in x[:k]:
        box = (v, v) if box is None else (min(box[0], v), max(box[1], v))
    if box is not None:
        out[0], out[1] = box


def rows(x, k, out):
    row = None
    for i in range(k):
        if x[i] > 1.0:
            row = x[i:]
    if row is not None:
        out[0] = row[0] + len(row)


def links(x, k, out):
    node = 0 if k > 1 else 7
    node = None
    if k > 2:
        node = k - 1
    steps = 0
    while node is not None:
        steps += 1
        node = None if node == 0 else node
        if node is not None:
            node = node - 1
    out[0] = steps


def counters(x, k, out):
    i = None
    for i in range(k):
        if x[i] > 1.0:
            break
    out[0] = i


def equality(x, k, out):
    value = None
    if k > 2:
        value = 3
    out[0] = 1 if value == 3 else 0
    out[1] = 1 if value != 3 else 0
    out[2] = 1 if value == None else 0  # noqa: E711
    out[3] = 1 if not value else 0
    copy = value
    out[4] = 8 if copy is None else copy


def in_a_function(x, k, out):
    def first_above(limit):
        found = None
        for j in range(k):
            if x[j] > limit:
                found = j
                break
        return -1 if found is None else found

    out[0] = first_above(0.0)
    out[1] = first_above(1.0)


KERNELS = [
    greatest, place_of_greatest, two_greatest, ends, differences, runs, set_later_in_the_turn,
    pairs, rows, links, counters, equality, in_a_function,
]  # fmt: skip


@pytest.mark.parametrize("k", [0, 1, 2, 5])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda one: one.__name__)
def test_a_value_that_may_be_none(kernel, k):
    x = np.array([0.5, 2.25, 1.5, 2.0, -1.0])
    expected = np.zeros(6)
    kernel(x, k, expected)
    out = np.zeros(6)
    cuda.jit(kernel)[1, 1](x, k, out)
    np.testing.assert_array_equal(out, expected)


def test_none_as_an_operand_ends_the_thread():
    @cuda.jit
    def kernel(k, out):
        value = None
        if k > 1:
            value = k
        out[0] = 1
        out[1] = value + 1

    out = np.zeros(2)
    kernel[1, 1](1, out)
    assert list(out) == [1, 0]
    kernel[1, 1](5, out)
    assert list(out) == [1, 6]


def test_none_as_an_operand_is_reported():
    @cuda.jit(debug=True)
    def kernel(k, out):
        value = None
        if k > 1:
            value = k
        out[1] = value + 1

    with pytest.raises(TypeError, match="'value' is None"):
        kernel[1, 1](1, np.zeros(2))


def test_none_is_no_element_of_whole_numbers():
    @cuda.jit(debug=True)
    def kernel(k, out):
        value = None
        if k > 1:
            value = k
        out[0] = value

    with pytest.raises(TypeError, match="None is no element of an array"):
        kernel[1, 1](1, np.zeros(2, np.int32))


def passed_on(x, out):
    value = None
    if x > 1:
        value = x
    out[0] = max(value, 3)


def named_again(x, out):
    value = None
    if (value := x) > 1:
        value = None
    out[0] = 0 if value is None else 1


def a_function(x, out):
    value = None
    if x > 1:
        value = abs
    out[0] = 0 if value is None else 1


@pytest.mark.parametrize(
    "kernel, message",
    [
        (passed_on, "'value' may be None here; test it before, with `value is not None`"),
        (named_again, "'value' may be None elsewhere; assign to it by a statement"),
        (a_function, "'value' is the function builtins.abs here and None elsewhere"),
    ],
)
def test_what_is_refused(kernel, message):
    with pytest.raises((ww.CompileError, ww.UnsupportedError), match=message):
        cuda.jit(kernel)[1, 1](5, np.zeros(2))
