"""Basic indexing: views with NumPy's meaning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import Pair, expect_equal, indices, pairs

import warpwise as ww


@given(st.data(), pairs())
def test_a_view_shows_what_numpys_shows(data: st.DataObject, pair: Pair) -> None:
    ours, theirs = pair
    index = data.draw(indices(theirs.shape))
    expect_equal(ours[index], theirs[index], strides=True)


@given(st.data(), pairs())
def test_writing_a_view_is_seen_through_its_array(data: st.DataObject, pair: Pair) -> None:
    ours, theirs = pair
    ours, theirs = ours.copy(), theirs.copy()
    index = data.draw(indices(theirs.shape))
    ours[index] = 3
    theirs[index] = 3
    expect_equal(ours, theirs)


@given(st.data(), pairs())
def test_overlapping_assignment_reads_before_it_writes(data: st.DataObject, pair: Pair) -> None:
    ours, theirs = pair
    ours, theirs = ours.copy(), theirs.copy()
    flipped = tuple(slice(None, None, data.draw(st.sampled_from([1, -1]))) for _ in theirs.shape)
    ours[...] = ours[flipped]
    theirs[...] = theirs[flipped].copy()
    expect_equal(ours, theirs)


def test_newaxis_and_ellipsis() -> None:
    x = ww.asarray(np.arange(24).reshape(2, 3, 4))
    assert x[..., ww.newaxis].shape == (2, 3, 4, 1)
    assert x[0, ..., 0].shape == (3,)
    assert x[None, 1].shape == (1, 3, 4)


def test_fields_of_records_are_writable_views() -> None:
    host = np.zeros(4, dtype=[("a", np.float32), ("b", np.int64, (2,))])
    host["a"] = [1, 2, 3, 4]
    x = ww.asarray(host)
    x["b"] = 7
    x["a"][::2] += 1
    host["b"] = 7
    host["a"][::2] += 1
    assert x["b"].shape == (4, 2)
    np.testing.assert_array_equal(x.get(), host)


@pytest.mark.parametrize(
    ("index", "words"),
    [
        (3, "index 3 is out of bounds for axis 0 with size 3"),
        (-4, "index -4 is out of bounds"),
        ((0, 0, 0), "too many indices"),
        ((..., ...), "one ellipsis"),
        (slice(None, None, 0), "step 0"),
        (1.5, "expects ints, slices"),
        ("name", "has no fields"),
        (2**70, "exceeds every array"),
    ],
)
def test_a_wrong_index_is_refused_at_once(index: Any, words: str) -> None:
    with pytest.raises(ww.ArgumentError, match=words):
        ww.zeros((3, 4))[index]


@pytest.mark.parametrize("index", [5, "name", (..., ...), (0, 0)])
def test_indices_that_an_array_does_not_have_are_index_errors(index: Any) -> None:
    with pytest.raises(IndexError):
        ww.zeros(3)[index]


@pytest.mark.parametrize("index", [(7,), (-1,), (1, 2), (-2, -3), ((1, 2),)])
def test_single_elements_are_fetched_by_their_index(index: Any) -> None:
    host = np.arange(12.0).reshape(3, 4)
    for ours, theirs in [(ww.asarray(host), host), (ww.asarray(host).T[:, ::-1], host.T[:, ::-1])]:
        found = ours.item(*index)
        assert found == theirs.item(*index) and type(found) is float


def test_elements_that_there_are_not_are_not_fetched() -> None:
    x = ww.zeros((3, 4))
    for wrong in [(12,), (-13,), (0, 4)]:
        with pytest.raises(IndexError, match="out of bounds"):
            x.item(*wrong)
    with pytest.raises(ValueError, match="item got 3 indices for an array of 2 axes"):
        x.item(0, 0, 0)
    with pytest.raises(ValueError, match=r"item got an array of shape \(3, 4\)"):
        x.item()
    assert ww.asarray(2.5).item(0) == 2.5 and ww.asarray([True]).item(-1) is True


def test_an_unknown_field_names_those_there_are() -> None:
    x = ww.zeros(2, dtype=[("mass", np.float32)])
    with pytest.raises(ww.ArgumentError, match="did you mean 'mass'"):
        x["mas"]


def test_iteration_gives_the_parts_of_the_first_axis() -> None:
    x = ww.asarray(np.arange(6).reshape(3, 2))
    assert [row.tolist() for row in x] == [[0, 1], [2, 3], [4, 5]]
    with pytest.raises(TypeError, match="cannot be iterated"):
        iter(ww.asarray(1.0))


def test_an_iterator_makes_elements_as_they_are_asked_for() -> None:
    """numpy.iterable(x) asks for an iterator only; 10**12 elements would not fit."""
    x = ww.broadcast_to(ww.asarray(3.0), (10**12,))
    assert np.iterable(x)
    assert float(next(iter(x))) == 3
    y = ww.arange(3)
    rest = iter(y)
    next(rest)
    y[1:] = 7
    assert [int(each) for each in rest] == [7, 7]


def test_what_numpy_arrays_may_be_assigned_is_named() -> None:
    x = ww.zeros(3)
    with pytest.raises(TypeError, match=r"ww\.asarray"):
        x[:] = np.ones(3)  # type: ignore[assignment]
    with pytest.raises(ValueError, match="cannot take values of shape"):
        x[:] = ww.ones(4)
    with pytest.raises(TypeError, match="imaginary"):
        x[:] = 1j


def test_a_read_only_view_is_not_written() -> None:
    view = ww.broadcast_to(ww.zeros(3), (2, 3))
    assert view.is_read_only
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        view += 1
