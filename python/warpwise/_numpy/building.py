"""New arrays out of others."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _core
from .._core import Array
from .._errors import ArgumentTypeError, ArgumentValueError
from .operands import checked_axis, cycled, like


def concatenate(
    arrays: Any, /, axis: int | None = 0, out: Array | None = None, *, dtype: Any = None,
    casting: str = "same_kind",
) -> Array:  # fmt: skip
    return _core.concat(arrays, axis=axis, out=out, dtype=dtype, casting=casting)


def stack(
    arrays: Any, axis: int = 0, out: Array | None = None, *, dtype: Any = None,
    casting: str = "same_kind",
) -> Array:  # fmt: skip
    return _core.stack(arrays, axis=axis, out=out, dtype=dtype, casting=casting)


def vstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Array:
    return _core.vstack(_cast(tup, dtype, casting))


def hstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Array:
    return _core.hstack(_cast(tup, dtype, casting))


def block(arrays: Any) -> Array:
    depth = _depth(arrays)
    rank = max(depth, _rank(arrays))

    def joined(part: Any, level: int) -> Array:
        if isinstance(part, list):
            return _core.concat([joined(each, level + 1) for each in part], axis=level - depth)
        array = part if isinstance(part, Array) else _core.asarray(part)
        return array.reshape((1,) * (rank - array.ndim) + array.shape)

    return joined(arrays, 0)


def resize(a: Array, new_shape: Any) -> Array:
    shape = (new_shape,) if isinstance(new_shape, int) else tuple(new_shape)
    if a.size == 0:
        return _core.zeros(shape, dtype=a.dtype, device=a.device)
    return cycled(a.reshape(-1), math.prod(shape)).reshape(shape)


def vander(x: Array, N: int | None = None, increasing: bool = False) -> Array:  # noqa: N803
    if x.ndim != 1:
        raise ArgumentValueError(f"vander got an array of shape {x.shape}; it takes one axis")
    count = x.size if N is None else N
    powers = _core.full((x.size, count), 1, dtype=np.result_type(x.dtype, int), device=x.device)
    if count > 1:
        powers[:, 1:] = x[:, None]
    result = _core.accumulate("multiply", powers, axis=1) if count > 0 else powers
    return result if increasing else result[:, ::-1].copy()


def piecewise(x: Array, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Array:
    masks = [condlist] if isinstance(condlist, Array) and condlist.ndim == x.ndim else [*condlist]
    if len(funclist) not in (len(masks), len(masks) + 1):
        raise ArgumentValueError(
            f"piecewise got {len(masks)} conditions and {len(funclist)} functions; give one "
            "function for each condition, and at most one for the rest"
        )
    if len(funclist) > len(masks):
        rest = masks[0]
        for mask in masks[1:]:
            rest = rest | mask
        masks.append(~rest)
    result = _core.zeros_like(x)
    for mask, value in zip(masks, funclist, strict=True):
        result[mask] = value(x[mask], *args, **kw) if callable(value) else value
    return result


def trim_zeros(filt: Array, trim: str = "fb", axis: Any = None) -> Array:
    trim = trim.lower()
    if trim not in ("fb", "bf", "f", "b"):
        raise ArgumentValueError(f"trim_zeros got trim='{trim}'; it is 'f', 'b' or 'fb'")
    axes = range(filt.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    places = _core.nonzero(filt)
    parts = [slice(None)] * filt.ndim
    for each in axes:
        of = checked_axis(each, filt.ndim)
        if places[of].size == 0:
            parts[of] = slice(0, 0)
            continue
        first = int(_core.min(places[of])) if "f" in trim else 0
        last = int(_core.max(places[of])) if "b" in trim else filt.shape[of] - 1
        parts[of] = slice(first, last + 1)
    return filt[tuple(parts)]


def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: Array, *args: Any, **kwargs: Any
) -> Array:
    """Calls the function once for each row, as NumPy does: it sees arrays of one axis."""
    of = checked_axis(axis, arr.ndim)
    rows = _core.moveaxis(arr, of, -1)
    outer = rows.shape[:-1]
    if math.prod(outer) == 0:
        raise ArgumentValueError(f"apply_along_axis got an array of shape {arr.shape}: no rows")
    flat = rows.reshape(-1, rows.shape[-1])
    found = [like(func1d(flat[i], *args, **kwargs), arr) for i in range(flat.shape[0])]
    inner = found[0].shape
    joined = _core.stack(found).reshape(outer + inner)
    last = tuple(range(len(outer), joined.ndim))
    return _core.moveaxis(joined, last, tuple(range(of, of + len(inner))))


def sort_complex(a: Array) -> Array:
    small = a.dtype.kind in "biu" and a.dtype.itemsize <= 2
    kind = np.complex64 if small else np.result_type(a.dtype, np.complex64)
    return _core.sort(_core.astype(a, kind), axis=-1)


def _cast(arrays: Any, dtype: Any, casting: str) -> Any:
    """The arrays as another type, where one is asked for and `casting` allows it."""
    if dtype is None:
        return arrays
    for array in arrays:
        if not np.can_cast(array.dtype, dtype, casting):  # type: ignore[arg-type]
            raise ArgumentTypeError(
                f"got an array of {array.dtype} for dtype={np.dtype(dtype)}, which "
                f"casting='{casting}' does not allow"
            )
    return [_core.astype(array, dtype) for array in arrays]


def _depth(arrays: Any) -> int:
    return 1 + _depth(arrays[0]) if isinstance(arrays, list) else 0


def _rank(arrays: Any) -> int:
    if isinstance(arrays, list):
        return max(_rank(each) for each in arrays)
    return int(np.ndim(arrays)) if not isinstance(arrays, Array) else arrays.ndim
