"""pycuda.reduction over Warpwise's ReductionKernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import warpwise as ww

from ._basics.dtypes import dtype_to_ctype
from ._basics.errors import boundary
from ._compiling.compile import keep_source, made_kept, options_of
from ._devices.device import Stream, native
from ._gpuarray.array import GPUArray
from ._gpuarray.memory import Allocator, allocated_in_order
from ._gpuarray.splay import splay
from ._kernels.kernel_arguments import (
    Arguments,
    announce,
    announced,
    declared,
    native_operands,
    parsed,
    retyped,
    with_headers,
)
from ._kernels.reduction_modules import get_reduction_kernel_and_types, get_reduction_module
from .compiler import DEFAULT_NVCC_FLAGS
from .tools import Argument, VectorArg, context_dependent_memoize

__all__ = [
    "ReductionKernel",
    "get_all_kernel",
    "get_any_kernel",
    "get_dot_kernel",
    "get_minmax_kernel",
    "get_minmax_neutral",
    "get_reduction_kernel_and_types",
    "get_reduction_module",
    "get_subset_dot_kernel",
    "get_subset_minmax_kernel",
    "get_subset_sum_kernel",
    "get_sum_kernel",
]

_DType = npt.DTypeLike


def neutral_text(neutral: Any, ctype: str) -> str:
    """A neutral element in C; PyCUDA takes numbers as well."""
    if isinstance(neutral, str):
        return neutral
    value: Any = np.asarray(neutral)[()]
    if isinstance(value, complex | np.complexfloating):
        return f"{ctype}({neutral_text(value.real, '')}, {neutral_text(value.imag, '')})"
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float | np.floating):
        if np.isnan(value):
            return "NAN"
        if np.isinf(value):
            return "INFINITY" if value > 0 else "-INFINITY"
        return repr(float(value))
    if isinstance(value, int | np.integer):
        number = int(value)
        if number == -(2**63):
            return "(-9223372036854775807LL - 1)"
        return (
            f"{number}ull"
            if number >= 2**63
            else f"{number}ll"
            if abs(number) >= 2**31
            else str(number)
        )
    raise ww.ArgumentTypeError(f"neutral is C++ or a number, got {neutral!r}")


class ReductionKernel:
    """A reduction of arrays with any associative expression, to a 0-d GPUArray.

    Parameters
    ----------
    dtype_out : dtype
        Of the values; a struct needs a name, by tools.register_dtype(), and need only be copyable.
    neutral : str or number
        What changes no value; the result over no elements.
    reduce_expr : str
        Joins two values `a` and `b`.
    map_expr : str, optional
        The value of element `i`; default: "in[i]", or without an `in` of the first vector.
    arguments : str or list of VectorArg and ScalarArg, optional
        The parameters; default: a vector `in` of `dtype_out`.
    allocator : callable, optional
        Of results where the call has none; default: that of the first array.
    """

    _is_untyped = False  # an array of other integers was passed, and warned of

    @boundary
    def __init__(
        self,
        dtype_out: _DType,
        neutral: Any,
        reduce_expr: str,
        map_expr: str | None = None,
        arguments: Arguments | None = None,
        name: str = "reduce_kernel",
        keep: bool = False,
        options: Any = None,
        preamble: str = "",
        allocator: Allocator | None = None,
    ) -> None:
        self.dtype_out = np.dtype(dtype_out)
        self._allocator = allocator
        self.name = name
        ctype = dtype_to_ctype(self.dtype_out)
        if arguments is None:
            arguments = f"const {ctype} *in"
        self.arguments = parsed(arguments)
        if not any(isinstance(one, VectorArg) for one in self.arguments):
            raise ww.ArgumentValueError(
                f"{name} has no vector argument; a reduction needs at least one"
            )
        if map_expr is None:
            map_expr = _first_vector(self.arguments)
        announced(self.arguments)
        if self.dtype_out.fields is not None:
            announce(self.dtype_out)
        text = declared(arguments)
        start = neutral_text(neutral, ctype)
        self._kernel = made_kept(
            lambda: ww.ReductionKernel(
                ctype, start, reduce_expr, map_expr, text, name,
                options=options_of(options, DEFAULT_NVCC_FLAGS),
                **with_headers(preamble, ctype, text, start, reduce_expr, map_expr),
            )
        )  # fmt: skip
        if keep:
            keep_source(self._kernel.source)

    @boundary
    def __call__(
        self,
        *args: Any,
        stream: Stream | None = None,
        out: GPUArray | None = None,
        allocator: Allocator | None = None,
        kernel_wrapper: Callable[[Any], Any] | None = None,
    ) -> GPUArray:
        """The result, or `out` with it, of which the first element is written.

        `kernel_wrapper` is given a function (grid, block, stream, *args) that launches the kernel,
        and returns the one to call instead.
        """
        operands, size = native_operands(self.name, self.arguments, args)
        if out is None and allocator is None:
            allocator = self._allocator or _allocator_of(args)
        if out is None and allocator is None and kernel_wrapper is None:
            return GPUArray._of(self._run(operands, stream=native(stream)))
        result, target = self._result(out, allocator)
        if kernel_wrapper is None:
            self._run(operands, out=target, stream=native(stream))
            return result

        def launch(grid: Any, block: Any, where: Stream | None, *values: Any, **_: Any) -> None:
            self._run(operands, out=target, stream=native(where))

        grid, block = splay(size)
        kernel_wrapper(launch)(grid, block, stream, result.gpudata, *args)
        return result

    def _run(self, operands: list[Any], **options: Any) -> Any:
        try:
            return self._kernel(*operands, **options)
        except ww.ArgumentTypeError as error:
            return self._kernel(*retyped(self, self.arguments, operands, error), **options)

    def _result(
        self, out: GPUArray | None, allocator: Allocator | None
    ) -> tuple[GPUArray, ww.Array]:
        """Where the value goes: the array that is returned, and the 0-d array that is written."""
        if out is None:
            array, gpudata = allocated_in_order(allocator, (), self.dtype_out)
            made = GPUArray._of(array, allocator)
            made._gpudata = gpudata
            return made, array
        if out.size == 0 or out.dtype != self.dtype_out:
            raise ww.ArgumentValueError(
                f"{self.name} got out of shape {out.shape} and dtype {out.dtype}; it needs an "
                f"element of {self.dtype_out}"
            )
        place = out._placed()
        return out, place[(0,) * out.ndim] if out.ndim else place

    def __repr__(self) -> str:
        return f"<ReductionKernel {self.name}>"


def _allocator_of(values: Sequence[Any]) -> Allocator | None:
    """That of the first GPUArray."""
    for one in values:
        if isinstance(one, GPUArray):
            found: Allocator | None = one._allocator
            return found
    return None


def _first_vector(arguments: Sequence[Argument]) -> str:
    names = [one.name for one in arguments if isinstance(one, VectorArg)]
    return "in[i]" if "in" in names else f"{names[0]}[i]"


# --- The reductions of pycuda.gpuarray.


def _typed(**dtypes: _DType) -> dict[str, str]:
    return {name: dtype_to_ctype(dtype) for name, dtype in dtypes.items()}


@boundary
@context_dependent_memoize
def get_sum_kernel(dtype_out: _DType | None, dtype_in: _DType) -> ReductionKernel:
    out = dtype_in if dtype_out is None else dtype_out
    return ReductionKernel(out, "0", "a+b", "({o})in[i]".format(**_typed(o=out)),
                           "const {t} *in".format(**_typed(t=dtype_in)))  # fmt: skip


@boundary
@context_dependent_memoize
def get_any_kernel(dtype_out: _DType | None, dtype_in: _DType) -> ReductionKernel:
    types, kind = _typed(t=dtype_in), dtype_in if dtype_out is None else dtype_out
    return ReductionKernel(kind, "false", "a || b", "(in[i] != ({t})0)".format(**types),
                           "const {t} *in".format(**types))  # fmt: skip


@boundary
@context_dependent_memoize
def get_all_kernel(dtype_out: _DType | None, dtype_in: _DType) -> ReductionKernel:
    types, kind = _typed(t=dtype_in), dtype_in if dtype_out is None else dtype_out
    return ReductionKernel(kind, "true", "a && b", "(in[i] != ({t})0)".format(**types),
                           "const {t} *in".format(**types))  # fmt: skip


@boundary
@context_dependent_memoize
def get_subset_sum_kernel(
    dtype_out: _DType | None, dtype_subset: _DType, dtype_in: _DType
) -> ReductionKernel:
    out = dtype_in if dtype_out is None else dtype_out
    types = _typed(o=out, s=dtype_subset, t=dtype_in)
    return ReductionKernel(out, "0", "a+b", "({o})in[lookup_tbl[i]]".format(**types),
                           "const {s} *lookup_tbl, const {t} *in".format(**types))  # fmt: skip


def _operand_types(out: Any, a: Any, b: Any) -> tuple[Any, Any, Any]:
    """What is not given is as what is."""
    out = a if out is None else out
    b = (out if a is None else a) if b is None else b
    return out, out if a is None else a, b


@boundary
@context_dependent_memoize
def get_dot_kernel(
    dtype_out: _DType | None, dtype_a: _DType | None = None, dtype_b: _DType | None = None
) -> ReductionKernel:
    out, a, b = _operand_types(dtype_out, dtype_a, dtype_b)
    types = _typed(o=out, a=a, b=b)
    return ReductionKernel(out, "0", "a+b", "({o})x[i]*({o})y[i]".format(**types),
                           "const {a} *x, const {b} *y".format(**types))  # fmt: skip


@boundary
@context_dependent_memoize
def get_subset_dot_kernel(
    dtype_out: _DType | None,
    dtype_subset: _DType,
    dtype_a: _DType | None = None,
    dtype_b: _DType | None = None,
) -> ReductionKernel:
    out, a, b = _operand_types(dtype_out, dtype_a, dtype_b)
    types = _typed(o=out, a=a, b=b, s=dtype_subset)
    return ReductionKernel(
        out, "0", "a+b", "({o})x[lookup_tbl[i]]*({o})y[lookup_tbl[i]]".format(**types),
        "const {s} *lookup_tbl, const {a} *x, const {b} *y".format(**types),
    )  # fmt: skip


@boundary
def get_minmax_neutral(what: str, dtype: _DType) -> str:
    """In C: what changes no minimum or maximum of the dtype."""
    if what not in ("min", "max"):
        raise ww.ArgumentValueError(f"what is 'min' or 'max', got {what!r}")
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return "INFINITY" if what == "min" else "-INFINITY"
    if kind.kind == "b":
        return "true" if what == "min" else "false"
    if kind.kind not in "iu":
        raise ww.ArgumentTypeError(f"minima and maxima are of real numbers, got {kind}")
    limits = np.iinfo(kind)
    return neutral_text(int(limits.max if what == "min" else limits.min), "")


def _chosen(what: str, dtype: _DType) -> str:
    """Joins two values; NaN is skipped."""
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return f"f{what}(a, b)" if kind == np.float64 else f"f{what}f(a, b)"
    return "a < b ? a : b" if what == "min" else "a < b ? b : a"


@boundary
@context_dependent_memoize
def get_minmax_kernel(what: str, dtype: _DType) -> ReductionKernel:
    return ReductionKernel(dtype, get_minmax_neutral(what, dtype), _chosen(what, dtype))


@boundary
@context_dependent_memoize
def get_subset_minmax_kernel(what: str, dtype: _DType, dtype_subset: _DType) -> ReductionKernel:
    return ReductionKernel(
        dtype, get_minmax_neutral(what, dtype), _chosen(what, dtype), "in[lookup_tbl[i]]",
        "const {s} *lookup_tbl, const {t} *in".format(**_typed(s=dtype_subset, t=dtype)),
    )  # fmt: skip
