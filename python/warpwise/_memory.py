"""Host arrays in page-locked memory."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ._core import HostBuffer, value_text
from ._errors import ArgumentTypeError, ArgumentValueError


def pagelocked_empty(
    shape: int | Sequence[int], dtype: npt.DTypeLike, order: Literal["C", "F"] = "C"
) -> npt.NDArray[Any]:
    """An uninitialised array that devices copy to and from at full speed and asynchronously."""
    extents = _extents(shape)
    element = _element(dtype)
    if not isinstance(order, str) or order not in ("C", "F"):
        raise ArgumentValueError(f"order wants 'C' or 'F', got {value_text(order)}")
    memory = HostBuffer(math.prod(extents) * element.itemsize)
    return np.ndarray(extents, element, buffer=memory, order=order)  # type: ignore[arg-type]


def _extents(shape: int | Sequence[int]) -> tuple[int, ...]:
    is_list = isinstance(shape, Iterable) and not isinstance(shape, str | bytes)
    try:
        extents = tuple(map(operator.index, shape if is_list else (shape,)))  # type: ignore[arg-type]
    except TypeError:
        got = value_text(shape)
        raise ArgumentTypeError(f"shape wants an int or a tuple of ints, got {got}") from None
    if min(extents, default=0) < 0:
        raise ArgumentValueError(f"shape wants ints of 0 or more, got {min(extents)}")
    return extents


def _element(dtype: npt.DTypeLike) -> np.dtype[Any]:
    try:
        element = np.dtype(dtype)
    except Exception as error:  # NumPy raises several kinds
        got = value_text(dtype)
        raise ArgumentTypeError(f"dtype wants a NumPy dtype, got {got}: {error}") from None
    if element.hasobject:
        raise ArgumentTypeError("dtype wants plain values, got objects; devices cannot read those")
    return element
