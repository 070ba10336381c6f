"""What a loop's target holds behind it, where the loop had no turn or was left before its end."""

# ruff: noqa: B007, the targets are used behind the loops

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


def enumerated(x, limit, out):
    i = -1
    for i, v in enumerate(x[: int(limit)]):
        out[1] += v
    out[0] = x[i]


def items_of_bytes(x, limit, out):
    i = -1
    for i in BYTES[: int(limit)]:
        out[1] += i
    out[0] = x[i]


def zipped(x, limit, out):
    i = -1
    for i, v in zip(range(int(limit)), x):
        out[1] += v
    else:
        out[2] = x[i]
    out[0] = x[i]


def places(x, limit, out):
    i = -2
    for i, j in np.ndindex(int(limit), 1):
        out[1] += j
    else:
        out[2] = x[i]
    out[0] = x[i]


def left_in_the_first_copy(x, limit, out):
    for i in (-2, 0, 1):
        if x[0] > limit:
            break
    out[0] = x[i]


def left_in_any_copy(x, limit, out):
    i = 0
    for i, k in ((-1, 4), (1, 5), (0, 6)):
        if x[k - 4] > limit:
            break
    else:
        out[1] = x[i]
    out[0] = x[i]


def names_of_a_case(x, limit, out):
    i = -1
    match (int(limit), len(x) - 2):
        case (1, i):
            out[1] = 1
        case (0, j):
            out[1] = j
    out[0] = x[i]


def set_where_no_turn_left(x, limit, out):
    place = int(limit) - 3
    for i in range(3):
        if x[i] > limit:
            break
    else:
        place = 1
    out[0] = x[place]


def asserted_where_no_copy_left(x, limit, out):
    place = int(limit) - 3
    for i in (0, 1, 2):
        if x[i] > limit:
            break
    else:
        assert place >= 0
    out[0] = x[place]


def set_where_no_condition_failed(x, limit, out):
    place = -1
    turns = 0
    while turns < 3:
        if x[turns] > limit:
            break
        turns += 1
    else:
        assert limit > 2
        place = 2
    out[0] = x[place]


BYTES = np.array([1, 0, 2], np.uint8)
KERNELS = [
    enumerated, items_of_bytes, zipped, places, left_in_the_first_copy, left_in_any_copy,
    names_of_a_case, set_where_no_turn_left, asserted_where_no_copy_left,
    set_where_no_condition_failed,
]  # fmt: skip


@pytest.mark.parametrize("limit", [0.0, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda one: one.__name__)
def test_a_target_behind_its_loop(kernel, limit):
    x = np.array([0.5, 2.25, 1.25])
    expected = np.zeros(3)
    kernel(x, limit, expected)
    out = np.zeros(3)
    cuda.jit(kernel)[1, 1](x, limit, out)
    np.testing.assert_array_equal(out, expected)
