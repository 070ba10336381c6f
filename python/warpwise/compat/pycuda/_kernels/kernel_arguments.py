"""Arguments of kernels over arrays: PyCUDA's declarations and arrays, as Warpwise takes them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

import warpwise as ww

from .._basics.dtypes import Argument, ScalarArg, VectorArg, dtype_to_ctype, parse_c_arg
from .._compiling.headers import HEADERS
from .._gpuarray.memory import in_memory_order
from .._gpuarray.shapes import Shapes

Arguments = str | Sequence[Argument]

_SEPARATOR = re.compile(r"[<>(),]")


def split_arguments(text: str) -> list[str]:
    """The parameters of a declaration; commas in template types do not separate."""
    parts, depth, begin = [], 0, 0
    for mark in _SEPARATOR.finditer(text):
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(mark[0], 0)
        if mark[0] == "," and depth == 0:
            parts.append(text[begin : mark.start()])
            begin = mark.end()
    return [*parts, text[begin:]]


def parsed(arguments: Arguments) -> list[Argument]:
    """The list of arguments that a declaration in C or a list of arguments stands for."""
    if isinstance(arguments, str):
        return [parse_c_arg(one) for one in split_arguments(arguments)]
    listed = list(arguments)
    for one in listed:
        if not isinstance(one, VectorArg | ScalarArg):
            raise ww.ArgumentTypeError(
                "arguments are a declaration in C, or a list of VectorArg and ScalarArg; got "
                f"{one!r} among them"
            )
    return listed


def declared(arguments: Arguments) -> str:
    """The declaration in C."""
    if isinstance(arguments, str):
        return arguments
    return ", ".join(one.declarator() for one in parsed(arguments))


def announced(arguments: Sequence[Argument]) -> None:
    """Makes structs known that tools.register_dtype() has named."""
    for one in arguments:
        if one.dtype.fields is not None:
            announce(one.dtype)


def announce(dtype: np.dtype[Any]) -> None:
    name = dtype_to_ctype(dtype)
    if not re.fullmatch(r"[a-z]+[1-4]", name):  # CUDA's own vector types
        ww.register_dtype(name, dtype)


def with_headers(preamble: str, *texts: str | None) -> dict[str, Any]:
    """The preamble and the headers for a kernel; PyCUDA includes its complex numbers unasked."""
    if not any("pycuda" in text for text in (preamble, *texts) if text):
        return {"preamble": preamble}
    return {"preamble": f"#include <pycuda-complex.hpp>\n{preamble}", "headers": HEADERS}


def scalar(argument: Argument, value: Any) -> Any:
    """A number for a parameter of the dtype: a float given for an integer is truncated."""
    if argument.dtype.fields is not None:
        return value if isinstance(value, np.void) else np.asarray(value, argument.dtype)[()]
    if argument.dtype.kind in "iu" and isinstance(value, float | np.floating):
        value = int(value)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if argument.dtype.kind == "c" and isinstance(value, int | float | np.number):
        return np.asarray(value, argument.dtype)[()]
    return value


def retyped(
    kernel: Any, arguments: Sequence[Argument], operands: Sequence[Any], error: ww.ArgumentError
) -> list[Any]:
    """The operands of a kernel that has refused one for its elements, with integers seen as those
    of the parameter, where they have its size: pointers are untyped in PyCUDA, so that arrays of
    uint32 are given for `int *`. Warns once for each kernel. Raises the error where that does not
    help."""
    result = [
        value.view(argument.dtype) if _has_bits_of(value, argument.dtype) else value
        for argument, value in zip(arguments, operands, strict=True)
    ]
    if all(given is seen for given, seen in zip(operands, result, strict=True)):
        raise error
    if not kernel._is_untyped:
        kernel._is_untyped = True
        warnings.warn(
            f"{error}; its bits were taken as they are, as PyCUDA does, here and in later calls "
            "of this kernel",
            UserWarning,
            stacklevel=5,  # of the call of the kernel
        )
    return result


def _has_bits_of(value: Any, dtype: np.dtype[Any]) -> bool:
    """Whether it is an array of other integers of this size. Two bytes may be a float16, which
    PyCUDA has no C type for."""
    if not isinstance(value, ww.Array) or value.dtype == dtype:
        return False
    kinds = "biuf" if dtype.itemsize == 2 else "biu"
    return (
        value.dtype.itemsize == dtype.itemsize and value.dtype.kind in kinds and dtype.kind in kinds
    )


def vector(name: str, kernel: str, value: Any) -> ww.Array:
    """The array behind a GPUArray, or behind another object with gpudata, shape and dtype."""
    if isinstance(value, ww.Array):
        return value
    if isinstance(value, Shapes):
        return value._placed()
    if hasattr(value, "gpudata") and hasattr(value, "shape") and hasattr(value, "dtype"):
        from .._gpuarray.array import GPUArray

        return GPUArray(value.shape, value.dtype, gpudata=value.gpudata, base=value)._placed()
    raise ww.ArgumentTypeError(
        f"{kernel} expects a GPUArray for '{name}', got {type(value).__name__}; "
        "gpuarray.to_gpu makes one"
    )


def native_operands(
    kernel: str, arguments: Sequence[Argument], values: Sequence[Any]
) -> tuple[list[Any], int]:
    """What Warpwise's kernel over arrays takes, and the number of elements of the first array.

    Where all arrays are contiguous in one order, elements are counted as they lie, as PyCUDA does,
    and an array may be longer than the first one. Else they are counted in C order.
    """
    if len(values) != len(arguments):
        raise ww.ArgumentTypeError(f"{kernel} takes {len(arguments)} arguments, got {len(values)}")
    operands: list[Any] = []
    arrays: list[ww.Array] = []
    for argument, value in zip(arguments, values, strict=True):
        if isinstance(argument, VectorArg):
            arrays.append(vector(argument.name, kernel, value))
            operands.append(arrays[-1])
        else:
            operands.append(scalar(argument, value))
    if not arrays:
        raise ww.ArgumentTypeError(f"{kernel} has no vector argument, which gives the length")
    size = arrays[0].size
    for one in arrays:
        if one.ndim != 1 or one.size != size or not one.is_c_contiguous:
            break
    else:  # the usual case
        return operands, size
    if all(one.is_c_contiguous for one in arrays) or all(one.is_f_contiguous for one in arrays):
        operands = [
            _as_it_lies(one, size) if isinstance(one, ww.Array) else one for one in operands
        ]
    return operands, size


def _as_it_lies(array: ww.Array, size: int) -> ww.Array:
    flat = array if array.ndim == 1 else in_memory_order(array)
    return flat[:size] if size < flat.size else flat
