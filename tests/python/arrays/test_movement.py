"""Views and copies of other shapes."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import Pair, expect_equal, pairs

import warpwise as ww


@given(st.data(), pairs())
def test_reshape_is_a_view_where_numpy_makes_one(data: st.DataObject, pair: Pair) -> None:
    ours, theirs = pair
    factors = [n for n in range(1, theirs.size + 1) if theirs.size % n == 0] or [1]
    first = data.draw(st.sampled_from(factors))
    expect_equal(ours.reshape(first, -1), theirs.reshape(first, -1))
    is_view = theirs.size > 1 and np.shares_memory(theirs, theirs.reshape(first, -1))
    if is_view:
        expect_equal(ours.reshape((first, -1), copy=False), theirs.reshape(first, -1), strides=True)
    elif theirs.size > 1:
        with pytest.raises(ValueError, match="no view"):
            ours.reshape((first, -1), copy=False)


@pytest.mark.parametrize("kind", ["bool", "int16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("sides", [(31, 70), (32, 32), (33, 97), (200, 65)])
def test_copies_of_transposed_arrays(kind: str, sides: tuple[int, int]) -> None:
    x = (np.arange(3 * sides[0] * sides[1] * 2) % 251).astype(kind)
    x = x.reshape(3, sides[0], sides[1], 2)
    for shape in ((-1, sides[1]), (3, sides[0], -1), (3, sides[0], sides[1], 2)):
        theirs = x.reshape(shape)
        ours = ww.asarray(theirs)
        for axes in itertools.permutations(range(theirs.ndim)):
            # Again, since what is used often is compiled.
            for _ in range(4):
                turned = ours.transpose(axes)
                copied, chosen = turned.copy("C"), ww.where(turned == turned[..., ::-1], 1, turned)
                ww.evaluate(copied, chosen)
            expected = theirs.transpose(axes)
            assert copied.strides == np.ascontiguousarray(expected).strides
            np.testing.assert_array_equal(copied.get(), expected)
            same = np.where(expected == expected[..., ::-1], 1, expected)
            np.testing.assert_array_equal(chosen.get(), same)


@given(st.data(), pairs())
def test_movement_of_axes(data: st.DataObject, pair: Pair) -> None:
    ours, theirs = pair
    expect_equal(ours.T, theirs.T, strides=True)
    expect_equal(ww.flip(ours), np.flip(theirs))
    expect_equal(ww.squeeze(ours), np.squeeze(theirs))
    if theirs.ndim == 0:
        return
    axis = data.draw(st.integers(-theirs.ndim, theirs.ndim - 1))
    to = data.draw(st.integers(0, theirs.ndim - 1))
    expect_equal(ww.expand_dims(ours, axis=axis), np.expand_dims(theirs, axis))
    expect_equal(ww.moveaxis(ours, axis, to), np.moveaxis(theirs, axis, to), strides=True)
    expect_equal(ww.flip(ours, axis=axis), np.flip(theirs, axis))
    expect_equal(ww.roll(ours, 2, axis=axis), np.roll(theirs, 2, axis))
    expect_equal(ww.roll(ours, -3), np.roll(theirs, -3))
    expect_equal(ww.repeat(ours, 3, axis=axis), np.repeat(theirs, 3, axis))
    assert len(ww.unstack(ours, axis=axis)) == theirs.shape[axis]
    if theirs.dtype != np.bool_:
        expect_equal(ww.diff(ours, axis=axis), np.diff(theirs, axis=axis))


@given(st.data(), pairs())
def test_joining(data: st.DataObject, pair: Pair) -> None:
    ours, theirs = pair
    other = np.ones(theirs.shape, np.int16)
    expect_equal(ww.stack([ours, ww.asarray(other)]), np.stack([theirs, other]))
    expect_equal(ww.concat([ours, ours], axis=None), np.concatenate([theirs, theirs], axis=None))
    if theirs.ndim > 0:
        axis = data.draw(st.integers(-theirs.ndim, theirs.ndim - 1))
        parts = [theirs, other, theirs]
        joined = ww.concat([ours, ww.asarray(other), ours], axis=axis)
        expect_equal(joined, np.concatenate(parts, axis=axis))


@given(pairs(), st.lists(st.integers(0, 3), min_size=1, max_size=3))
def test_tile(pair: Pair, repetitions: list[int]) -> None:
    ours, theirs = pair
    expect_equal(ww.tile(ours, tuple(repetitions)), np.tile(theirs, repetitions))


@given(pairs())
def test_broadcasting(pair: Pair) -> None:
    ours, theirs = pair
    shape = (3, *theirs.shape)
    expect_equal(ww.broadcast_to(ours, shape), np.broadcast_to(theirs, shape))
    first, second = ww.broadcast_arrays(ours, ww.zeros(shape))
    assert first.shape == second.shape == shape


def test_meshgrid() -> None:
    a, b = np.arange(3), np.arange(4.0)
    for indexing in ("xy", "ij"):
        ours = ww.meshgrid(ww.asarray(a), ww.asarray(b), indexing=indexing)
        for mine, theirs in zip(ours, np.meshgrid(a, b, indexing=indexing), strict=True):
            expect_equal(mine, theirs)


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_meshgrid_of_open_axes(indexing: Any, rank: int) -> None:
    host = [np.arange(2.0 + i) for i in range(rank)]
    ours = [ww.asarray(each) for each in host]
    for options in ({"sparse": True}, {"sparse": True, "copy": False}, {"copy": False}):
        expected = np.meshgrid(*host, indexing=indexing, **options)
        for mine, theirs in zip(
            ww.meshgrid(*ours, indexing=indexing, **options), expected, strict=True
        ):
            expect_equal(mine, theirs)


def test_meshgrid_copies_unless_told_otherwise() -> None:
    x = ww.arange(3)
    for options in ({}, {"sparse": True}):
        for grid in ww.meshgrid(x, x, **options):
            grid += 1
    assert x.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="read-only"):
        ww.meshgrid(x, x, copy=False)[0][...] = 1


def test_parts_of_complex_numbers_and_bytes() -> None:
    host = np.array([1 + 2j, 3 + 4j], dtype=np.complex64)
    x = ww.asarray(host)
    expect_equal(x.real, host.real)
    expect_equal(x.imag, host.imag)
    expect_equal(x.view(ww.float32), host.view(np.float32))
    x.imag[...] = 0
    assert x.tolist() == [1, 3]
    with pytest.raises(ValueError, match="not contiguous"):
        ww.zeros((2, 4), ww.float32)[:, ::2].view(ww.int8)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: x.reshape(4), "cannot make shape"),
        (lambda x: x.reshape(-1, -1), "one extent only"),
        (lambda x: x.transpose(0), "2"),
        (lambda x: ww.squeeze(x, axis=0), "extent is 2"),
        (lambda x: ww.expand_dims(x, axis=5), "axis 5"),
        (lambda x: ww.permute_dims(x, (0, 0)), "twice"),
        (lambda x: ww.moveaxis(x, (0, 1), 0), "as many"),
        (lambda x: ww.moveaxis(x, 7, 0), "source: axis 7 is out of bounds for array of dimension"),
        (lambda x: ww.moveaxis(x, 0, -7), "destination: axis -7 is out of bounds"),
        (lambda x: x.swapaxes(0, 7), "axis2: axis 7 is out of bounds"),
        (lambda x: ww.concat([]), "no arrays"),
        (lambda x: ww.concat([x, ww.zeros(3)]), "concat got shapes"),
        (lambda x: ww.concat(x), "tuple or list"),
        (lambda x: ww.stack([x, ww.zeros(3)]), "stack got shapes"),
        (lambda x: ww.broadcast_to(x, (2, 4)), "broadcast"),
        (lambda x: ww.repeat(x, -1), "0 or more"),
        (lambda x: ww.zeros(3).mT, "last axes"),
        (lambda x: ww.meshgrid(x, indexing="yx"), "indexing"),
    ],
)
def test_wrong_shapes_are_refused_at_once(call: Any, words: str) -> None:
    with pytest.raises(ww.ArgumentError, match=words):
        call(ww.ones((2, 3)))


NARROW: tuple[Callable[[ww.Array, ww.Array], ww.Array], ...] = (
    lambda x, f: (x + x)[::-1],
    lambda x, f: x[::-1] * np.int8(3),
    lambda x, f: (f * 2).astype("int8")[::-1],
    lambda x, f: (x[::-1] == 300)[::-1],
    lambda x, f: ww.add(x, x, dtype="int64").astype("int8")[::-1],
    lambda x, f: (ww.arange(x.size) % 7 - 3).astype("int8")[::-1],
    lambda x, f: ww.flip(ww.where(f > 0, x, x * x)),
)


@pytest.mark.parametrize("form", NARROW)
def test_results_take_the_memory_of_their_own_dtype(
    form: Callable[[ww.Array, ww.Array], ww.Array],
) -> None:
    size = 1 << 20
    x = ww.asarray(np.full(size, 2, np.int8))
    f = ww.asarray(np.ones(size, np.float32))
    pool = ww.Device().pool
    ww.Device().synchronize()
    pool.free_held()
    pool.reset_peak()
    before = pool.active_bytes
    result = form(x, f)
    ww.evaluate(result)
    ww.Device().synchronize()
    assert result.dtype.itemsize == 1
    assert pool.statistics().peak_bytes - before == size
