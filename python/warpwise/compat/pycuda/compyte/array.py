"""pycuda.compyte.array: strides of arrays without gaps, and what the flags of an array are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .._gpuarray.memory import strides_of

__all__ = [
    "ArrayFlags",
    "as_strided",
    "c_contiguous_strides",
    "equal_strides",
    "f_contiguous_strides",
    "get_common_dtype",
    "is_c_contiguous_strides",
    "is_f_contiguous_strides",
]

_Numbers = tuple[int, ...]


def c_contiguous_strides(itemsize: int, shape: _Numbers) -> _Numbers:
    return strides_of(shape, itemsize, "C")


def f_contiguous_strides(itemsize: int, shape: _Numbers) -> _Numbers:
    return strides_of(shape, itemsize, "F")


def equal_strides(strides1: _Numbers, strides2: _Numbers, shape: _Numbers) -> bool:
    """Whether they are the same on every axis of more than one element."""
    if not len(strides1) == len(strides2) == len(shape):
        return False
    return all(
        extent == 1 or one == other
        for one, other, extent in zip(strides1, strides2, shape, strict=True)
    )


def is_c_contiguous_strides(strides: _Numbers, itemsize: int, shape: _Numbers) -> bool:
    own = c_contiguous_strides(itemsize, shape)
    return math.prod(shape) == 0 or equal_strides(strides, own, shape)


def is_f_contiguous_strides(strides: _Numbers, itemsize: int, shape: _Numbers) -> bool:
    own = f_contiguous_strides(itemsize, shape)
    return math.prod(shape) == 0 or equal_strides(strides, own, shape)


class ArrayFlags:
    """Whether an array with shape, strides and dtype lies without gaps, and in which order."""

    def __init__(self, ary: Any) -> None:
        size = ary.dtype.itemsize
        self.f_contiguous = is_f_contiguous_strides(ary.strides, size, ary.shape)
        self.c_contiguous = is_c_contiguous_strides(ary.strides, size, ary.shape)
        self.forc = self.f_contiguous or self.c_contiguous

    def __repr__(self) -> str:
        return f"  C_CONTIGUOUS : {self.c_contiguous}\n  F_CONTIGUOUS : {self.f_contiguous}"


def get_common_dtype(obj1: Any, obj2: Any, allow_double: bool) -> np.dtype[Any]:
    """The dtype of obj1 + obj2, by NumPy's rules, for a device that may lack double precision."""
    one = np.zeros(1, obj1.dtype)
    other = np.zeros(1, obj2.dtype) if hasattr(obj2, "dtype") else obj2
    kind: np.dtype[Any] = np.result_type(one, other)
    if allow_double:
        return kind
    narrow = {np.dtype(np.float64): np.float32, np.dtype(np.complex128): np.complex64}
    return np.dtype(narrow.get(kind, kind))
