"""What the functions here do with their operands."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._core import Array
from .._errors import ArgumentAxisError, ArgumentTypeError, ArgumentValueError


def like(values: Any, array: Array) -> Array:
    return values if isinstance(values, Array) else _core.asarray(values, device=array.device)


def cycled(values: Array, count: int) -> Array:
    """As many values, from the first again behind the last."""
    if values.size == 0:
        raise ArgumentValueError(f"got no values for {count} elements; give at least one")
    if values.size != count:
        values = _core.tile(values, (-(-count // values.size),))[:count]
    return values


def require_writable(array: Any, function: str) -> None:
    if not isinstance(array, Array):
        raise ArgumentTypeError(
            f"{function} expects a ww.Array to write to, got {_core.value_text(array)}; fetch the "
            "values with .get() to write them to host memory"
        )


def require_castable(source: Any, target: Array, function: str, casting: str) -> None:
    if not _is_castable(source, target, casting):
        known = isinstance(source, Array | np.generic)
        given = source.dtype if known else _core.value_text(source)
        raise ArgumentTypeError(
            f"{function} got {given} for an array of {target.dtype}, which casting='{casting}' "
            "does not allow; convert it with astype"
        )


def _is_castable(source: Any, target: Array, casting: Any) -> bool:
    if isinstance(source, Array | np.generic):
        return np.can_cast(source.dtype, target.dtype, casting)
    if isinstance(source, bool):
        return np.can_cast(np.bool_, target.dtype, casting)
    if isinstance(source, int | float | complex):  # of the array's type where that holds them
        return np.can_cast(np.result_type(source, target.dtype), target.dtype, casting)
    return True  # what it is converted to is found out by the copy


def written_to(result: Array, out: Array | None, casting: str = "same_kind") -> Array:
    """The array that a function with out= returns."""
    if out is None:
        return result
    require_writable(out, "out=")
    if out.shape != result.shape:
        raise ArgumentValueError(f"out= has the shape {out.shape}; the result has {result.shape}")
    require_castable(result, out, "out=", casting)
    out[...] = result
    return out


def checked_axis(axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise ArgumentAxisError(
            f"axis {axis} is out of bounds for array of dimension {rank}", axis, rank
        )
    return axis % rank
