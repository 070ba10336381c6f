"""Arrays around 2^31 and 2^32 elements, where 32-bit indices end: int8, any strides.

One of 2^31 + 1 elements always runs; WARPWISE_LARGE=1 (set by `./dev test --full`) runs the
rest, which need 9 GB and 13 minutes on 2 cores.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest

import warpwise as ww

SIZES = (2**31 - 1, 2**31 + 1, 2**32 + 11)
large = pytest.mark.skipif(
    os.environ.get("WARPWISE_LARGE") != "1", reason="needs 9 GB; WARPWISE_LARGE=1 runs it"
)


@pytest.fixture(autouse=True)
def memory() -> Iterator[None]:
    yield
    ww.Device().pool.free_held()


def edges(size: int) -> list[int]:
    near = {0, 1, 2, size // 2, 2**31 - 2, 2**31 - 1, 2**31, 2**32 - 1, 2**32, size - 2, size - 1}
    return sorted(i for i in near if 0 <= i < size)


def pattern(index: int) -> int:
    return index % 7 - 3


def numbers(size: int) -> ww.Array:
    return (ww.arange(size) % 7 - 3).astype("int8")


def sum_of_pattern(size: int) -> int:
    return sum(pattern(i) for i in range(size - size % 7, size))


def check(array: ww.Array, expected: list[int], at: list[int]) -> None:
    assert [int(array[i]) for i in at] == expected


def test_2_to_31_plus_1_elements() -> None:
    size = SIZES[1]
    x = ww.broadcast_to(ww.asarray(np.int8(5)), (size,)) + np.int8(1)
    assert x.dtype == "int8"
    ww.evaluate(x)
    at = edges(size)
    check(x, [6] * len(at), at)
    x[-1] = 9
    x[2**31 - 1] = 7
    check(x[::-1], [9, 7, 6, 6], [0, 1, 2, size - 1])
    assert int(ww.sum(x)) == 6 * size + 3 + 1


@large
@pytest.mark.parametrize("size", SIZES)
def test_elements_are_where_their_index_says(size: int) -> None:
    x = numbers(size)
    ww.evaluate(x)
    at = edges(size)
    check(x, [pattern(i) for i in at], at)
    assert int(ww.sum(x)) == sum_of_pattern(size)


@large
@pytest.mark.parametrize("size", SIZES)
def test_reductions_find_the_last_element(size: int) -> None:
    x = ww.zeros(size, "int8")
    x[-1] = 5
    assert int(ww.argmax(x)) == size - 1
    assert int(ww.argmax(x[::-1])) == 0
    assert int(ww.max(x)) == 5
    assert int(ww.count_nonzero(x)) == 1
    assert bool(ww.any(x[1:] == 5))


@large
@pytest.mark.parametrize("size", SIZES)
def test_negative_strides(size: int) -> None:
    x = numbers(size)
    ww.evaluate(x)
    reversed_sum = int(ww.sum((x[::-1] * np.int8(3)).astype("int8")))
    assert reversed_sum == 3 * sum_of_pattern(size)
    x[::-1] += 1
    at = edges(size)
    check(x, [pattern(i) + 1 for i in at], at)
    every_third = x[::-3]
    assert int(ww.max(every_third)) == 4
    assert every_third.shape == ((size + 2) // 3,)


@large
@pytest.mark.parametrize("size", SIZES)
def test_zero_strides(size: int) -> None:
    ones = ww.broadcast_to(ww.asarray(np.int8(1)), (size,))
    assert int(ww.sum(ones)) == size
    assert int(ww.sum(ones[::-1] + ones)) == 2 * size
    both = ww.where(ones > 0, numbers(size), ones)
    at = edges(size)
    check(both, [pattern(i) for i in at], at)


@large
def test_rows_and_columns_of_more_than_2_to_31_elements() -> None:
    rows = ww.broadcast_to(ww.arange(3, dtype="int8"), (2**30, 3)) + np.int8(1)
    ww.evaluate(rows)
    assert rows[-1].tolist() == [1, 2, 3]
    assert ww.sum(rows, axis=0).tolist() == [2**30, 2**31, 3 * 2**30]
    assert int(ww.sum(rows.T[::-1])) == 6 * 2**30
    assert int(ww.max(ww.sum(rows[::2], axis=1, dtype="int8"))) == 6
