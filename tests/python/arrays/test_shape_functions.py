"""Splitting, stacking, padding, diagonals and index arithmetic, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from samples import Pair, expect_equal, filled, pairs

import warpwise as ww

FEW = [np.dtype(name) for name in ("bool", "int32", "float64")]
CUBE = np.arange(2 * 3 * 4).reshape(2, 3, 4)


def same(function: Callable[..., Any], *operands: Any, **options: Any) -> None:
    """The function of Warpwise and that of NumPy, on the same operands."""
    name = function.__name__
    theirs = getattr(np, name)(*operands, **options)
    ours = function(*(moved(each) for each in operands), **options)
    compare(ours, theirs)


def moved(operand: Any) -> Any:
    if isinstance(operand, np.ndarray):
        return ww.asarray(operand)
    if isinstance(operand, list) and operand and isinstance(operand[0], np.ndarray):
        return [ww.asarray(each) for each in operand]
    return operand


def compare(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, list | tuple):
        assert len(ours) == len(theirs)
        for own, their in zip(ours, theirs, strict=True):
            expect_equal(own, their)
    else:
        expect_equal(ours, theirs)


@settings(max_examples=40)
@given(st.data(), pairs(FEW))
def test_splits_are_numpys(data: st.DataObject, pair: Pair) -> None:
    ours, theirs = pair
    assume(theirs.ndim > 0)
    axis = data.draw(st.integers(-theirs.ndim, theirs.ndim - 1))
    at = data.draw(st.integers(1, 6) | st.lists(st.integers(-5, 7), max_size=3))
    compare(ww.array_split(ours, at, axis=axis), np.array_split(theirs, at, axis=axis))
    if isinstance(at, list) or theirs.shape[axis] % at == 0:
        compare(ww.split(ours, at, axis=axis), np.split(theirs, at, axis=axis))


@pytest.mark.parametrize("name", ["hsplit", "vsplit", "dsplit"])
def test_splits_by_name(name: str) -> None:
    same(getattr(ww, name), np.arange(2 * 4 * 6).reshape(2, 4, 6), 2)
    same(getattr(ww, name), np.arange(2 * 4 * 6).reshape(2, 4, 6), [1, 2])
    if name == "hsplit":
        same(ww.hsplit, np.arange(6), 3)


@pytest.mark.parametrize("name", ["vstack", "hstack", "dstack", "column_stack"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 2)])
def test_stacks_are_numpys(name: str, shape: tuple[int, ...]) -> None:
    if name == "column_stack" and len(shape) == 3:
        shape = (2, 3)
    parts = [filled(shape, np.dtype(dtype), 1) for dtype in ("int32", "float64", "bool")]
    same(getattr(ww, name), parts)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4), (0,)])
def test_axes_at_least(shape: tuple[int, ...]) -> None:
    host = filled(shape, np.dtype("int32"), 2)
    for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
        same(getattr(ww, name), host)
    assert isinstance(ww.atleast_1d(ww.asarray(host), ww.zeros(2)), tuple)


@pytest.mark.parametrize("k", range(-5, 6))
@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (2, 0), (-1, 1)])
def test_rot90_is_numpys(k: int, axes: tuple[int, int]) -> None:
    same(ww.rot90, CUBE, k, axes)


def test_turned_axes() -> None:
    same(ww.fliplr, CUBE)
    same(ww.flipud, CUBE)
    for axis in range(-3, 3):
        for start in range(-3, 4):
            same(ww.rollaxis, CUBE, axis, start)
    same(ww.append, CUBE, CUBE[:1], axis=0)
    same(ww.append, CUBE, CUBE)


@pytest.mark.parametrize("offset", range(-5, 6))
def test_diagonals_are_numpys(offset: int) -> None:
    for axes in [(0, 1), (1, 0), (2, 1), (-1, 0)]:
        same(ww.diagonal, CUBE, offset, *axes)
        same(ww.trace, CUBE, offset, *axes)
    same(ww.diag, CUBE[0], offset)
    same(ww.diag, np.arange(3.0), offset)
    same(ww.diagflat, CUBE[:, :1, :2], offset)
    same(ww.diag, np.zeros(0), offset)
    assert ww.diagonal(ww.asarray(CUBE)).is_read_only


MODES = [
    "constant",
    "edge",
    "reflect",
    "symmetric",
    "wrap",
    "linear_ramp",
    "maximum",
    "minimum",
    "mean",
]


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=12)
@given(st.data())
def test_padding_is_numpys(mode: str, data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
    dtype = np.dtype(data.draw(st.sampled_from(["int32", "float64"])))
    host = filled(shape, dtype, data.draw(st.integers(0, 100)))
    widths = [tuple(data.draw(st.tuples(st.integers(0, 5), st.integers(0, 5)))) for _ in shape]
    options = {"constant": {"constant_values": (3, -4)}, "linear_ramp": {"end_values": (7, -2)}}
    given_options = options.get(mode, {})
    expected = np.pad(host, widths, mode=mode, **given_options)  # type: ignore[call-overload]
    ours = ww.pad(ww.asarray(host), widths, mode=mode, **given_options)
    assert ours.dtype == expected.dtype
    # Means near zero are what is left of larger numbers.
    np.testing.assert_allclose(ours.get(), expected, rtol=1e-12, atol=1e-14)


def test_forms_of_widths_and_empty_arrays() -> None:
    host = np.arange(6.0).reshape(2, 3)
    for widths in (1, (1, 2), ((1, 2),), ((0, 1), (2, 0))):
        same(ww.pad, host, widths)
    same(ww.pad, np.zeros((0, 2)), 2)
    assert ww.pad(ww.asarray(host), 1, mode="empty").shape == (4, 5)
    same(ww.pad, host, 1, constant_values=((1, 2), (3, 4)))


def test_repetition_by_counts_is_numpys() -> None:
    same(ww.repeat, CUBE, [2, 0, 1], axis=1)
    same(ww.repeat, CUBE, np.array([1, 3]), axis=0)
    same(ww.repeat, CUBE[0, 0], [0, 0, 0, 0])
    same(ww.repeat, CUBE, 2)
    with pytest.raises(ValueError, match="repeat got 2 counts for 3 elements"):
        ww.repeat(ww.asarray(CUBE), [1, 2], axis=1)
    with pytest.raises(ValueError, match="-1 repetitions"):
        ww.repeat(ww.asarray(CUBE), [1, -1], axis=0)
    with pytest.raises(ValueError, match="more repetitions"):
        ww.repeat(ww.zeros(2), [2**62, 2**62])
    with pytest.raises(ValueError, match=r"counts of shape \(2, 1\)"):
        ww.repeat(ww.zeros(2), [[1], [2]])


def test_index_arithmetic_is_numpys() -> None:
    expect_equal(ww.indices((2, 3)), np.indices((2, 3)))
    expect_equal(ww.indices((2, 3), dtype=ww.int32), np.indices((2, 3), dtype=np.int32))
    compare(ww.indices((2, 3), sparse=True), np.indices((2, 3), sparse=True))
    at = np.array([[0, 5], [23, 11]])
    for order in ("C", "F", "f", None):
        compare(
            ww.unravel_index(ww.asarray(at), (2, 3, 4), order),
            np.unravel_index(at, (2, 3, 4), order),
        )
        compare(ww.unravel_index(at, (2, 3, 4), order), np.unravel_index(at, (2, 3, 4), order))
        parts = np.unravel_index(at, (2, 3, 4))
        expect_equal(
            ww.ravel_multi_index([ww.asarray(each) for each in parts], (2, 3, 4), order=order),
            np.ravel_multi_index(parts, (2, 3, 4), order=order),
        )
    wild = [np.array([5, -1]), np.array([-4, 9])]
    for mode in ("wrap", "clip"):
        expect_equal(
            ww.ravel_multi_index([ww.asarray(each) for each in wild], (3, 4), mode=mode),
            np.ravel_multi_index(wild, (3, 4), mode=mode),
        )


def test_what_is_refused() -> None:
    x = ww.asarray(CUBE)
    with pytest.raises(ValueError, match="no multiple"):
        ww.split(x, 2, axis=1)
    with pytest.raises(ValueError, match="got 0 sections"):
        ww.array_split(x, 0)
    with pytest.raises(ValueError, match="dsplit got an array of 2 axes"):
        ww.dsplit(x[0], 2)
    with pytest.raises(ValueError, match="got no arrays"):
        ww.vstack([])
    with pytest.raises(ValueError, match="start=7"):
        ww.rollaxis(x, 0, 7)
    with pytest.raises(ValueError, match="fliplr got an array of 1 axes"):
        ww.fliplr(ww.zeros(3))
    with pytest.raises(ValueError, match="without axes"):
        ww.flipud(ww.asarray(1.0))
    with pytest.raises(ValueError, match="got axis 0 twice"):
        ww.rot90(x, axes=(0, 0))
    with pytest.raises(ValueError, match="axes expects two ints"):
        ww.rot90(x, axes=(0, 1, 2))
    with pytest.raises(ValueError, match="diagonal got an array of 1 axes"):
        ww.diagonal(ww.zeros(3))
    with pytest.raises(ValueError, match="diag got an array of shape"):
        ww.diag(x)
    with pytest.raises(ValueError, match="mode 'mirror'"):
        ww.pad(x, 1, mode="mirror")
    with pytest.raises(ValueError, match="give 0 or more"):
        ww.pad(x, -1)
    with pytest.raises(ValueError, match="2 pairs of widths for an array of 3 axes"):
        ww.pad(x, ((1, 1), (2, 2)))
    with pytest.raises(ValueError, match="nothing to repeat"):
        ww.pad(ww.zeros((0, 2)), 1, mode="edge")
    with pytest.raises(ValueError, match="pad_width expects"):
        ww.pad(x, ((1, 2, 3), (1, 2), (1, 2)))
    with pytest.raises(ValueError, match="order expects 'C' or 'F'"):
        ww.unravel_index([0], (2,), "A")
    with pytest.raises(IndexError, match="index 24 is out of bounds"):
        ww.unravel_index([24], (2, 3, 4))
    with pytest.raises(ValueError, match="2 arrays for shape"):
        ww.ravel_multi_index([ww.zeros(2, dtype=ww.int64)] * 2, (2, 3, 4))
    with pytest.raises(
        IndexError, match=r"ravel_multi_index at .* got index 3, .* axis 1 with size 3"
    ):
        at = [ww.asarray([0]), ww.asarray([3])]
        ww.ravel_multi_index(at, (2, 3)).get()
