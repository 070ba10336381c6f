"""pycuda.gpuarray: conditionals, reductions, logical functions, joining.

Reductions give 0-d GPUArrays. min and max skip NaN, as PyCUDA's do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import warpwise as ww

from .._basics.errors import boundary
from .._devices.device import Event, Stream
from .._memory.memory import mem_alloc
from .array import GPUArray, on_stream
from .memory import Allocator, strides_of
from .operators import Operators

_AddTimer = Callable[[int, Callable[[], float]], Any]


def delivered(like: GPUArray, values: ww.Array, out: GPUArray | None) -> GPUArray:
    """The values as a new array like `like`, or in `out`, converted to its dtype."""
    if out is None:
        return like._like(values)
    if out.shape != values.shape:
        raise ww.ArgumentValueError(f"out has shape {out.shape}, the result {values.shape}")
    out._store(values)
    return out


def timed(function: Callable[[], GPUArray], count: int, add_timer: _AddTimer) -> GPUArray:
    """Runs it between two events for `add_timer`."""
    start, end = Event(), Event()
    start.record()
    result = function()
    ww.evaluate(result._array)
    end.record()

    def seconds() -> float:
        end.synchronize()
        return end.time_since(start) * 1e-3

    add_timer(count, seconds)
    return result


def _require(value: Any, function: str, name: str) -> None:
    if not isinstance(value, GPUArray):
        raise ww.ArgumentTypeError(
            f"{function} expects a GPUArray for '{name}', got {type(value).__name__}; "
            "gpuarray.to_gpu makes one"
        )


# --- Conditionals.


def _chosen(
    function: str,
    condition: ww.Array,
    then_: Any,
    else_: Any,
    out: GPUArray | None,
) -> GPUArray:
    values = ww.where(condition, *(one._array if isinstance(one, GPUArray) else one
                                   for one in (then_, else_)))  # fmt: skip
    like = next((one for one in (then_, else_) if isinstance(one, GPUArray)), None)
    if like is None:
        raise ww.ArgumentTypeError(f"{function} expects a GPUArray for 'then_' or 'else_'")
    return delivered(like, values, out)


@boundary
def if_positive(
    criterion: GPUArray,
    then_: GPUArray,
    else_: GPUArray,
    out: GPUArray | None = None,
    stream: Stream | None = None,
) -> GPUArray:
    """The elements of `then_` where `criterion` is above 0, else those of `else_`."""
    _require(criterion, "if_positive", "criterion")
    _same_kinds("if_positive", criterion, then_, else_)
    with on_stream(stream):
        return _chosen("if_positive", ww.greater(criterion._array, 0), then_, else_, out)


@boundary
def where(
    criterion: GPUArray,
    then_: GPUArray,
    else_: GPUArray,
    out: GPUArray | None = None,
    stream: Stream | None = None,
) -> GPUArray:
    """The elements of `then_` where `criterion` is not 0, else those of `else_`; they broadcast."""
    _require(criterion, "where", "criterion")
    with on_stream(stream):
        return _chosen("where", ww.not_equal(criterion._array, 0), then_, else_, out)


def _same_kinds(function: str, criterion: GPUArray, then_: Any, else_: Any) -> None:
    for name, one in (("then_", then_), ("else_", else_)):
        _require(one, function, name)
    if not criterion.shape == then_.shape == else_.shape:
        raise ww.ArgumentValueError(
            f"{function}: shapes do not match: {criterion.shape}, {then_.shape}, {else_.shape}"
        )
    if then_.dtype != else_.dtype:
        raise ww.ArgumentValueError(
            f"{function}: dtypes do not match: {then_.dtype} and {else_.dtype}"
        )


def _extremum(function: str, choose: Callable[[Any, Any], ww.Array]) -> Any:
    @boundary
    def extremum(
        a: Any, b: Any, out: GPUArray | None = None, stream: Stream | None = None
    ) -> GPUArray:
        arrays = [one for one in (a, b) if isinstance(one, GPUArray)]
        if not arrays:
            _require(a, function, "a")
        kind = arrays[0].dtype
        values = [
            one._array if isinstance(one, GPUArray) else np.asarray(one).astype(kind)[()]
            for one in (a, b)
        ]
        with on_stream(stream):
            return delivered(arrays[0], choose(*values), out)

    extremum.__name__ = extremum.__qualname__ = function
    extremum.__doc__ = f"The {function} of each two elements; a number is skipped where it is NaN."
    return extremum


maximum = _extremum("maximum", ww.fmax)
minimum = _extremum("minimum", ww.fmin)


# --- Reductions.


def _reduced(
    like: GPUArray, values: ww.Array, dtype: npt.DTypeLike | None, allocator: Allocator | None
) -> GPUArray:
    if dtype is not None:
        values = ww.astype(values, np.dtype(dtype), copy=False)
    return like._of(values, allocator or like._allocator)


def _summed(values: ww.Array, dtype: npt.DTypeLike) -> ww.Array:
    """In the dtype, whatever it is: int8 stays int8, and bool is whether any is true."""
    kind = np.dtype(dtype)
    return ww.any(values) if kind == np.bool_ else ww.sum(values, dtype=kind)


@boundary
def sum(
    a: GPUArray,
    dtype: npt.DTypeLike | None = None,
    stream: Stream | None = None,
    allocator: Allocator | None = None,
) -> GPUArray:
    """The sum of all elements, computed in `dtype`; default: the array's."""
    _require(a, "sum", "a")
    with on_stream(stream):
        values = _summed(a._array, a.dtype if dtype is None else dtype)
        return _reduced(a, values, dtype, allocator)


@boundary
def any(a: GPUArray, stream: Stream | None = None, allocator: Allocator | None = None) -> GPUArray:
    """Whether any element is not 0: a 0-d array of bool."""
    _require(a, "any", "a")
    return a.any(stream, allocator)


@boundary
def all(a: GPUArray, stream: Stream | None = None, allocator: Allocator | None = None) -> GPUArray:
    """Whether no element is 0: a 0-d array of bool."""
    _require(a, "all", "a")
    return a.all(stream, allocator)


@boundary
def dot(
    a: GPUArray,
    b: GPUArray,
    dtype: npt.DTypeLike | None = None,
    stream: Stream | None = None,
    allocator: Allocator | None = None,
) -> GPUArray:
    """The sum of a * b over all elements, without conjugation, computed in `dtype`; default: the
    common one of both."""
    _require(a, "dot", "a")
    _require(b, "dot", "b")
    if a.size != b.size:
        raise ww.ArgumentValueError(f"dot got arrays of shapes {a.shape} and {b.shape}")
    with on_stream(stream):
        x, y = a._array, b._array
        if x.shape != y.shape:
            x, y = x.reshape(-1), y.reshape(-1)
        kind = ww.result_type(x, y) if dtype is None else np.dtype(dtype)
        values = _summed(ww.astype(x, kind, copy=False) * ww.astype(y, kind, copy=False), kind)
        return _reduced(a, values, kind, allocator)


def _limit(kind: np.dtype[Any], is_least: bool) -> Any:
    """What changes no minimum (is_least: maximum) of the dtype."""
    if kind.kind == "b":
        return not is_least
    if kind.kind in "iu":
        return np.iinfo(kind).min if is_least else np.iinfo(kind).max
    if kind.kind != "f":
        raise ww.ArgumentTypeError(f"minima and maxima are of real numbers, got an array of {kind}")
    return -np.inf if is_least else np.inf


def extreme(values: ww.Array, is_max: bool) -> ww.Array:
    """The greatest or the least element that is not NaN; over none the dtype's limit."""
    limit = _limit(values.dtype, is_max)
    if values.size == 0:
        return ww.full((), limit, values.dtype)
    if values.dtype.kind == "f":
        values = (ww.fmax if is_max else ww.fmin)(values, limit)
    return ww.max(values) if is_max else ww.min(values)


@boundary
def max(a: GPUArray, stream: Stream | None = None) -> GPUArray:
    """The greatest element that is not NaN."""
    _require(a, "max", "a")
    with on_stream(stream):
        return _reduced(a, extreme(a._array, True), None, None)


@boundary
def min(a: GPUArray, stream: Stream | None = None) -> GPUArray:
    """The least element that is not NaN."""
    _require(a, "min", "a")
    with on_stream(stream):
        return _reduced(a, extreme(a._array, False), None, None)


# --- Logical functions.


def _logical(function: Callable[..., ww.Array], operands: Sequence[Any], out: Any,
             allocator: Allocator | None) -> GPUArray:  # fmt: skip
    name = function.__name__
    arrays = [one for one in operands if isinstance(one, GPUArray)]
    for one in operands:
        if not isinstance(one, GPUArray) and not np.isscalar(one):
            raise ww.ArgumentValueError(
                f"{name} can take either scalars or GPUArrays, got {type(one).__name__}"
            )
    if arrays:
        given = [one._array if isinstance(one, Operators) else bool(one) for one in operands]
        values = function(*(ww.not_equal(one, 0) if isinstance(one, ww.Array) else one
                            for one in given))  # fmt: skip
    else:
        values = ww.asarray(np.asarray(getattr(np, name)(*operands)))
    if out is not None:
        if out.shape != values.shape or out.dtype != np.bool_:
            raise ww.ArgumentValueError(
                f"{name} got out of shape {out.shape} and {out.dtype}; the result is bool of shape "
                f"{values.shape}"
            )
        out._store(values)
        return out  # type: ignore[no-any-return]
    return GPUArray._of(values, allocator or (arrays[0]._allocator if arrays else None))


@boundary
def logical_and(
    x1: Any, x2: Any, /, out: GPUArray | None = None, *, allocator: Allocator | None = None
) -> GPUArray:
    """Whether both are not 0, in an array of bool; numbers are accepted."""
    return _logical(ww.logical_and, (x1, x2), out, allocator)


@boundary
def logical_or(
    x1: Any, x2: Any, /, out: GPUArray | None = None, *, allocator: Allocator | None = None
) -> GPUArray:
    """Whether one of both is not 0, in an array of bool; numbers are accepted."""
    return _logical(ww.logical_or, (x1, x2), out, allocator)


@boundary
def logical_not(
    x: Any, /, out: GPUArray | None = None, *, allocator: Allocator | None = None
) -> GPUArray:
    """Whether it is 0, in an array of bool; a number is accepted."""
    return _logical(ww.logical_not, (x,), out, allocator)


# --- Joining and shapes.


def _listed(arrays: Sequence[GPUArray], function: str) -> list[GPUArray]:
    listed = list(arrays)
    if not listed:
        raise ww.ArgumentValueError(f"{function} needs at least one array")
    for one in listed:
        _require(one, function, "arrays")
    return listed


@boundary
def concatenate(
    arrays: Sequence[GPUArray], axis: int = 0, allocator: Allocator | None = None
) -> GPUArray:
    """The arrays one behind the other along an axis, of their common dtype."""
    listed = _listed(arrays, "concatenate")
    values = ww.concat([one._array for one in listed], axis=axis)
    return GPUArray._of(values, allocator or listed[0]._allocator)


@boundary
def stack(
    arrays: Sequence[GPUArray], axis: int = 0, allocator: Allocator | None = None
) -> GPUArray:
    """The arrays along a new axis. The result lies in Fortran order unless that axis is 0."""
    listed = _listed(arrays, "stack")
    values = ww.stack([one._array for one in listed], axis=axis)
    if axis == 0:
        return GPUArray._of(values, allocator or listed[0]._allocator)
    strides = strides_of(values.shape, values.itemsize, "F")
    chosen = allocator or listed[0]._allocator
    made = GPUArray(values.shape, values.dtype, chosen or mem_alloc, strides=strides)
    made._array[...] = values
    return made


def transpose(a: GPUArray, axes: Sequence[int] | None = None) -> GPUArray:
    """A view with the axes in this order; without any, reversed."""
    return a.transpose(axes)


def reshape(a: GPUArray, *shape: Any, order: str = "C") -> GPUArray:
    """Another shape for the memory as it lies."""
    return a.reshape(*shape, order=order)
