"""Index arrays and masks: NumPy's values and shapes, on host and device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from index_samples import advanced_indices, on_device
from samples import Pair, expect_equal, filled, pairs

import warpwise as ww

# Each dtype and access pattern is a kernel to compile.
FEW = [np.dtype(name) for name in ("bool", "int16", "float64")]


def selected(host: np.ndarray[Any, Any], index: tuple[Any, ...]) -> np.ndarray[Any, Any]:
    try:
        return np.asarray(host[index])
    except IndexError:
        assume(False)
        raise


@settings(max_examples=30)
@given(st.data(), pairs(FEW))
def test_an_advanced_index_selects_what_numpys_does(data: st.DataObject, pair: Pair) -> None:
    ours, theirs = pair
    index = data.draw(advanced_indices(theirs.shape))
    expected = selected(theirs, index)
    expect_equal(ours[on_device(data.draw, index)], expected)


@settings(max_examples=30)
@given(st.data(), pairs(FEW))
def test_an_expression_is_indexed_and_indexes(data: st.DataObject, pair: Pair) -> None:
    ours, theirs = pair
    index = data.draw(advanced_indices(theirs.shape))
    expected = selected(theirs + theirs, index)
    at = on_device(data.draw, index)
    moved = tuple(
        item + ww.zeros_like(item) if isinstance(item, ww.Array) and item.dtype != bool else item
        for item in at
    )
    expect_equal((ours + ours)[moved].sum(), expected.sum())


@settings(max_examples=30)
@given(st.data(), pairs(FEW))
def test_assignment_writes_what_numpys_does(data: st.DataObject, pair: Pair) -> None:
    ours, theirs = pair
    ours, theirs = ours.copy(), theirs.copy()
    index = data.draw(advanced_indices(theirs.shape))
    shape = selected(theirs, index).shape
    cut = data.draw(st.integers(0, len(shape)))
    values = filled(
        tuple(1 if data.draw(st.integers(0, 3)) == 0 else n for n in shape[cut:]),
        theirs.dtype,
        data.draw(st.integers(0, 2**32 - 1)),
    )
    theirs[index] = values
    ours[on_device(data.draw, index)] = ww.asarray(values)
    expect_equal(ours, theirs)


@settings(max_examples=30)
@given(st.data(), pairs(FEW))
def test_assignment_writes_through_strided_views(data: st.DataObject, pair: Pair) -> None:
    base = np.zeros((7, 8, 9))
    ours = ww.asarray(base)
    view = (slice(None, None, -2), slice(1, None, 3), slice(None))
    theirs_view, ours_view = base[view].transpose(2, 0, 1), ours[view].transpose(2, 0, 1)
    index = data.draw(advanced_indices(theirs_view.shape))
    shape = selected(theirs_view, index).shape
    values = np.arange(np.prod(shape), dtype=float).reshape(shape)
    theirs_view[index] = values
    ours_view[on_device(data.draw, index)] = ww.asarray(values)
    expect_equal(ours, base)


@settings(max_examples=30)
@given(st.data(), pairs(FEW))
def test_operators_in_place_write_once(data: st.DataObject, pair: Pair) -> None:
    ours, theirs = pair
    assume(theirs.dtype != bool)
    ours, theirs = ours.copy(), theirs.copy()
    index = data.draw(advanced_indices(theirs.shape))
    selected(theirs, index)
    at = on_device(data.draw, index)
    theirs[index] += 1
    ours[at] += 1
    theirs[index] *= 2
    ours[at] *= 2
    expect_equal(ours, theirs)


def test_of_equal_indices_the_last_value_stays() -> None:
    random = np.random.default_rng(1)
    at = random.integers(0, 1000, 200_000)
    values = random.integers(-100, 100, 200_000)
    expected = np.zeros(1000, np.int64)
    expected[at] = values
    for index in (at, ww.asarray(at)):
        x = ww.zeros(1000, dtype=ww.int64)
        x[index] = ww.asarray(values)
        expect_equal(x, expected)


def test_an_array_may_index_itself() -> None:
    host = np.array([3, 0, 2, 1])
    x = ww.asarray(host)
    x[x] = x + 10
    host[host] = host + 10
    expect_equal(x, host)
    y = ww.asarray(np.arange(6))
    y[:] = y[ww.asarray([5, 4, 3, 2, 1, 0])]
    assert y.tolist() == [5, 4, 3, 2, 1, 0]


def test_records_are_selected_and_written() -> None:
    host = np.zeros(5, dtype=[("a", np.float32), ("b", np.int16, (2,))])
    host["a"] = np.arange(5)
    host["b"] = np.arange(10).reshape(5, 2)
    x = ww.asarray(host)
    at = np.array([4, 0, 4])
    np.testing.assert_array_equal(x[at].get(), host[at])
    x[np.array([0, 1])] = x[np.array([3, 4])]
    host[np.array([0, 1])] = host[np.array([3, 4])]
    np.testing.assert_array_equal(x.get(), host)


def test_selection_fuses_with_what_reads_it() -> None:
    x = ww.asarray(np.arange(100.0))
    at = ww.asarray(np.arange(0, 100, 3))
    result = (x[at] * 2 + 1).sum()
    assert ww.explain(result).count("\nkernel") + ww.explain(result).startswith("kernel") == 1
    assert float(result) == (np.arange(100.0)[::3] * 2 + 1).sum()


def test_a_pending_write_is_seen_by_a_later_selection_only() -> None:
    x = ww.asarray(np.arange(5.0))
    at = ww.asarray([0, 4])
    before = x[at]
    x[0] = 7
    after = x[at]
    assert before.tolist() == [0, 4]
    assert after.tolist() == [7, 4]


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ([0, 3], "index 3 is out of bounds for axis 0 with size 3"),
        (np.array([-4]), "index -4 is out of bounds for axis 0 with size 3"),
        (np.array([2**64 - 1], np.uint64), "out of bounds for axis 0"),
        ((slice(None), [0, 9]), "index 9 is out of bounds for axis 1 with size 4"),
        (([0, 1], [0, 1, 2]), "could not be broadcast together"),
        (([0], [0], [0]), "too many indices"),
        (np.array([0.5]), "expects integers"),
        (np.zeros((3, 5), bool), "does not fit axis 1 with size 4"),
        (np.zeros((3, 4, 1), bool), "too many indices"),
    ],
)
def test_a_wrong_index_is_an_index_error_at_once(index: Any, message: str) -> None:
    x = ww.zeros((3, 4))
    with pytest.raises(IndexError, match=message):
        x[index]
    with pytest.raises(IndexError, match=message):
        x[index] = 1


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_an_array_of_other_than_integers_does_not_index(dtype: Any) -> None:
    with pytest.raises(IndexError, match="must hold integers"):
        ww.zeros(3)[ww.zeros(2, dtype=dtype)]


def test_an_index_out_of_range_on_the_device_is_reported_where_the_program_waits() -> None:
    x = ww.asarray(np.arange(12).reshape(3, 4))
    wrong = x[:, ww.asarray([0, 5, -5])]
    with pytest.raises(
        IndexError,
        match=r"x\[\.\.\.\] at .*test_advanced_indexing\.py:\d+ got "
        r"index -?5, which is out of bounds for axis 1 with size 4",
    ):
        wrong.get()
    # The access was clipped, and the error is reported once.
    assert wrong.tolist() == [[0, 3, 0], [4, 7, 4], [8, 11, 8]]


def test_a_report_ends_a_synchronisation() -> None:
    x = ww.zeros(3)
    wrong = x[ww.asarray([7])]
    ww.evaluate(wrong)
    with pytest.raises(IndexError, match=r"got index 7, .* axis 0 with size 3"):
        ww.Stream.current().synchronize()
    x[ww.asarray([9])] = 1
    with pytest.raises(IndexError, match="got index 9"):
        ww.Device().synchronize()
    ww.Device().synchronize()


def test_equal_expressions_keep_their_own_extents_and_lines() -> None:
    for extent in (5, 2, 9, 3):
        x = ww.asarray(np.arange(float(extent)))
        assert x[ww.asarray([-1, extent - 1])].tolist() == [extent - 1.0] * 2
        wrong = x[ww.asarray([0, extent])]
        with pytest.raises(IndexError, match=f"got index {extent}, .* with size {extent};"):
            wrong.get()
        y = ww.zeros(extent)
        y[ww.asarray([0, -1])] = ww.asarray([1.0, 2.0])
        assert y.tolist() == [1.0, *[0.0] * (extent - 2), 2.0]


def test_an_empty_axis_has_no_index() -> None:
    with pytest.raises(IndexError, match="size 0"):
        ww.zeros((0, 3))[ww.asarray([0])]
    assert ww.zeros((0, 3))[ww.asarray(np.zeros(0, int))].shape == (0, 3)


def test_values_that_do_not_fit_are_refused() -> None:
    x = ww.zeros(5)
    with pytest.raises(ValueError, match="cannot take values of shape"):
        x[[0, 1]] = ww.ones(3)
    with pytest.raises(TypeError, match="imaginary"):
        x[[0, 1]] = 1j
    with pytest.raises(ValueError, match="read-only"):
        ww.broadcast_to(x, (2, 5))[[0]] = 1
    with pytest.raises(ValueError, match="out of bounds for int8"):
        ww.zeros(3, dtype=ww.int8)[[0]] = 1000
