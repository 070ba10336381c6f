"""pycuda.cumath: mathematical functions of GPUArrays, lazy as all of them.

Results have the argument's dtype, as PyCUDA's have: of whole numbers they are truncated.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import warpwise as ww

from ._basics.dtypes import dtype_to_ctype
from ._basics.errors import boundary
from ._devices.device import Stream, native
from ._gpuarray.array import GPUArray, on_stream
from ._gpuarray.functions import delivered

__all__ = [
    "acos",
    "asin",
    "atan",
    "ceil",
    "cos",
    "cosh",
    "exp",
    "fabs",
    "floor",
    "fmod",
    "frexp",
    "ldexp",
    "log",
    "log10",
    "modf",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
]


def _require(value: Any, function: str, name: str) -> None:
    if not isinstance(value, GPUArray):
        raise ww.ArgumentTypeError(
            f"{function} expects a GPUArray for '{name}', got {type(value).__name__}"
        )


def _unary(name: str, compute: Callable[[ww.Array], ww.Array]) -> Any:
    @boundary
    def function(
        array: GPUArray,
        stream_or_out: Any = None,
        *,
        out: GPUArray | None = None,
        stream: Stream | None = None,
    ) -> GPUArray:
        _require(array, name, "array")
        if stream_or_out is not None:
            warnings.warn(
                f"pass {name}'s second argument as stream= or out=", DeprecationWarning,
                stacklevel=3,
            )  # fmt: skip
            if isinstance(stream_or_out, GPUArray):
                out = stream_or_out
            else:
                stream = stream_or_out
        with on_stream(stream):
            values = ww.astype(compute(array._array), array.dtype, copy=False)
            return delivered(array, values, out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of each element, in a new array or in `out`."
    return function


ceil = _unary("ceil", ww.ceil)
floor = _unary("floor", ww.floor)
fabs = _unary("fabs", ww.abs)
exp = _unary("exp", ww.exp)
log = _unary("log", ww.log)
log10 = _unary("log10", ww.log10)
sqrt = _unary("sqrt", ww.sqrt)
sin = _unary("sin", ww.sin)
cos = _unary("cos", ww.cos)
tan = _unary("tan", ww.tan)
asin = _unary("asin", ww.asin)
acos = _unary("acos", ww.acos)
atan = _unary("atan", ww.atan)
sinh = _unary("sinh", ww.sinh)
cosh = _unary("cosh", ww.cosh)
tanh = _unary("tanh", ww.tanh)


@boundary
def fmod(arg: GPUArray, mod: Any, stream: Stream | None = None) -> GPUArray:
    """The remainder of arg / mod with the sign of `arg`, as C's fmod."""
    _require(arg, "fmod", "arg")
    divisor = mod._array if isinstance(mod, GPUArray) else mod
    with on_stream(stream):
        return arg._like(ww.astype(ww.fmod(arg._array, divisor), arg.dtype, copy=False))


@functools.cache
def _split(name: str, ctype: str) -> ww.ElementwiseKernel:
    arguments, operation = {
        "frexp": ("const T *x, T *first, T *second",
                  "int e = 0; first[i] = frexp(x[i], &e); second[i] = e"),
        "modf": ("const T *x, T *first, T *second",
                 "T whole; first[i] = modf(x[i], &whole); second[i] = whole"),
        "ldexp": ("const T *x, const T *e, T *z", "z[i] = ldexp(x[i], int(e[i]))"),
    }[name]  # fmt: skip
    return ww.ElementwiseKernel(
        arguments.replace("T ", f"{ctype} "), operation.replace("T ", f"{ctype} "), f"{name}_kernel"
    )


def _real(array: Any, function: str, name: str) -> tuple[ww.Array, str]:
    """The array as float32 or float64, and that type in C."""
    _require(array, function, name)
    kind = array.dtype
    if kind.kind == "c" or kind.fields is not None:
        raise ww.ArgumentTypeError(f"{function} expects real numbers, got an array of {kind}")
    wide = kind if kind in (np.float32, np.float64) else np.result_type(kind, np.float32)
    return ww.astype(array._array, wide, copy=False), dtype_to_ctype(wide)


def _in_two(name: str, arg: GPUArray, stream: Stream | None) -> tuple[GPUArray, GPUArray]:
    values, ctype = _real(arg, name, "arg")
    first, second = ww.empty_like(values), ww.empty_like(values)
    _split(name, ctype)(values, first, second, stream=native(stream))
    return arg._like(first), arg._like(second)


@boundary
def frexp(arg: GPUArray, stream: Stream | None = None) -> tuple[GPUArray, GPUArray]:
    """(significands, exponents), arg = significand * 2**exponent; both of the argument's dtype, or
    a floating one that holds whole numbers."""
    return _in_two("frexp", arg, stream)


@boundary
def modf(arg: GPUArray, stream: Stream | None = None) -> tuple[GPUArray, GPUArray]:
    """(fractional parts, whole parts), both with the sign of the argument."""
    return _in_two("modf", arg, stream)


@boundary
def ldexp(significand: GPUArray, exponent: GPUArray, stream: Stream | None = None) -> GPUArray:
    """significand * 2**exponent; exponents are truncated to whole numbers."""
    values, ctype = _real(significand, "ldexp", "significand")
    _require(exponent, "ldexp", "exponent")
    powers = ww.astype(exponent._array, values.dtype, copy=False)
    result = ww.empty(np.broadcast_shapes(values.shape, powers.shape), values.dtype)
    _split("ldexp", ctype)(values, powers, result, stream=native(stream))
    return significand._like(result)
