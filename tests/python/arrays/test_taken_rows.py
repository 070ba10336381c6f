"""Rows of 64 to 255 elements at indices, which the CPU device asks for before their turn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import expect_equal, filled

import warpwise as ww

# Extents of the last axis; 256 and 63 have kernels of another form.
WIDTHS = [63, 64, 100, 255, 256]


@settings(max_examples=40)
@given(
    st.sampled_from([np.float32, np.int16, np.bool_]),
    st.sampled_from(WIDTHS),
    st.lists(st.integers(-5, 4), max_size=40),
    st.sampled_from([slice(None), slice(None, None, -1), slice(None, None, 2)]),
)
def test_rows_are_numpys(dtype: Any, width: int, rows: list[int], columns: slice) -> None:
    host = filled((5, width), np.dtype(dtype), 7)[:, columns]
    index = np.array(rows, np.int64)
    expect_equal(ww.take(ww.asarray(host), ww.asarray(index), axis=0), host[index])


@settings(max_examples=20)
@given(st.sampled_from(WIDTHS), st.lists(st.integers(0, 3), min_size=1, max_size=30))
def test_rows_at_two_indices_are_numpys(width: int, places: list[int]) -> None:
    host = filled((4, 5, width), np.dtype(np.float32), 8)
    first, second = np.array(places), np.array(places[::-1]) + 1
    ours = ww.asarray(host)[ww.asarray(first), ww.asarray(second)]
    expect_equal(ours, host[first, second])


@settings(max_examples=20)
@given(st.sampled_from(WIDTHS), st.lists(st.integers(-4, 3), min_size=1, max_size=30))
def test_rows_computed_with_are_numpys(width: int, rows: list[int]) -> None:
    host = filled((4, width), np.dtype(np.float32), 9)
    other = filled((len(rows), width), np.dtype(np.float32), 10)
    ours = ww.asarray(host)[ww.asarray(np.array(rows))] + ww.asarray(other)
    expect_equal(ours, host[np.array(rows)] + other)


@pytest.mark.parametrize("wrong", [4, -5, 2**40])
def test_a_row_that_is_not_there_is_reported(wrong: int) -> None:
    index = np.zeros(20, np.int64)
    index[17] = wrong
    rows = ww.zeros((4, 64))[ww.asarray(index)]
    with pytest.raises(IndexError, match=f"index {wrong}, which is out of bounds for axis 0"):
        rows.get()


def explained(taken: ww.Array) -> str:
    return str(ww.explain(taken))


def test_rows_are_asked_for_ahead() -> None:
    with ww.Device("cpu"):
        index = ww.asarray(np.zeros(20, np.int64))
        assert "__ww_ask_for(" in explained(ww.zeros((4, 64))[index])


def test_elements_at_an_index_of_their_own_are_not_asked_for_ahead() -> None:
    with ww.Device("cpu"):
        index = ww.asarray(np.zeros((20, 64), np.int64))
        assert "__ww_ask_for(" not in explained(ww.zeros(100)[index])
