"""take, put and their forms along an axis, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from index_samples import index_array
from samples import Pair, expect_equal, filled, pairs

import warpwise as ww

# Each dtype and access pattern is a kernel to compile.
FEW = [np.dtype(name) for name in ("bool", "int16", "float64")]


def sides(draw: st.DrawFn, index: np.ndarray[Any, Any]) -> Any:
    return ww.asarray(index) if draw(st.booleans()) else index


@settings(max_examples=30)
@given(st.data(), pairs(FEW))
def test_take_is_numpys(data: st.DataObject, pair: Pair) -> None:
    ours, theirs = pair
    axis = (
        data.draw(st.none() | st.integers(-theirs.ndim, theirs.ndim - 1)) if theirs.ndim else None
    )
    extent = theirs.size if axis is None else theirs.shape[axis]
    assume(extent > 0)
    shape = tuple(data.draw(st.lists(st.integers(0, 3), max_size=2)))
    index = index_array(data.draw, shape, extent)
    expect_equal(
        ww.take(ours, sides(data.draw, index), axis=axis), np.take(theirs, index, axis=axis)
    )


@settings(max_examples=30)
@given(st.data(), pairs(FEW), st.sampled_from(["wrap", "clip"]))
def test_modes_of_take(data: st.DataObject, pair: Pair, mode: Any) -> None:
    ours, theirs = pair
    assume(theirs.size > 0)
    index = np.array(data.draw(st.lists(st.integers(-300, 300), max_size=6)), np.int64)
    expect_equal(
        ww.take(ours, sides(data.draw, index), mode=mode), np.take(theirs, index, mode=mode)
    )


@settings(max_examples=30)
@given(st.data(), pairs(FEW))
def test_put_is_numpys(data: st.DataObject, pair: Pair) -> None:
    ours, theirs = pair
    assume(theirs.size > 0)
    index = index_array(data.draw, (data.draw(st.integers(0, 8)),), theirs.size)
    values = filled((data.draw(st.integers(1, 9)),), theirs.dtype, 3)
    base = np.ascontiguousarray(theirs)
    order = data.draw(st.sampled_from(["C", "F"]))
    theirs = base.copy(order=order)
    ours = ww.asarray(base).copy() if order == "C" else ww.asarray(base.T).copy().T
    flat = theirs.reshape(-1).copy()
    flat[index] = np.resize(values, index.shape)
    ww.put(ours, sides(data.draw, index), ww.asarray(values))
    expect_equal(ours, flat.reshape(theirs.shape))


@settings(max_examples=30)
@given(st.data(), pairs(FEW))
def test_take_and_put_along_axis_are_numpys(data: st.DataObject, pair: Pair) -> None:
    ours, theirs = pair
    assume(theirs.ndim > 0 and theirs.size > 0)
    ours, theirs = ours.copy(), theirs.copy()
    axis = data.draw(st.integers(-theirs.ndim, theirs.ndim - 1))
    shape = list(theirs.shape)
    shape[axis] = data.draw(st.integers(0, 4))
    index = index_array(data.draw, tuple(shape), theirs.shape[axis])
    if index.dtype.kind == "u":
        index = index.astype(np.int64)
    expect_equal(
        ww.take_along_axis(ours, sides(data.draw, index), axis=axis),
        np.take_along_axis(theirs, index, axis=axis),
    )
    values = filled(tuple(shape), theirs.dtype, 5)
    np.put_along_axis(theirs, index, values, axis=axis)
    ww.put_along_axis(ours, sides(data.draw, index), ww.asarray(values), axis=axis)
    expect_equal(ours, theirs)


def test_without_an_axis_the_raveled_array_is_meant() -> None:
    host = np.arange(12).reshape(3, 4)
    x = ww.asarray(host)
    at = np.array([11, 0, -1])
    expect_equal(ww.take(x, at), np.take(host, at))
    expect_equal(ww.take_along_axis(x, at, axis=None), np.take_along_axis(host, at, axis=None))
    ww.put_along_axis(x, ww.asarray(at), -1, axis=None)
    assert x.ravel()[0].item() == -1
    out = ww.zeros(3, dtype=ww.int64)
    assert ww.take(x, [1, 2, 3], out=out) is out
    assert out.tolist() == [1, 2, 3]
    assert ww.take(x, 5).shape == ()


def test_what_is_refused() -> None:
    x = ww.zeros((3, 4))
    with pytest.raises(ValueError, match="mode 'cut'"):
        ww.take(x, [0], mode="cut")
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3"):
        ww.take(x, [3], axis=0)
    with pytest.raises(IndexError, match="index 12"):
        ww.put(x, [12], 0)
    with pytest.raises(ValueError, match="no values"):
        ww.put(x, [1], ww.zeros(0))
    with pytest.raises(ValueError, match="same number of axes"):
        ww.take_along_axis(x, [0])
    with pytest.raises(IndexError, match="must broadcast but for axis 1"):
        ww.take_along_axis(x, ww.zeros((2, 1), dtype=ww.int64), axis=1)
    with pytest.raises(TypeError, match="got bools"):
        ww.take(x, ww.zeros(3, dtype=ww.bool), axis=0)
    with pytest.raises(ValueError, match="read-only"):
        ww.put(ww.broadcast_to(ww.zeros(3), (2, 3)), [0], 1)
    with pytest.raises(IndexError, match="got index 7, which is out of bounds for axis 1"):
        ww.take(x, ww.asarray([7]), axis=1).get()
