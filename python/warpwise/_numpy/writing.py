"""Functions of NumPy that write to an array they are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._core import Array
from .._errors import ArgumentTypeError, ArgumentValueError
from .operands import cycled, like, require_castable, require_writable


def copyto(dst: Array, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    require_writable(dst, "copyto")
    require_castable(src, dst, "copyto", casting)
    if isinstance(where, Array | np.generic) and where.dtype != np.bool_:
        raise ArgumentTypeError(
            f"copyto got where= of {where.dtype}; it takes bools, such as those of a comparison"
        )
    dst[...] = (
        src if where is True else _core.where(where, _core.astype(like(src, dst), dst.dtype), dst)
    )


def _require_size(mask: Any, array: Array, function: str) -> None:
    size = np.size(mask)
    if size != array.size:
        raise ArgumentValueError(
            f"{function} got a mask of {size} elements for an array of {array.size}; both must "
            "have as many"
        )


def putmask(a: Array, mask: Array, values: Any) -> None:
    require_writable(a, "putmask")
    _require_size(mask, a, "putmask")
    if isinstance(values, Array | np.generic):
        require_castable(values, a, "putmask", "safe")
    source = like(values, a)
    if source.shape != a.shape:
        source = cycled(source.reshape(-1), a.size).reshape(a.shape)
    a[...] = _core.where(mask.reshape(a.shape), _core.astype(source, a.dtype), a)


def place(arr: Array, mask: Array, vals: Any) -> None:
    require_writable(arr, "place")
    _require_size(mask, arr, "place")
    places = _core.flatnonzero(mask)
    if places.size > 0:
        _core.put(arr, places, cycled(like(vals, arr).reshape(-1), places.size))


def fill_diagonal(a: Array, val: Any, wrap: bool = False) -> None:
    require_writable(a, "fill_diagonal")
    if a.ndim < 2 or (a.ndim > 2 and len(set(a.shape)) > 1):
        raise ArgumentValueError(
            f"fill_diagonal got an array of shape {a.shape}; it takes matrices, and arrays whose "
            "axes are equally long"
        )
    step = a.shape[1] + 1 if a.ndim == 2 else sum(a.shape[0] ** i for i in range(a.ndim))
    end = a.shape[1] * a.shape[1] if a.ndim == 2 and not wrap else a.size
    places = _core.arange(0, min(end, a.size), step, dtype=np.int64, device=a.device)
    _core.put(a, places, cycled(like(val, a).reshape(-1), places.size))
