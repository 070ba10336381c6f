"""Reductions against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from samples import EXACT, INTEGERS, REALS, Pair, expect_equal, pairs

import warpwise as ww


@st.composite
def axes(draw: st.DrawFn, rank: int) -> Any:
    """None, one axis or several."""
    if rank == 0 or draw(st.booleans()):
        return None
    if draw(st.booleans()):
        return draw(st.integers(-rank, rank - 1))
    return tuple(draw(st.sets(st.integers(0, rank - 1))))


@given(st.data(), pairs(EXACT), st.sampled_from(["sum", "prod", "any", "all"]), st.booleans())
def test_sums_and_truth(data: st.DataObject, pair: Pair, name: str, keepdims: bool) -> None:
    ours, theirs = pair
    axis = data.draw(axes(theirs.ndim))
    if name == "prod":
        theirs = np.sign(theirs) if theirs.dtype != np.bool_ else theirs
        ours = ww.asarray(theirs)
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(theirs, axis=axis, keepdims=keepdims)
    expect_equal(getattr(ww, name)(ours, axis=axis, keepdims=keepdims), expected)


@given(st.data(), pairs(EXACT), st.sampled_from(["min", "max"]), st.booleans())
def test_extrema(data: st.DataObject, pair: Pair, name: str, keepdims: bool) -> None:
    ours, theirs = pair
    assume(theirs.size > 0)
    axis = data.draw(axes(theirs.ndim))
    expected = getattr(np, name)(theirs, axis=axis, keepdims=keepdims)
    expect_equal(getattr(ours, name)(axis=axis, keepdims=keepdims), expected)


@given(st.data(), pairs(EXACT), st.sampled_from(["argmin", "argmax"]), st.booleans())
def test_positions(data: st.DataObject, pair: Pair, name: str, keepdims: bool) -> None:
    ours, theirs = pair
    assume(theirs.size > 0)
    axis = data.draw(st.none() | st.integers(0, max(theirs.ndim - 1, 0)))
    assume(axis is None or theirs.ndim > 0)
    expected = getattr(np, name)(theirs, axis=axis, keepdims=keepdims)
    expect_equal(getattr(ww, name)(ours, axis=axis, keepdims=keepdims), expected)


@given(st.data(), pairs(INTEGERS + REALS), st.sampled_from(["mean", "var", "std"]))
def test_statistics(data: st.DataObject, pair: Pair, name: str) -> None:
    ours, theirs = pair
    assume(theirs.size > 0)
    axis = data.draw(axes(theirs.ndim))
    result = getattr(ww, name)(ours, axis=axis)
    expected = np.asarray(getattr(np, name)(theirs, axis=axis))
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result.get(), expected, rtol=2e-6, atol=1e-6)


def test_a_variance_far_from_zero_keeps_its_digits() -> None:
    host = np.random.default_rng(5).normal(1e6, 1, 100_000)
    assert abs(float(ww.var(ww.asarray(host))) - host.var()) < 1e-9
    assert float(ww.var(ww.asarray(host[:3]), correction=1)) == pytest.approx(host[:3].var(ddof=1))


def test_count_nonzero_out_and_dtype() -> None:
    x = ww.asarray(np.array([[0, 1, 2], [3, 0, 0]], dtype=np.int8))
    expect_equal(ww.count_nonzero(x, axis=1), np.array([2, 1]))
    out = ww.zeros(3, ww.float64)
    assert ww.sum(x, axis=0, out=out) is out
    expect_equal(out, np.array([3.0, 1.0, 2.0]))
    assert x.sum(dtype=ww.float32).dtype == np.float32
    assert x.sum().dtype == np.int64


def test_nan_is_the_least_and_the_greatest() -> None:
    x = ww.asarray(np.array([1.0, np.nan, 3.0]))
    assert np.isnan(float(x.min()))
    assert np.isnan(float(x.max()))
    assert int(x.argmin()) == int(x.argmax()) == 1


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
def test_nothing_has_no_extremum(name: str) -> None:
    with pytest.raises(ValueError, match="no elements"):
        getattr(ww, name)(ww.zeros(0))
    assert getattr(ww, name)(ww.zeros((0, 3)), axis=1).shape == (0,)


def test_nothing_has_a_sum_and_a_product() -> None:
    assert float(ww.zeros(0).sum()) == 0
    assert float(ww.zeros(0).prod()) == 1
    assert not ww.any(ww.zeros(0))
    assert ww.all(ww.zeros(0))
    assert np.isnan(float(ww.mean(ww.zeros(0))))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: x.sum(axis=2), "axis 2"),
        (lambda x: x.sum(axis=(0, 0)), "twice"),
        (lambda x: ww.zeros(3, ww.complex64).max(), "no order"),
        (lambda x: x.sum(axis=1.5), "axis expects"),
        (lambda x: x.mean(dtype=ww.int32), "floating"),
        (lambda x: x.var(correction=np.inf), "correction"),
        (lambda x: x.sum(axis=0, out=ww.zeros(5)), "shape"),
    ],
)
def test_a_wrong_reduction_is_refused_at_once(call: Any, words: str) -> None:
    with pytest.raises(ww.ArgumentError, match=words):
        call(ww.ones((2, 3)))


@given(st.integers(0, 5), st.integers(0, 5), st.integers(0, 5))
def test_products_of_matrices(rows: int, inner: int, columns: int) -> None:
    a = np.arange(rows * inner, dtype=np.float32).reshape(rows, inner)
    b = np.arange(inner * columns, dtype=np.float32).reshape(inner, columns)
    expect_equal(ww.asarray(a) @ ww.asarray(b), a @ b)
    expect_equal(ww.vecdot(ww.asarray(a), ww.asarray(a)), np.vecdot(a, a))
    expect_equal(ww.tensordot(ww.asarray(a), ww.asarray(b), axes=1), np.tensordot(a, b, axes=1))


def test_products_of_stacks_and_vectors() -> None:
    a, b = np.arange(24.0).reshape(2, 3, 4), np.arange(8.0).reshape(4, 2)
    expect_equal(ww.asarray(a) @ ww.asarray(b), a @ b)
    expect_equal(ww.asarray(a) @ ww.asarray(b[:, 0]), a @ b[:, 0])
    expect_equal(ww.asarray(b[:, 0]) @ ww.asarray(b), b[:, 0] @ b)
    with pytest.raises(ValueError, match="matmul got shapes"):
        ww.asarray(a) @ ww.asarray(a)


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64"]
)
@pytest.mark.parametrize("name", ["argmin", "argmax"])
def test_places_where_all_are_the_worst_value(name: str, dtype: str) -> None:
    kind = np.dtype(dtype)
    ends: list[Any] = [False, True]
    if kind.kind in "iu":
        ends = [np.iinfo(kind).min, np.iinfo(kind).max]
    elif kind.kind == "f":
        ends = [-np.inf, np.inf, np.nan]
    for shape in ((5,), (20_000,), (3, 700), (700, 3)):
        for end in ends:
            host = np.full(shape, end, kind)
            for place in (None, 0, host.size // 2, host.size - 1):
                if place is not None:
                    host.reshape(-1)[place] = 1
                    host.reshape(-1)[place // 2] = 1
                for axis in (None, *range(len(shape))):
                    ours = getattr(ww.asarray(host), name)(axis=axis)
                    np.testing.assert_array_equal(ours.get(), getattr(host, name)(axis=axis))
