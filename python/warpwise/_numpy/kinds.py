"""What elements are, and whether arrays agree."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _core
from .._core import Array
from .._errors import ArgumentValueError
from .operands import checked_axis


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


def real_if_close(a: Array, tol: float = 100) -> Array:
    if a.dtype.kind != "c":
        return a
    limit = tol * float(np.finfo(a.dtype).eps) if tol > 1 else tol
    return a.real if bool(_core.all(_core.abs(a.imag) < limit)) else a


def array_equiv(a1: Any, a2: Any) -> bool:
    device = a1.device if isinstance(a1, Array) else a2.device
    a1, a2 = (x if isinstance(x, Array) else _core.asarray(x, device=device) for x in (a1, a2))
    try:
        _core.broadcast_shapes(a1.shape, a2.shape)
    except ArgumentValueError:
        return False
    return bool(_core.all(a1 == a2))


def size(a: Array, axis: Any = None) -> int:
    if axis is None:
        return a.size
    axes = (axis,) if isinstance(axis, int) else axis
    return math.prod(a.shape[checked_axis(each, a.ndim)] for each in axes)
