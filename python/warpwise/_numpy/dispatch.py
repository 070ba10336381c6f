"""What NumPy's functions do with arrays: they stay arrays of Warpwise, or the call raises.

Nothing is copied to the host: what has no counterpart here raises UnsupportedError.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .._errors import ArgumentValueError, UnsupportedError
from .functions import FUNCTIONS
from .operands import written_to

_UFUNCS = {
    "absolute": "abs",
    "fabs": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "conjugate": "conj",
    "degrees": "rad2deg",
    "true_divide": "divide",
    "power": "pow",
    "radians": "deg2rad",
    "float_power": "",
    "mod": "remainder",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
}
_REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "minimum": "min",
    "maximum": "max",
    "logical_and": "all",
    "logical_or": "any",
}
_ACCUMULATIONS = ("add", "subtract", "multiply", "minimum", "maximum")
# What joins elements in any grouping; those of _REDUCTIONS have kernels of their own.
_JOINING = (
    "add", "multiply", "maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or",
    "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor",
)  # fmt: skip
# Ufuncs that are functions of several operations here.
_COMPOSED = ("divmod", "frexp", "ldexp", "modf")
_OPTIONS = ("out", "where", "dtype")
# Types of operands that have no protocol of their own for NumPy's functions.
_OWN_OPERANDS = frozenset((_core.Array, int, float, bool, complex))
_ALWAYS_FLOATING = ("fabs", "rint")  # of integers too, unlike what they are called here


class _Function(NamedTuple):
    """How a function of NumPy is called here."""

    name: str
    positional: int = 1  # how many of its parameters are positional here
    renamed: dict[str, str] = {}  # noqa: RUF012 - never changed


_REDUCED = {name: _Function(name) for name in (
    "sum", "prod", "min", "max", "any", "all", "mean", "argmin", "argmax", "count_nonzero",
)}  # fmt: skip
_FUNCTIONS = _REDUCED | {
    "amin": _Function("min"),
    "amax": _Function("max"),
    "var": _Function("var"),
    "std": _Function("std"),
    "where": _Function("where", 3),
    "clip": _Function("clip", 3),
    "unstack": _Function("unstack"),
    "reshape": _Function("reshape", 2, {"newshape": "shape"}),
    "ravel": _Function("ravel"),
    "transpose": _Function("transpose", 2),
    "permute_dims": _Function("permute_dims", 2),
    "matrix_transpose": _Function("matrix_transpose"),
    "swapaxes": _Function("swapaxes", 3),
    "moveaxis": _Function("moveaxis", 3),
    "expand_dims": _Function("expand_dims", 2),
    "squeeze": _Function("squeeze", 2),
    "flip": _Function("flip"),
    "roll": _Function("roll", 2),
    "tile": _Function("tile", 2),
    "repeat": _Function("repeat", 2),
    "diff": _Function("diff"),
    "tril": _Function("tril"),
    "triu": _Function("triu"),
    "broadcast_to": _Function("broadcast_to", 2),
    "broadcast_arrays": _Function("broadcast_arrays", -1),
    "meshgrid": _Function("meshgrid", -1),
    "linspace": _Function("linspace", 2),
    "logspace": _Function("logspace", 2),
    "geomspace": _Function("geomspace", 2),
    "tensordot": _Function("tensordot", 2),
    "cumsum": _Function("cumsum"),
    "cumprod": _Function("cumprod"),
    "cumulative_sum": _Function("cumulative_sum"),
    "cumulative_prod": _Function("cumulative_prod"),
    "nonzero": _Function("nonzero"),
    "flatnonzero": _Function("flatnonzero"),
    "argwhere": _Function("argwhere"),
    "compress": _Function("compress", 2),
    "extract": _Function("extract", 2),
    "sort": _Function("sort"),
    "argsort": _Function("argsort"),
    "partition": _Function("partition", 2),
    "argpartition": _Function("argpartition", 2),
    "searchsorted": _Function("searchsorted", 2),
    "isin": _Function("isin", 2),
    "digitize": _Function("digitize", 2),
    "bincount": _Function("bincount"),
    "histogram": _Function("histogram", 2),
    "unique": _Function("unique"),
    "unique_values": _Function("unique_values"),
    "unique_counts": _Function("unique_counts"),
    "unique_inverse": _Function("unique_inverse"),
    "unique_all": _Function("unique_all"),
    "zeros_like": _Function("zeros_like"),
    "ones_like": _Function("ones_like"),
    "empty_like": _Function("empty_like"),
    "full_like": _Function("full_like", 2),
    "copy": _Function("copy"),
    "real": _Function("real"),
    "imag": _Function("imag"),
    "round": _Function("round"),
    "around": _Function("round"),
    "result_type": _Function("result_type", -1),
    "shape": _Function("shape"),
    "ndim": _Function("ndim"),
}
_FUNCTIONS |= {name: _Function(name) for name in (
    "take", "take_along_axis", "put", "put_along_axis", "split", "array_split", "hsplit",
    "vsplit", "dsplit", "dstack", "column_stack", "rollaxis", "fliplr",
    "flipud", "rot90", "diagonal", "trace", "diag", "diagflat", "pad", "unravel_index",
    "ravel_multi_index", "nansum", "nanprod", "nanmean", "nanmin", "nanmax", "nanvar",
    "nanstd", "nanargmin", "nanargmax", "ptp", "average", "median", "nanmedian", "ediff1d",
    "nancumsum", "nancumprod", "cov", "corrcoef", "lexsort", "trapezoid", "unwrap", "angle",
    "sinc", "fix", "nan_to_num",
)} | {name: _Function(name, 2) for name in (
    "union1d", "intersect1d", "setdiff1d", "setxor1d", "append", "delete", "percentile",
    "quantile", "nanpercentile", "nanquantile",
    "isclose", "allclose", "array_equal", "select", "choose", "polyval", "convolve", "correlate",
    "dot", "vdot", "inner", "outer", "kron", "cross",
)} | {name: _Function(name, -1) for name in (
    "atleast_1d", "atleast_2d", "atleast_3d", "gradient", "einsum",
)} | {"interp": _Function("interp", 3), "insert": _Function("insert", 3)}  # fmt: skip
_METHODS = ("ravel", "transpose", "swapaxes", "copy")
_ATTRIBUTES = ("shape", "ndim")


def array_ufunc(array: Any, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
    """NumPy's __array_ufunc__: ufuncs of NumPy on arrays of Warpwise."""
    if method == "__call__" and not options and _OWN_OPERANDS.issuperset(map(type, inputs)):
        function = _plain_function(ufunc)
        if function is not None:
            return function(*inputs)
    if any(_has_own_protocol(each) for each in inputs):
        return NotImplemented  # its class is asked next
    name = ufunc.__name__
    own = _UFUNCS.get(name, name)
    function = getattr(_core, own, None) if own else None
    if method == "reduce" and name in _REDUCTIONS:
        return _reduce(_REDUCTIONS[name], inputs, options)
    if method == "reduce" and name in _JOINING:
        return _reduce_by_scan(ufunc, *inputs, **options)
    if method == "accumulate" and name in _JOINING:
        return _accumulate(name, *inputs, **options)
    if method == "reduceat" and name in _JOINING and options.get("out") is None:
        return _core.reduceat(name, *inputs, **options)
    if method == "at" and name in _ACCUMULATIONS:
        return getattr(_core, f"{name}_at")(*inputs)
    if method == "__call__" and name in _COMPOSED and options.keys() <= {"out"}:
        return _composed(name, inputs, **options)
    if method == "__call__" and name == "float_power" and "dtype" not in options:
        is_complex = np.issubdtype(_core.result_type(*inputs), np.complexfloating)
        return _core.pow(*inputs, dtype=np.complex128 if is_complex else np.float64, **options)
    if method == "outer" and len(inputs) == 2:
        method, inputs = "__call__", _spread(*inputs)
    if method != "__call__" or function is None or own not in _elementwise():
        what = f"numpy.{name}" + ("" if method == "__call__" else f".{method}")
        raise _unsupported(what)
    if name in _ALWAYS_FLOATING and inputs[0].dtype.kind in "biu":
        options.setdefault("dtype", ufunc.resolve_dtypes((inputs[0].dtype, None))[1])
    unknown = [key for key in options if key not in _OPTIONS]
    if unknown:
        raise UnsupportedError(
            f"numpy.{name} of an array of Warpwise got {unknown[0]}=; it takes "
            f"{', '.join(_OPTIONS)}"
        )
    if name == "matmul" and "out" in options:  # NumPy hands over a tuple of them
        (options["out"],) = options["out"]
    return function(*inputs, **options)


def _composed(name: str, inputs: Any, out: Any = None) -> Any:
    if name == "divmod":  # Python's asks a NumPy scalar in front, and that comes back here
        results: Any = (_core.floor_divide(*inputs), _core.remainder(*inputs))
    else:
        results = getattr(_core, name)(*inputs)
    if out is None:
        return results
    several = results if isinstance(results, tuple) else (results,)
    given = tuple(map(written_to, several, out))
    return given if isinstance(results, tuple) else given[0]


@functools.cache
def _plain_function(ufunc: np.ufunc) -> Callable[..., Any] | None:
    """The function that is called with the operands as they are; None where there is more to do."""
    own = _UFUNCS.get(ufunc.__name__, ufunc.__name__)
    has_more = ufunc.__name__ in (*_COMPOSED, *_ALWAYS_FLOATING)
    return None if has_more or own not in _elementwise() else getattr(_core, own)


def array_function(function: Callable[..., Any], args: Any, options: Any) -> Any:
    """NumPy's __array_function__: functions of NumPy on arrays of Warpwise."""
    name = function.__name__
    composed = FUNCTIONS.get(function)
    if composed is not None:
        return composed(*args, **options)
    known = _FUNCTIONS.get(name)
    if known is None or getattr(np, name, None) is not function:
        raise _unsupported(f"{function.__module__}.{name}")
    positional, named = _bound(function, known, args, options)
    if name == "where" and len(positional) == 1 and not named:
        return _core.nonzero(*positional)  # as NumPy's with a condition alone
    if known.name in _ATTRIBUTES:
        return getattr(positional[0], known.name)
    if known.name in _METHODS:
        return getattr(_core.Array, known.name)(*positional, **named)
    return getattr(_core, known.name)(*positional, **named)


def _has_own_protocol(operand: Any) -> bool:
    """Whether the operand's class, neither NumPy's nor ours, answers NumPy's functions itself."""
    if isinstance(operand, _core.Array | _core.ArrayHolder | np.generic):
        return False
    protocol = getattr(type(operand), "__array_ufunc__", None)
    return protocol is not None and protocol is not np.ndarray.__array_ufunc__


def _bound(
    function: Callable[..., Any], known: _Function, args: Any, options: Any
) -> tuple[list[Any], dict[str, Any]]:
    if known.positional < 0:
        return list(args), options
    names = _names(function) or [f"argument {i}" for i in range(len(args))]
    given = dict(zip(names, args, strict=False)) | options
    values = [given.pop(name) for name in names[: known.positional] if name in given]
    values += list(args[len(names) :])
    return values, {known.renamed.get(key, key): value for key, value in given.items()}


@functools.cache
def _names(function: Callable[..., Any]) -> list[str]:
    """Of a function's parameters; empty where it is written in C, without a signature."""
    try:
        return list(inspect.signature(function).parameters)
    except ValueError:
        return []


def _reduce(name: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    options = dict(options)
    options.setdefault("axis", 0)  # NumPy's default here, unlike that of numpy.sum
    out = options.pop("out", None)
    if isinstance(out, tuple):
        (out,) = out
    return getattr(_core, name)(*inputs, out=out, **options)


def _accumulate(name: str, x: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
    if isinstance(out, tuple):
        (out,) = out
    return _core.accumulate(name, x, axis=axis, dtype=dtype, out=out)


def _reduce_by_scan(
    ufunc: np.ufunc, x: Any, axis: Any = 0, dtype: Any = None, out: Any = None, **options: Any
) -> Any:
    """The last of what all elements are up to each, for functions that are no reduction here."""
    keepdims = options.pop("keepdims", False)
    if options or out is not None:
        raise UnsupportedError(
            f"numpy.{ufunc.__name__}.reduce of an array of Warpwise takes axis=, dtype= and "
            "keepdims=; assign the result for out="
        )
    given = range(x.ndim) if axis is None else [axis] if np.ndim(axis) == 0 else axis
    axes = [each % x.ndim if -x.ndim <= each < x.ndim else each for each in given]
    rows = _core.moveaxis(x, tuple(axes), tuple(range(-len(axes), 0)))
    rows = rows.reshape(*rows.shape[: x.ndim - len(axes)], math.prod(x.shape[i] for i in axes))
    shape = [1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes]
    if rows.shape[-1] > 0:
        joined = _core.accumulate(ufunc.__name__, rows, axis=-1, dtype=dtype)
        return joined[..., -1].reshape(tuple(shape))
    if ufunc.identity is None:
        raise ArgumentValueError(
            f"numpy.{ufunc.__name__}.reduce over no elements, of an array of shape {x.shape}, has "
            "no value"
        )
    kind = _core.accumulate(ufunc.__name__, rows.reshape(-1), axis=0, dtype=dtype).dtype
    return _core.full(tuple(shape), ufunc.identity, dtype=kind, device=x.device)


def _spread(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Operands of which every element of the first meets every element of the second."""
    beside = x1 if isinstance(x1, _core.Array) else x2
    x1, x2 = (  # numbers are arrays there, and so not weak
        _core.asarray(each, device=beside.device)
        if isinstance(each, int | float | complex | np.generic | list | tuple)
        else each
        for each in (x1, x2)
    )
    return x1[(..., *[None] * x2.ndim)], x2


@functools.cache
def _elementwise() -> frozenset[str]:
    return _core.elementwise_names()


def _unsupported(what: str) -> UnsupportedError:
    file_function = {"numpy.save": "ww.save", "numpy.savez": "ww.savez"}.get(what)
    if file_function is not None:
        return UnsupportedError(
            f"{what} of an array of Warpwise is not in this version; use {file_function}"
        )
    return UnsupportedError(
        f"{what} of an array of Warpwise is not in this version; fetch the array with .get() to "
        "compute it on the host"
    )
