"""Constants of kernels in the text of a program: syntax trees, numbers, dtypes, arrays.

The grammar of the text is in src/script/README.md.
"""

from __future__ import annotations

import ast
import math
from typing import Any

import numpy as np

from .._errors import ArgumentTypeError

_CODE_LIMIT = 1 << 16  # bytes of an array that becomes a constant of a kernel


def quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _real(value: float) -> str:
    if value != value or value in (math.inf, -math.inf):
        return str(value)
    return value.hex()


def tree_text(value: Any, line: int) -> str:
    """Nodes, lists and constants; `line` is added to the lines."""
    if isinstance(value, ast.AST):
        get = value.__dict__.get
        parts = [
            type(value).__name__,
            str(get("lineno", -line) + line),
            str(get("col_offset", 0)),
            str((get("end_lineno") or -line) + line),
            str(get("end_col_offset") or 0),
        ]
        for name in value._fields:
            field = get(name)
            if field is None and name != "value":
                continue
            if name in ("kind", "type_comment", "returns", "annotation", "type_params"):
                continue
            parts.append(name)
            parts.append(tree_text(field, line))
        return "(" + " ".join(parts) + ")"
    if isinstance(value, list):
        return "[" + " ".join([tree_text(one, line) for one in value]) + "]"
    return number_text(value)


def number_text(value: Any) -> str:
    if value is None or isinstance(value, bool) or value is Ellipsis:
        return str(value)
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return "#" + _real(value)
    if isinstance(value, complex):
        return f"@{_real(value.real)},{_real(value.imag)}"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, bytes):
        return "{bytes " + " ".join(str(one) for one in value) + "}"
    return "{other " + quote(f"a {type(value).__name__}") + "}"


def has_numbers(dtype: np.dtype[Any]) -> bool:
    """Whether all fields of a record are numbers of kernels, arrays of them or such records."""
    base = dtype.base
    if base.names is not None:
        return all(has_numbers(base[name]) for name in base.names)
    if base.kind in "mMSU":
        return base.isnative and base.itemsize > 0
    return base.kind in "biufc" and base.isnative and base.itemsize <= 16


def dtype_text(dtype: np.dtype[Any]) -> str:
    """How the front end spells numbers, times and strings: float32, datetime64[D], S5."""
    if dtype.kind in "SU":
        return f"{dtype.kind}{dtype.itemsize // (1 if dtype.kind == 'S' else 4)}"
    return dtype.name


def dtype_name(dtype: np.dtype[Any]) -> str:
    if dtype.kind in "SU" and dtype.isnative and dtype.itemsize:
        return dtype_text(dtype)
    name = dtype.name
    if dtype.kind in "mM" and dtype.isnative:
        return name
    if dtype.kind not in "biufc" or not dtype.isnative or name in ("float128", "complex256"):
        raise ArgumentTypeError(f"kernels have no values of dtype {dtype}")
    return name


def array_text(value: np.ndarray[Any, Any]) -> str:
    if value.dtype.names is not None and value.nbytes <= _CODE_LIMIT and value.ndim > 0:
        names = value.dtype.names
        words = " ".join(quote(name) for name in names)
        return f"{{records [{words}] {' '.join(array_text(value[name]) for name in names)}}}"
    if value.dtype.kind not in "biufcmM" or value.nbytes > _CODE_LIMIT or not value.dtype.isnative:
        return (
            "{other "
            + quote(
                f"an array of {value.nbytes} bytes of {value.dtype}, no constant of kernels "
                f"(numbers, up to {_CODE_LIMIT} bytes); pass it as an argument"
            )
            + "}"
        )
    shape = " ".join(str(extent) for extent in value.shape)
    return f'{{array "{dtype_name(value.dtype)}" [{shape}] "{value.tobytes().hex()}"}}'
