"""What NumPy's functions without a name of their own here do with arrays, through its protocol."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _core
from ._core import Array
from ._errors import ArgumentTypeError, ArgumentValueError


def iscomplexobj(x: Array) -> bool:
    return bool(x.dtype.kind == "c")


def isrealobj(x: Array) -> bool:
    return not iscomplexobj(x)


def isreal(x: Array) -> Array:
    return x.imag == 0


def iscomplex(x: Array) -> Array:
    return x.imag != 0


def isposinf(x: Array, out: Array | None = None) -> Array:
    return _core.logical_and(_core.isinf(x), _core.logical_not(_core.signbit(x)), out=out)


def isneginf(x: Array, out: Array | None = None) -> Array:
    return _core.logical_and(_core.isinf(x), _core.signbit(x), out=out)


def copyto(dst: Array, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    _writable(dst, "copyto")
    source = src.dtype if isinstance(src, Array | np.generic) else None
    if source is not None and not np.can_cast(source, dst.dtype, casting):  # type: ignore[arg-type]
        raise ArgumentTypeError(
            f"copyto got {source} for an array of {dst.dtype}, which casting='{casting}' does "
            "not allow"
        )
    dst[...] = (
        src if where is True else _core.where(where, _core.astype(_like(src, dst), dst.dtype), dst)
    )


def putmask(a: Array, mask: Array, values: Any) -> None:
    _writable(a, "putmask")
    source = _like(values, a)
    if source.shape != a.shape:
        source = _cycled(source.reshape(-1), a.size).reshape(a.shape)
    a[...] = _core.where(mask.reshape(a.shape), _core.astype(source, a.dtype), a)


def place(arr: Array, mask: Array, vals: Any) -> None:
    _writable(arr, "place")
    places = _core.flatnonzero(mask)
    if places.size > 0:
        _core.put(arr, places, _cycled(_like(vals, arr).reshape(-1), places.size))


def fill_diagonal(a: Array, val: Any, wrap: bool = False) -> None:
    _writable(a, "fill_diagonal")
    if a.ndim < 2 or (a.ndim > 2 and len(set(a.shape)) > 1):
        raise ArgumentValueError(
            f"fill_diagonal got an array of shape {a.shape}; it takes matrices, and arrays whose "
            "axes are equally long"
        )
    step = a.shape[1] + 1 if a.ndim == 2 else sum(a.shape[0] ** i for i in range(a.ndim))
    end = a.shape[1] * a.shape[1] if a.ndim == 2 and not wrap else a.size
    places = _core.arange(0, min(end, a.size), step, dtype=np.int64, device=a.device)
    _core.put(a, places, _cycled(_like(val, a).reshape(-1), places.size))


def resize(a: Array, new_shape: Any) -> Array:
    shape = (new_shape,) if isinstance(new_shape, int) else tuple(new_shape)
    if a.size == 0:
        return _core.zeros(shape, dtype=a.dtype, device=a.device)
    return _cycled(a.reshape(-1), math.prod(shape)).reshape(shape)


def vander(x: Array, N: int | None = None, increasing: bool = False) -> Array:  # noqa: N803
    count = x.size if N is None else N
    powers = _core.full((x.size, count), 1, dtype=np.result_type(x.dtype, int), device=x.device)
    if count > 1:
        powers[:, 1:] = x[:, None]
    result = _core.accumulate("multiply", powers, axis=1) if count > 0 else powers
    return result if increasing else result[:, ::-1]


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


def block(arrays: Any) -> Array:
    depth = _depth(arrays)
    rank = max(depth, _rank(arrays))

    def joined(part: Any, level: int) -> Array:
        if isinstance(part, list):
            return _core.concat([joined(each, level + 1) for each in part], axis=level - depth)
        array = part if isinstance(part, Array) else _core.asarray(part)
        return array.reshape((1,) * (rank - array.ndim) + array.shape)

    return joined(arrays, 0)


def histogram2d(
    x: Array, y: Array, bins: Any = 10, range: Any = None, density: bool | None = None,
    weights: Array | None = None,
) -> tuple[Array, Array, Array]:  # fmt: skip
    several = isinstance(bins, list | tuple) and len(bins) == 2
    both = bins if several else (bins, bins)
    limits = (None, None) if range is None else range
    edges = [_edges(each, of, limit) for each, of, limit in zip((x, y), both, limits, strict=True)]
    columns = edges[1].size - 1
    places = _place(x, edges[0]) * (columns + 1) + _place(y, edges[1])
    # What is outside comes to a row and a column behind.
    size = edges[0].size * edges[1].size
    counts = _core.bincount(places, weights=weights, minlength=size).reshape(
        edges[0].size, edges[1].size
    )[:-1, :-1]
    counts = _core.astype(counts, np.float64)
    if density:
        area = _core.diff(edges[0])[:, None] * _core.diff(edges[1])
        counts = counts / area / counts.sum()
    return counts, edges[0], edges[1]


def _edges(x: Array, bins: Any, limits: Any) -> Array:
    return _core.histogram(x, bins, range=limits)[1]


def _place(x: Array, edges: Array) -> Array:
    found = _core.searchsorted(edges, x, side="right") - 1
    found = _core.where(x == edges[-1], edges.size - 2, found)
    return _core.where((found < 0) | (found > edges.size - 2), edges.size - 1, found)


def _depth(arrays: Any) -> int:
    return 1 + _depth(arrays[0]) if isinstance(arrays, list) else 0


def _rank(arrays: Any) -> int:
    if isinstance(arrays, list):
        return max(_rank(each) for each in arrays)
    return int(np.ndim(arrays)) if not isinstance(arrays, Array) else arrays.ndim


def _like(values: Any, array: Array) -> Array:
    return values if isinstance(values, Array) else _core.asarray(values, device=array.device)


def _cycled(values: Array, count: int) -> Array:
    """As many values, from the first again behind the last."""
    if values.size == 0:
        raise ArgumentValueError(f"got no values for {count} elements; give at least one")
    if values.size != count:
        values = _core.tile(values, (-(-count // values.size),))[:count]
    return values


def _writable(array: Any, function: str) -> None:
    if not isinstance(array, Array):
        raise ArgumentTypeError(
            f"{function} expects a ww.Array to write to, got {_core.value_text(array)}; fetch the "
            "values with .get() to write them to host memory"
        )


FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        block, copyto, fill_diagonal, histogram2d, iscomplex, iscomplexobj, isneginf, isposinf,
        isreal, isrealobj, piecewise, place, putmask, resize, vander,
    )
}  # fmt: skip
