"""Random arrays for property tests: dtypes, shapes, and pairs of equal views here and in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

import warpwise as ww

BOOL = np.dtype(np.bool_)
SIGNED = [np.dtype(name) for name in ("int8", "int16", "int32", "int64")]
UNSIGNED = [np.dtype(name) for name in ("uint8", "uint16", "uint32", "uint64")]
INTEGERS = SIGNED + UNSIGNED
REALS = [np.dtype(name) for name in ("float32", "float64")]
EXACT = [BOOL, *INTEGERS, *REALS]

Pair = tuple[ww.Array, np.ndarray[Any, Any]]

seeds = st.integers(0, 2**32 - 1)
shapes = st.lists(st.integers(0, 5), max_size=4).map(tuple)


def filled(shape: tuple[int, ...], dtype: np.dtype[Any], seed: int) -> np.ndarray[Any, Any]:
    """Values of every sign that add and multiply without rounding where the type is exact."""
    random = np.random.default_rng(seed)
    if dtype == BOOL:
        return random.integers(0, 2, shape).astype(dtype)
    low = 0 if dtype.kind == "u" else -9
    values = random.integers(low, 10, shape).astype(dtype)
    return values / dtype.type(4) if dtype.kind == "f" else values


@st.composite
def pairs(draw: st.DrawFn, dtypes: list[np.dtype[Any]] = EXACT) -> Pair:
    """The same view of the same values, here and in NumPy."""
    shape = draw(shapes)
    host = filled(shape, draw(st.sampled_from(dtypes)), draw(seeds))
    ours = ww.asarray(host)
    index = draw(indices(shape))
    return transposed(draw, ours[index], host[index])


def transposed(draw: st.DrawFn, ours: ww.Array, theirs: np.ndarray[Any, Any]) -> Pair:
    axes = draw(st.permutations(range(theirs.ndim)))
    return ours.transpose(tuple(axes)), theirs.transpose(axes)


@st.composite
def slices(draw: st.DrawFn, extent: int) -> slice:
    bound = st.none() | st.integers(-extent - 2, extent + 2)
    step = st.none() | st.integers(-3, 3).filter(bool)
    return slice(draw(bound), draw(bound), draw(step))


@st.composite
def indices(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """A basic index that is right for the shape."""
    items: list[Any] = []
    for extent in shape[: draw(st.integers(0, len(shape)))]:
        kinds: list[st.SearchStrategy[Any]] = [slices(extent)]
        if extent > 0:
            kinds.append(st.integers(-extent, extent - 1))
        items.append(draw(st.one_of(kinds)))
    for _ in range(draw(st.integers(0, 2))):
        items.insert(draw(st.integers(0, len(items))), None)
    if draw(st.booleans()):
        items.append(...)
    if not any(isinstance(item, slice) or item in (None, ...) for item in items):
        items.append(...)  # NumPy's result is an array then, not a number
    return tuple(items)


def expect_equal(ours: ww.Array, theirs: Any, *, strides: bool = False) -> None:
    """The same values, shape and dtype; NaN is equal to NaN."""
    theirs = np.asarray(theirs)
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours.get(), theirs)
    if strides and theirs.size > 1:
        assert steps(ours) == steps(theirs)


def steps(array: Any) -> list[int]:
    """The strides along axes that have several elements; those of others mean nothing."""
    return [s for s, extent in zip(array.strides, array.shape, strict=True) if extent > 1]
