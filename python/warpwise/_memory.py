"""Host arrays in page-locked and managed memory."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ._core import HostBuffer, count_view, managed_alloc, value_text
from ._errors import ArgumentTypeError, ArgumentValueError

_Order = Literal["C", "F"]
_Array = npt.NDArray[Any]


def pagelocked_empty(
    shape: int | Sequence[int],
    dtype: npt.DTypeLike,
    order: _Order = "C",
    *,
    mapped: bool = True,
    portable: bool = True,
    write_combined: bool = False,
    pooled: bool = False,
) -> _Array:
    """An uninitialised array that devices copy to and from at full speed and asynchronously.

    Kernels accept it as `ww.mapped_buffer(array)`. It is always mapped and portable, like all
    page-locked memory where host and device share addresses; passing True is allowed.
    `write_combined`: the host only writes it. `pooled`: from `Device.host_pool`.
    """
    _flag(mapped, "mapped")
    _flag(portable, "portable")
    return _empty(
        shape,
        dtype,
        order,
        lambda nbytes: HostBuffer(nbytes, write_combined=write_combined, pooled=pooled),
    )


def pagelocked_zeros(
    shape: int | Sequence[int], dtype: npt.DTypeLike, order: _Order = "C", **flags: bool
) -> _Array:
    """As pagelocked_empty, filled with zeros."""
    return _zeroed(pagelocked_empty(shape, dtype, order, **flags))


def pagelocked_empty_like(array: _Array, **flags: bool) -> _Array:
    """As pagelocked_empty, with the shape, dtype and order of `array`."""
    order = _order_of(array)
    return pagelocked_empty(array.shape, array.dtype, order, **flags)


def pagelocked_zeros_like(array: _Array, **flags: bool) -> _Array:
    """As pagelocked_empty_like, filled with zeros."""
    return _zeroed(pagelocked_empty_like(array, **flags))


def managed_empty(shape: int | Sequence[int], dtype: npt.DTypeLike, order: _Order = "C") -> _Array:
    """An uninitialised array in memory that migrates between host and device.

    Kernels accept it as `ww.mapped_buffer(array)`; `array.base` is its HostBuffer. Synchronise
    before the host reads what a kernel wrote.
    """
    return _empty(shape, dtype, order, managed_alloc)


def managed_zeros(shape: int | Sequence[int], dtype: npt.DTypeLike, order: _Order = "C") -> _Array:
    """As managed_empty, filled with zeros."""
    return _zeroed(managed_empty(shape, dtype, order))


def managed_empty_like(array: _Array) -> _Array:
    """As managed_empty, with the shape, dtype and order of `array`."""
    order = _order_of(array)
    return managed_empty(array.shape, array.dtype, order)


def managed_zeros_like(array: _Array) -> _Array:
    """As managed_empty_like, filled with zeros."""
    return _zeroed(managed_empty_like(array))


def _empty(
    shape: int | Sequence[int],
    dtype: npt.DTypeLike,
    order: _Order,
    allocate: Callable[[int], HostBuffer],
) -> _Array:
    extents = _extents(shape)
    element = _element(dtype)
    if not isinstance(order, str) or order not in ("C", "F"):
        raise ArgumentValueError(f"order expects 'C' or 'F', got {value_text(order)}")
    memory = allocate(math.prod(extents) * element.itemsize)
    array: _Array = np.ndarray(extents, element, buffer=memory, order=order)  # type: ignore[arg-type]
    count_view(array, memory)  # NumPy holds the memory's object, and no export of its buffer
    return array


def _zeroed(array: _Array) -> _Array:
    array.fill(0)
    return array


def _order_of(array: _Array) -> _Order:
    if not isinstance(array, np.ndarray):
        raise ArgumentTypeError(f"array expects a NumPy array, got {value_text(array)}")
    return "F" if array.flags.fnc else "C"


def _flag(value: bool, name: str) -> None:
    if value is not True:
        raise ArgumentValueError(
            f"{name}={value_text(value)} is not supported: page-locked memory is always {name}; "
            "omit it"
        )


def _extents(shape: int | Sequence[int]) -> tuple[int, ...]:
    is_list = isinstance(shape, Iterable) and not isinstance(shape, str | bytes)
    try:
        extents = tuple(map(operator.index, shape if is_list else (shape,)))  # type: ignore[arg-type]
    except TypeError:
        got = value_text(shape)
        raise ArgumentTypeError(f"shape expects an int or a tuple of ints, got {got}") from None
    if min(extents, default=0) < 0:
        raise ArgumentValueError(f"shape expects ints of 0 or more, got {min(extents)}")
    if max(extents, default=0) > sys.maxsize:
        raise ArgumentValueError(f"shape got {value_text(max(extents))}, which exceeds every limit")
    return extents


def _element(dtype: npt.DTypeLike) -> np.dtype[Any]:
    try:
        element = np.dtype(dtype)
    except Exception as error:  # NumPy raises several kinds
        got = value_text(dtype)
        raise ArgumentTypeError(f"dtype expects a NumPy dtype, got {got}: {error}") from None
    if element.hasobject:
        raise ArgumentTypeError("dtype expects plain values, got objects; devices cannot read them")
    return element
