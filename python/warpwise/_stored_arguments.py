"""Arguments whose elements the device stores as others: dates and spans of time as int64, strings
of a fixed size as arrays of their characters, and records with such fields.

A launch hands over what is stored; `stored_as(argument, dtype)` in the kernel says what it is.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from ._core import Array, In, InOut, Out
from ._host_arguments import record_in_place
from ._program.known import known

stored_as = known(object(), "cuda.stored_as")


def stored_dtype(value: Any) -> np.dtype[Any] | None:
    """The dtype of an argument that is stored as another; None of all others."""
    if isinstance(value, In | Out | InOut):
        value = value.array
    if not isinstance(value, np.ndarray | np.generic | Array):
        return None
    dtype: np.dtype[Any] = value.dtype
    if isinstance(value, np.str_ | np.bytes_):
        return None  # known when compiled
    return dtype if is_stored_otherwise(dtype) else None


def is_stored_otherwise(dtype: np.dtype[Any]) -> bool:
    """Whether elements, or fields of them, are times or strings in this machine's byte order."""
    base = dtype.base
    if base.names is not None:
        return any(is_stored_otherwise(base[name]) for name in base.names)
    return base.kind in "mMSU" and base.isnative and base.itemsize > 0


def stored(value: Any) -> Any:
    """What is handed over: a view of the same memory."""
    if isinstance(value, In | Out | InOut):
        return type(value)(stored(value.array))
    if isinstance(value, np.void):
        value = record_in_place(value)
    if isinstance(value, Array):
        plain = Array(value)
        return plain["characters"] if value.dtype.kind in "SU" else plain
    if value.dtype.kind in "SU":
        return _characters(value)
    from .cuda._arrays.layouts import storage_dtype

    return value.view(storage_dtype(value.dtype))


def _characters(strings: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The characters of strings, which are another axis."""
    element = np.dtype(np.uint8 if strings.dtype.kind == "S" else np.uint32)
    holder = types.SimpleNamespace(
        __array_interface__={
            "version": 3,
            "shape": (*strings.shape, strings.itemsize // element.itemsize),
            "strides": (*strings.strides, element.itemsize),
            "typestr": element.str,
            "data": (strings.__array_interface__["data"][0], not strings.flags.writeable),
        },
        strings=strings,
    )
    return np.asarray(holder)
