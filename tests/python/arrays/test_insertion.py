"""insert and delete against NumPy: indices of every kind, along every axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from samples import expect_equal

import warpwise as ww

HOST = np.arange(24).reshape(4, 6).astype(np.float32)
INDICES: list[Any] = [
    0,
    -1,
    2,
    [1, 3],
    [3, 1, 1],
    [-1],
    [],
    slice(1, 3),
    slice(None, None, 2),
    slice(2, 0, -1),
    np.array([0, 2]),
]


@pytest.mark.parametrize("axis", [None, 0, 1, -2])
@pytest.mark.parametrize("index", INDICES, ids=str)
def test_elements_are_left_out(index: Any, axis: int | None) -> None:
    expect_equal(ww.delete(ww.asarray(HOST), index, axis), np.delete(HOST, index, axis))


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("index", INDICES, ids=str)
def test_a_number_is_inserted(index: Any, axis: int | None) -> None:
    expect_equal(ww.insert(ww.asarray(HOST), index, 7, axis), np.insert(HOST, index, 7, axis))


@pytest.mark.parametrize(
    ("index", "values", "axis"),
    [
        (1, [1, 2, 3, 4], 1),
        ([1], [[1], [2], [3], [4]], 1),
        (1, [[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]], 0),
        ([0, 4], [[1, 2, 3, 4, 5, 6]], 0),
        ([4, 0, 2], [[1], [2], [3]], 0),
        ([2, 2, 2], [1, 2, 3], None),
        (24, [1.75, 2.5], None),
    ],
)
def test_values_are_inserted(index: Any, values: Any, axis: int | None) -> None:
    ours = ww.insert(ww.asarray(HOST), index, ww.asarray(values), axis)
    expect_equal(ours, np.insert(HOST, index, values, axis))


def test_masks_choose_what_is_left_out() -> None:
    mask = HOST[0] % 2 == 0
    expected = np.delete(HOST, mask, 1)
    expect_equal(ww.delete(ww.asarray(HOST), mask, 1), expected)
    expect_equal(ww.delete(ww.asarray(HOST), ww.asarray(mask), 1), expected)


def test_many_places_by_an_index_array() -> None:
    host = np.arange(3000)
    random = np.random.default_rng(3)
    places = random.integers(0, 3000, 900)
    x = ww.asarray(host)
    expect_equal(ww.delete(x, places), np.delete(host, places))
    values = np.arange(900) * 5
    expect_equal(ww.insert(x, places, ww.asarray(values)), np.insert(host, places, values))


def test_device_indices_are_fetched() -> None:
    x = ww.asarray(HOST)
    expect_equal(ww.delete(x, ww.asarray([1, 2]), 1), np.delete(HOST, [1, 2], 1))


def test_the_array_stays_as_it_is() -> None:
    x = ww.asarray(HOST)
    ww.delete(x, 0)[...] = 5
    ww.insert(x, 0, 1)[...] = 5
    expect_equal(x, HOST)


def test_numpys_functions() -> None:
    x = ww.asarray(HOST)
    expect_equal(np.delete(x, 1, axis=0), np.delete(HOST, 1, axis=0))
    expect_equal(np.insert(x, 1, 5, axis=0), np.insert(HOST, 1, 5, axis=0))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: ww.delete(x, 24), IndexError, "index 24 for an axis of 24"),
        (lambda x: ww.delete(x, [0, -5], 0), IndexError, "index -5 for an axis of 4"),
        (lambda x: ww.insert(x, 5, 0, 0), IndexError, "index 5 for an axis of 4"),
        (lambda x: ww.insert(x, [0, 1], ww.ones(3), 0), ValueError, r"shape \(1, 3\)"),
        (lambda x: ww.insert(x, 0, ww.ones((1, 1, 1)), 0), ValueError, "for an array of shape"),
        (lambda x: ww.delete(x, 1.5), TypeError, "obj expects"),
        (lambda x: ww.delete(x, 0, 2), ValueError, "axis"),
    ],
)
def test_what_is_refused(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call(ww.asarray(HOST))
