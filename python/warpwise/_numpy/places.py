"""Indices of elements."""

from __future__ import annotations

import numpy as np

from .. import _core
from .._core import Array
from .._errors import ArgumentValueError


def ix_(*args: Array) -> tuple[Array, ...]:
    found = []
    for k, indices in enumerate(args):
        if indices.ndim != 1:
            raise ArgumentValueError(
                f"ix_ got an array of shape {indices.shape} as number {k + 1}; each has one axis"
            )
        places = _core.flatnonzero(indices) if indices.dtype.kind == "b" else indices
        found.append(places.reshape((1,) * k + (-1,) + (1,) * (len(args) - k - 1)))
    return tuple(found)


def diag_indices_from(arr: Array) -> tuple[Array, ...]:
    if arr.ndim < 2 or len(set(arr.shape)) > 1:
        raise ArgumentValueError(
            f"diag_indices_from got an array of shape {arr.shape}; its axes must be at least two, "
            "equally long"
        )
    return (_core.arange(arr.shape[0], dtype=np.int64, device=arr.device),) * arr.ndim


def tril_indices_from(arr: Array, k: int = 0) -> tuple[Array, ...]:
    return _core.nonzero(_core.tril(_ones_of_matrix(arr, "tril_indices_from"), k=k))


def triu_indices_from(arr: Array, k: int = 0) -> tuple[Array, ...]:
    return _core.nonzero(_core.triu(_ones_of_matrix(arr, "triu_indices_from"), k=k))


def _ones_of_matrix(array: Array, function: str) -> Array:
    if array.ndim != 2:
        raise ArgumentValueError(
            f"{function} got an array of shape {array.shape}; it takes two axes"
        )
    return _core.ones(array.shape, dtype=np.bool_, device=array.device)
