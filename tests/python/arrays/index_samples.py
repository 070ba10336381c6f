"""Random index expressions, as NumPy takes them, and the same for arrays of Warpwise."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from samples import slices

import warpwise as ww

INDEX_DTYPES = ["uint8", "int64", "uint64"]


def index_array(draw: st.DrawFn, shape: tuple[int, ...], extent: int) -> np.ndarray[Any, Any]:
    """Integers into an axis, negative ones too where the type has them."""
    dtype = np.dtype(draw(st.sampled_from(INDEX_DTYPES)))
    low = 0 if dtype.kind == "u" else -extent
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return random.integers(low, max(extent, 1), shape).astype(dtype)


def broadcasting(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that broadcasts to this one."""
    cut = draw(st.integers(0, len(shape)))
    return tuple(1 if draw(st.integers(0, 3)) == 0 else n for n in shape[cut:])


@st.composite
def advanced_indices(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """An index with at least one array among slices, ints, None and an ellipsis."""
    points = tuple(draw(st.lists(st.integers(0, 4), max_size=2)))
    items: list[Any] = []
    axis = 0
    has_array = False
    while axis < len(shape):
        extent = shape[axis]
        kinds = ["slice", "stop"]
        if extent > 0:
            kinds += ["int", "array", "array", "mask"]
        kind = draw(st.sampled_from(kinds))
        if kind == "stop":
            break
        if kind == "slice":
            items.append(draw(slices(extent)))
        elif kind == "int":
            items.append(draw(st.integers(-extent, extent - 1)))
        elif kind == "array":
            items.append(index_array(draw, broadcasting(draw, points), extent))
            has_array = True
        else:
            count = draw(st.integers(1, len(shape) - axis))
            seed = draw(st.integers(0, 2**32 - 1))
            mask = np.random.default_rng(seed).integers(0, 2, shape[axis : axis + count]) == 1
            items.append(mask)
            has_array = True
            axis += count - 1
            points = (int(mask.sum()),)
        axis += 1
    if not has_array:
        if axis < len(shape) and shape[axis] > 0:
            items.append(index_array(draw, points, shape[axis]))
        else:
            items.append(np.array(draw(st.booleans())))
    for _ in range(draw(st.integers(0, 2))):
        items.insert(draw(st.integers(0, len(items))), None)
    if draw(st.booleans()):
        items.append(...)
    return tuple(items)


def on_device(draw: st.DrawFn, index: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same index with some of its arrays on the device, and some as lists."""

    def moved(item: Any) -> Any:
        if not isinstance(item, np.ndarray):
            return item
        choice = draw(st.sampled_from(["device", "device", "host", "list"]))
        if choice == "device":
            return ww.asarray(item)
        return item.tolist() if choice == "list" and item.ndim > 0 and item.size > 0 else item

    return tuple(moved(item) for item in index)
