"""Layouts of arrays: contiguity without broadcast axes, and new arrays of a given layout."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..._core import Array, Buffer, from_buffer, mem_alloc, value_text
from ..._errors import ArgumentTypeError, ArgumentValueError

errmsg_contiguous_buffer = (
    "Array contains non-contiguous buffer and cannot be transferred as a single memory region. "
    "Please ensure contiguous buffer with numpy .ascontiguousarray()"
)


def strided_extent(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> tuple[int, int]:
    """(first byte, byte after the last) of the elements, counted from the first element."""
    if 0 in shape:
        return 0, 0
    spans = [(extent - 1) * stride for extent, stride in zip(shape, strides)]
    return (
        sum(span for span in spans if span < 0),
        sum(span for span in spans if span > 0) + itemsize,
    )


def _is_dense(dims: list[tuple[int, int]], itemsize: int) -> bool:
    """Whether axes (extent, stride), the fastest first, lie without gaps."""
    for extent, stride in dims:
        if extent != 1 and stride != itemsize:
            return False
        itemsize *= extent
    return True


def is_core_contiguous(array: Any) -> bool:
    """Whether an array without its broadcast axes is contiguous in C or Fortran order."""
    if array.size == 0:
        return True
    dims = [(extent, stride) for extent, stride in zip(array.shape, array.strides) if stride != 0]
    itemsize = array.dtype.itemsize
    return _is_dense(dims[::-1], itemsize) or _is_dense(dims, itemsize)


def require_contiguous(array: Any) -> None:
    """Raises ValueError where a copy of the memory as it lies is not the array."""
    if not is_core_contiguous(array):
        raise ArgumentValueError(errmsg_contiguous_buffer)


def require_same_layout(one: Any, other: Any) -> None:
    """Raises where two arrays differ in dtype, shape or strides, axes of extent 1 aside."""
    if one.dtype != other.dtype:
        raise ArgumentTypeError(f"incompatible dtype: {one.dtype} vs. {other.dtype}")
    axes, others = _true_axes(one), _true_axes(other)
    if [extent for extent, _ in axes] != [extent for extent, _ in others]:
        raise ArgumentValueError(f"incompatible shape: {one.shape} vs. {other.shape}")
    if one.size and axes != others:
        raise ArgumentValueError(f"incompatible strides: {one.strides} vs. {other.strides}")


def _true_axes(array: Any) -> list[tuple[int, int]]:
    return [axis for axis in zip(array.shape, array.strides) if axis[0] != 1]


def checked_shape(shape: Any, name: str = "shape") -> tuple[int, ...]:
    """A shape as a tuple of ints."""
    try:
        if isinstance(shape, Sequence) and not isinstance(shape, str | bytes):
            extents = tuple(operator.index(extent) for extent in shape)
        else:
            extents = (operator.index(shape),)
    except TypeError:
        raise ArgumentTypeError(
            f"{name} expects an int or a tuple of ints, got {value_text(shape)}"
        ) from None
    return extents


def checked_dtype(dtype: Any) -> np.dtype[Any]:
    """A dtype from what NumPy takes for one, or from a type object of Numba's kind."""
    from ..types import as_dtype

    return as_dtype(dtype)


def contiguous_strides(shape: Sequence[int], itemsize: int, order: str) -> tuple[int, ...]:
    """Strides of C order or of Fortran order."""
    strides = []
    for extent in reversed(shape) if order == "C" else shape:
        strides.append(itemsize)
        itemsize *= extent
    return tuple(reversed(strides) if order == "C" else strides)


def new_array(
    shape: Any, dtype: Any, strides: Any, order: str, buffer: Buffer | None = None
) -> Array:
    """An array with undefined contents, in `buffer` or in memory of its own."""
    extents = checked_shape(shape)
    if min(extents, default=0) < 0:
        raise ArgumentValueError(f"shape expects ints of 0 or more, got {min(extents)}")
    if order not in ("C", "F"):
        raise ArgumentValueError(f"order expects 'C' or 'F', got {value_text(order)}")
    element = checked_dtype(dtype)
    if strides is None:
        steps = contiguous_strides(extents, element.itemsize, order)
    else:
        steps = checked_shape(strides, "strides")
        if len(steps) != len(extents):
            raise ArgumentValueError(
                f"strides {steps} and shape {extents} differ in their number of axes"
            )
    first, end = strided_extent(extents, steps, element.itemsize)
    if buffer is None:
        buffer = mem_alloc(max(end - first, 1))
    stored = storage_dtype(element)
    return from_buffer(buffer, extents, stored, steps, offset=-first)


def storage_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """What the memory holds for the device: dates and times are 64-bit integers.

    Strings in records are arrays of characters: of uint32 for `str`, of uint8 for `bytes`. A string
    by itself is a record of such an array.
    """
    if dtype.kind in "mM":
        return np.dtype(np.int64)
    if dtype.kind in "SU" and dtype.isnative and dtype.itemsize:
        return np.dtype([("characters", _stored_field(dtype))])
    if dtype.subdtype is not None:
        element, shape = dtype.subdtype
        return np.dtype((_stored_field(element), shape))
    if dtype.names is None:
        return dtype
    fields = {name: dtype.fields[name][:2] for name in dtype.names}  # type: ignore[index]
    stored = {name: _stored_field(field) for name, (field, _) in fields.items()}
    if all(stored[name] is field for name, (field, _) in fields.items()):
        return dtype
    return np.dtype(
        {
            "names": list(stored),
            "formats": list(stored.values()),
            "offsets": [offset for _, offset in fields.values()],
            "itemsize": dtype.itemsize,
        },
        align=dtype.isalignedstruct,
    )


def _stored_field(dtype: np.dtype[Any]) -> np.dtype[Any]:
    if dtype.kind == "U":
        return np.dtype((np.uint32, (dtype.itemsize // 4,)))
    if dtype.kind == "S":
        return np.dtype((np.uint8, (dtype.itemsize,)))
    return storage_dtype(dtype)


def is_same_dtype(one: np.dtype[Any], other: np.dtype[Any]) -> bool:
    """Whether two dtypes are equal, and both or neither padded as C structs."""
    return one == other and one.isalignedstruct == other.isalignedstruct


def like_strides(array: Any) -> tuple[int, ...] | None:
    """Strides of a new dense array with the axis order of another; None for the usual ones."""
    if array.ndim <= 1 or _contiguous(array, "C") or _contiguous(array, "F"):
        return None
    order = sorted(range(array.ndim), key=lambda axis: array.strides[axis])
    strides = [0] * array.ndim
    stride = array.dtype.itemsize
    for axis in order:
        strides[axis] = stride
        stride *= array.shape[axis]
    return tuple(strides)


def like_order(array: Any) -> str:
    """'F' for arrays in Fortran order only."""
    return "F" if _contiguous(array, "F") and not _contiguous(array, "C") else "C"


def _contiguous(array: Any, order: str) -> bool:
    dims = list(zip(array.shape, array.strides))
    return array.size == 0 or _is_dense(dims if order == "F" else dims[::-1], array.dtype.itemsize)


def host_array(shape: Any, dtype: npt.DTypeLike, strides: Any, order: str, memory: Any) -> Any:
    """A NumPy array over `memory`, which is large enough."""
    extents = checked_shape(shape)
    element = checked_dtype(dtype)
    steps = None if strides is None else checked_shape(strides, "strides")
    first = 0 if steps is None else -strided_extent(extents, steps, element.itemsize)[0]
    return np.ndarray(extents, element, memory, first, steps, order)  # type: ignore[arg-type]


def host_bytes(shape: Any, dtype: npt.DTypeLike, strides: Any) -> int:
    """How much memory host_array() needs."""
    extents = checked_shape(shape)
    element = checked_dtype(dtype)
    if strides is None:
        return math.prod(extents) * element.itemsize
    first, end = strided_extent(extents, checked_shape(strides, "strides"), element.itemsize)
    return end - first
