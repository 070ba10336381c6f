"""pycuda.elementwise: the kernels of PyCUDA's own array functions, to be launched by hand.

Each is a prepared Function that takes what its text declares, then the number of elements.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

import warpwise as ww

from .._basics.dtypes import dtype_to_ctype
from .._basics.errors import boundary
from .._launch.function import Function
from .._memory.textures import TextureReference
from ..tools import context_dependent_memoize
from .elementwise_modules import get_elwise_kernel, get_elwise_kernel_and_types

_DType = npt.DTypeLike
_OPERATORS = frozenset(
    [
        "+",
        "-",
        "*",
        "/",
        "%",
        "==",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "&&",
        "||",
        "&",
        "|",
        "^",
        "<<",
        ">>",
    ]
)


def _named(**dtypes: _DType) -> dict[str, str]:
    return {name: dtype_to_ctype(dtype) for name, dtype in dtypes.items()}


def _operator(operator: str) -> str:
    if operator not in _OPERATORS:
        raise ww.ArgumentValueError(
            f"the operator is one of {' '.join(sorted(_OPERATORS))}, got {operator!r}"
        )
    return operator


# --- Taking and putting.


def _sources(dtype: _DType, count: int) -> str:
    texel = dtype_to_ctype(dtype, with_fp_tex_hack=True)
    lines = [
        f"texture<{texel}, 1, cudaReadModeElementType> tex_src{number};" for number in range(count)
    ]
    return "\n".join(["#include <pycuda-helpers.hpp>", *lines])


def _fetch(dtype: _DType, number: int, index: str) -> str:
    texel = dtype_to_ctype(dtype, with_fp_tex_hack=True)
    name = "fp_tex1Dfetch" if texel.startswith("fp_tex") else "tex1Dfetch"
    return f"{name}(tex_src{number}, {index})"


def _textured(
    declaration: str, lines: list[str], dtype: _DType, count: int, name: str
) -> tuple[Function, list[TextureReference]]:
    module, function, _ = get_elwise_kernel_and_types(
        declaration, "; ".join(lines), name, preamble=_sources(dtype, count)
    )
    return function, [module.get_texref(f"tex_src{number}") for number in range(count)]


@boundary
@context_dependent_memoize
def get_take_kernel(
    dtype: _DType, idx_dtype: _DType, vec_count: int = 1
) -> tuple[Function, list[TextureReference]]:
    """(idx, dest0, dest1, ...), and the textures to bind the sources to."""
    types = _named(tp=dtype, idx=idx_dtype)
    destinations = ", ".join(f"{types['tp']} *dest{one}" for one in range(vec_count))
    lines = [f"dest{one}[i] = {_fetch(dtype, one, 'idx[i]')}" for one in range(vec_count)]
    return _textured(f"{types['idx']} *idx, {destinations}", lines, dtype, vec_count, "take")


@boundary
@context_dependent_memoize
def get_take_put_kernel(
    dtype: _DType, idx_dtype: _DType, with_offsets: bool, vec_count: int = 1
) -> tuple[Function, list[TextureReference]]:
    """(gmem_dest_idx, gmem_src_idx, dest0, ..., offset0, ...), and the textures of the sources."""
    types = _named(tp=dtype, idx=idx_dtype)
    parameters = [f"{types['idx']} *gmem_dest_idx", f"{types['idx']} *gmem_src_idx"]
    parameters += [f"{types['tp']} *dest{one}" for one in range(vec_count)]
    if with_offsets:
        parameters += [f"{types['idx']} offset{one}" for one in range(vec_count)]
    lines = []
    for one in range(vec_count):
        index = "gmem_src_idx[i]" + (f" + offset{one}" if with_offsets else "")
        lines.append(f"dest{one}[gmem_dest_idx[i]] = {_fetch(dtype, one, index)}")
    return _textured(", ".join(parameters), lines, dtype, vec_count, "take_put")


@boundary
@context_dependent_memoize
def get_put_kernel(dtype: _DType, idx_dtype: _DType, vec_count: int = 1) -> Function:
    """(gmem_dest_idx, dest0, ..., src0, ...)."""
    types = _named(tp=dtype, idx=idx_dtype)
    parameters = [f"{types['idx']} *gmem_dest_idx"]
    parameters += [f"{types['tp']} *dest{one}" for one in range(vec_count)]
    parameters += [f"{types['tp']} *src{one}" for one in range(vec_count)]
    lines = [f"dest{one}[gmem_dest_idx[i]] = src{one}[i]" for one in range(vec_count)]
    return get_elwise_kernel(", ".join(parameters), "; ".join(lines), "put")


# --- Arithmetic.


def _kernel(name: str, declaration: str, operation: str, types: dict[str, str]) -> Function:
    return get_elwise_kernel(declaration.format(**types), operation.format(**types), name)


def _at(name: str, is_scalar: bool) -> str:
    return f"{name}[0]" if is_scalar else f"{name}[i]"


@boundary
@context_dependent_memoize
def get_copy_kernel(dtype_dest: _DType, dtype_src: _DType) -> Function:
    """(dest, src)."""
    types = _named(d=dtype_dest, s=dtype_src)
    return _kernel("copy", "{d} *dest, {s} *src", "dest[i] = ({d}) src[i]", types)


@boundary
def get_linear_combination_kernel(
    summand_descriptors: Sequence[tuple[bool, _DType, _DType]], dtype_z: _DType
) -> tuple[Function, list[TextureReference]]:
    """(a0, x0, a1, x1, ..., z), z = a0*x0 + a1*x1 + ..., and textures for the factors that lie on
    the device, which are no parameters. A summand is (whether its factor does, the factor's dtype,
    the vector's dtype)."""
    parameters, preamble, terms, textures = [], ["#include <pycuda-helpers.hpp>"], [], []
    for one, (is_on_device, scalar_dtype, vector_dtype) in enumerate(summand_descriptors):
        factor = f"a{one}"
        if is_on_device:
            texel = dtype_to_ctype(scalar_dtype, with_fp_tex_hack=True)
            preamble.append(f"texture<{texel}, 1, cudaReadModeElementType> tex_a{one};")
            read = "fp_tex1Dfetch" if texel.startswith("fp_tex") else "tex1Dfetch"
            factor = f"{read}(tex_a{one}, 0)"
            textures.append(f"tex_a{one}")
        else:
            parameters.append(f"{dtype_to_ctype(scalar_dtype)} a{one}")
        parameters.append(f"{dtype_to_ctype(vector_dtype)} *x{one}")
        terms.append(f"{factor}*x{one}[i]")
    parameters.append(f"{dtype_to_ctype(dtype_z)} *z")
    module, function, _ = get_elwise_kernel_and_types(
        ", ".join(parameters), f"z[i] = {' + '.join(terms)}", "linear_combination",
        preamble="\n".join(preamble),
    )  # fmt: skip
    return function, [module.get_texref(name) for name in textures]


@boundary
@context_dependent_memoize
def get_axpbyz_kernel(
    dtype_x: _DType,
    dtype_y: _DType,
    dtype_z: _DType,
    x_is_scalar: bool = False,
    y_is_scalar: bool = False,
) -> Function:
    """(a, x, b, y, z), z = a*x + b*y; a "scalar" is an array of one element."""
    types = _named(x=dtype_x, y=dtype_y, z=dtype_z)
    x, y = _at("x", x_is_scalar), _at("y", y_is_scalar)
    return _kernel("axpbyz", "{z} a, {x} *x, {z} b, {y} *y, {z} *z",
                   f"z[i] = a*({{z}}){x} + b*({{z}}){y}", types)  # fmt: skip


@boundary
@context_dependent_memoize
def get_axpbz_kernel(dtype_x: _DType, dtype_z: _DType) -> Function:
    """(a, x, b, z), z = a*x + b."""
    types = _named(x=dtype_x, z=dtype_z)
    return _kernel("axpb", "{z} a, {x} *x, {z} b, {z} *z", "z[i] = a*({z})x[i] + b", types)


@boundary
@context_dependent_memoize
def get_binary_op_kernel(
    dtype_x: _DType,
    dtype_y: _DType,
    dtype_z: _DType,
    operator: str,
    x_is_scalar: bool = False,
    y_is_scalar: bool = False,
) -> Function:
    """(x, y, z), z = x operator y."""
    types = _named(x=dtype_x, y=dtype_y, z=dtype_z)
    x, y = _at("x", x_is_scalar), _at("y", y_is_scalar)
    types |= _common(dtype_x, dtype_y)
    operation = f"z[i] = ({{z}})(({{c}}){x} {_operator(operator)} ({{c}}){y})"
    return _kernel("binary_op", "{x} *x, {y} *y, {z} *z", operation, types)


def _common(dtype_x: _DType, dtype_y: _DType) -> dict[str, str]:
    """The type of both operands: complex numbers have operators for one type only."""
    return _named(c=np.result_type(np.dtype(dtype_x), np.dtype(dtype_y)))


@boundary
@context_dependent_memoize
def get_scalar_op_kernel(
    dtype_x: _DType, dtype_a: _DType, dtype_y: _DType, operator: str
) -> Function:
    """(x, a, y), y = x operator a."""
    types = _named(x=dtype_x, a=dtype_a, y=dtype_y) | _common(dtype_x, dtype_a)
    operation = f"y[i] = ({{y}})(({{c}})x[i] {_operator(operator)} ({{c}})a)"
    return _kernel("scalarop", "{x} *x, {a} a, {y} *y", operation, types)


@boundary
@context_dependent_memoize
def get_rdivide_elwise_kernel(dtype_x: _DType, dtype_z: _DType) -> Function:
    """(x, y, z), z = y / x for a number y."""
    types = _named(x=dtype_x, z=dtype_z)
    return _kernel("divide_r", "{x} *x, {z} y, {z} *z", "z[i] = y / ({z})x[i]", types)


@boundary
@context_dependent_memoize
def get_binary_func_kernel(
    func: str, dtype_x: _DType, dtype_y: _DType, dtype_z: _DType
) -> Function:
    """(x, y, z), z = func(x, y)."""
    types = _named(x=dtype_x, y=dtype_y, z=dtype_z)
    return _kernel(f"{func}_kernel", "{x} *x, {y} *y, {z} *z", f"z[i] = {func}(x[i], y[i])", types)


@boundary
@context_dependent_memoize
def get_binary_func_scalar_kernel(
    func: str, dtype_x: _DType, dtype_y: _DType, dtype_z: _DType
) -> Function:
    """(x, y, z), z = func(x, y) for a number y."""
    types = _named(x=dtype_x, y=dtype_y, z=dtype_z)
    return _kernel(f"{func}_kernel", "{x} *x, {y} y, {z} *z", f"z[i] = {func}(x[i], y)", types)


@boundary
def get_binary_minmax_kernel(
    func: str, dtype_x: _DType, dtype_y: _DType, dtype_z: _DType, use_scalar: bool
) -> Function:
    """(x, y, z), `func` being "min" or "max"; with `use_scalar` y is a number."""
    if func not in ("min", "max"):
        raise ww.ArgumentValueError(f"func is 'min' or 'max', got {func!r}")
    kinds = [np.dtype(one) for one in (dtype_x, dtype_y, dtype_z)]
    if any(one.kind == "c" for one in kinds):
        raise ww.ArgumentTypeError(f"minima and maxima are of real numbers, got {kinds}")
    if any(one == np.float64 for one in kinds):
        func = f"f{func}"
    elif any(one.kind == "f" for one in kinds):
        func = f"f{func}f"
    build = get_binary_func_scalar_kernel if use_scalar else get_binary_func_kernel
    return build(func, dtype_x, dtype_y, dtype_z)


@boundary
@context_dependent_memoize
def get_pow_array_kernel(
    dtype_x: _DType, dtype_y: _DType, dtype_z: _DType, is_base_array: bool, is_exp_array: bool
) -> Function:
    """(x, y, z), z = pow(x, y); each of x and y is an array or a number."""
    types = _named(x=dtype_x, y=dtype_y, z=dtype_z)
    declaration = (
        f"{{x}} {'*' if is_base_array else ''}x, {{y}} {'*' if is_exp_array else ''}y, {{z}} *z"
    )
    x, y = "x[i]" if is_base_array else "x", "y[i]" if is_exp_array else "y"
    kind = np.result_type(np.dtype(dtype_x), np.dtype(dtype_y))
    types |= _named(c=kind if kind.kind in "fc" else np.float64)
    return _kernel("pow_method", declaration, f"z[i] = ({{z}})pow(({{c}}){x}, ({{c}}){y})", types)


# --- One operand.


@boundary
@context_dependent_memoize
def get_fill_kernel(dtype: _DType) -> Function:
    """(a, z)."""
    return _kernel("fill", "{tp} a, {tp} *z", "z[i] = a", _named(tp=dtype))


@boundary
@context_dependent_memoize
def get_reverse_kernel(dtype: _DType) -> Function:
    """(y, z), z being y backwards."""
    return _kernel("reverse", "{tp} *y, {tp} *z", "z[i] = y[n-1-i]", _named(tp=dtype))


@boundary
@context_dependent_memoize
def get_real_kernel(dtype: _DType, real_dtype: _DType) -> Function:
    """(y, z), z = real(y)."""
    types = _named(tp=dtype, real=real_dtype)
    return _kernel("real", "{tp} *y, {real} *z", "z[i] = real(y[i])", types)


@boundary
@context_dependent_memoize
def get_imag_kernel(dtype: _DType, real_dtype: _DType) -> Function:
    """(y, z), z = imag(y)."""
    types = _named(tp=dtype, real=real_dtype)
    return _kernel("imag", "{tp} *y, {real} *z", "z[i] = imag(y[i])", types)


@boundary
@context_dependent_memoize
def get_conj_kernel(dtype: _DType, conj_dtype: _DType) -> Function:
    """(y, z), z = conj(y)."""
    types = _named(tp=dtype, conj=conj_dtype)
    return _kernel("conj", "{tp} *y, {conj} *z", "z[i] = ({conj})pycuda::conj(y[i])", types)


@boundary
@context_dependent_memoize
def get_arange_kernel(dtype: _DType) -> Function:
    """(z, start, step)."""
    return _kernel("arange", "{tp} *z, {tp} start, {tp} step", "z[i] = start + ({tp})i*step",
                   _named(tp=dtype))  # fmt: skip


@boundary
@context_dependent_memoize
def get_unary_func_kernel(
    func_name: str, in_dtype: _DType, out_dtype: _DType | None = None
) -> Function:
    """(y, z), z = func_name(y)."""
    types = _named(i=in_dtype, o=in_dtype if out_dtype is None else out_dtype)
    return _kernel(f"{func_name}_kernel", "{i} *y, {o} *z", f"z[i] = {func_name}(y[i])", types)


@boundary
@context_dependent_memoize
def get_logical_not_kernel(dtype_x: _DType, dtype_out: _DType) -> Function:
    """(x, out), out = whether x is 0."""
    types = _named(x=dtype_x, out=dtype_out)
    return _kernel("logical_not", "{x} *x, {out} *out", "out[i] = (x[i] == ({x})0)", types)


# --- Parts of floating point numbers; of float32, as PyCUDA's, unless a dtype is given.


@boundary
@context_dependent_memoize
def get_fmod_kernel(dtype: _DType = np.float32) -> Function:
    """(arg, mod, z), z = fmod(arg, mod)."""
    return _kernel("fmod_kernel", "{tp} *arg, {tp} *mod, {tp} *z", "z[i] = fmod(arg[i], mod[i])",
                   _named(tp=dtype))  # fmt: skip


@boundary
@context_dependent_memoize
def get_modf_kernel(dtype: _DType = np.float32) -> Function:
    """(x, intpart, fracpart)."""
    return _kernel("modf_kernel", "{tp} *x, {tp} *intpart, {tp} *fracpart",
                   "fracpart[i] = modf(x[i], &intpart[i])", _named(tp=dtype))  # fmt: skip


@boundary
@context_dependent_memoize
def get_frexp_kernel(dtype: _DType = np.float32) -> Function:
    """(x, significand, exponent), the exponent as a number of the same dtype."""
    return _kernel("frexp_kernel", "{tp} *x, {tp} *significand, {tp} *exponent",
                   "int expt = 0; significand[i] = frexp(x[i], &expt); exponent[i] = expt",
                   _named(tp=dtype))  # fmt: skip


@boundary
@context_dependent_memoize
def get_ldexp_kernel(dtype: _DType = np.float32) -> Function:
    """(sig, expt, z), z = sig * 2**expt."""
    return _kernel("ldexp_kernel", "{tp} *sig, {tp} *expt, {tp} *z",
                   "z[i] = ldexp(sig[i], int(expt[i]))", _named(tp=dtype))  # fmt: skip


# --- Choices.


@boundary
@context_dependent_memoize
def get_if_positive_kernel(crit_dtype: _DType, dtype: _DType) -> Function:
    """(crit, then_, else_, result)."""
    return _kernel("if_positive", "{crit} *crit, {tp} *then_, {tp} *else_, {tp} *result",
                   "result[i] = crit[i] > 0 ? then_[i] : else_[i]",
                   _named(crit=crit_dtype, tp=dtype))  # fmt: skip


@boundary
@context_dependent_memoize
def get_where_kernel(crit_dtype: _DType, dtype: _DType) -> Function:
    """(crit, then_, else_, result)."""
    return _kernel("if_positive", "{crit} *crit, {tp} *then_, {tp} *else_, {tp} *result",
                   "result[i] = crit[i] != ({crit})0 ? then_[i] : else_[i]",
                   _named(crit=crit_dtype, tp=dtype))  # fmt: skip
