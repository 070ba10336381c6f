"""numba.cuda.libdevice: NVIDIA's library of device functions, by its names without the prefix.

Unsigned arguments and results are int32 and int64, as Numba has them. On the CPU device the
functions are Warpwise's own.
"""

from __future__ import annotations

from typing import Any

from .._errors import UnsupportedNameError
from ._functions.dispatch import jit
from ._functions.intrinsics import Intrinsic

_NAMES = """
abs acos acosf acosh acoshf asin asinf asinh asinhf atan atan2 atan2f atanf atanh atanhf brev
brevll byte_perm cbrt cbrtf ceil ceilf clz clzll copysign copysignf cos cosf cosh coshf cospi
cospif dadd_rd dadd_rn dadd_ru dadd_rz ddiv_rd ddiv_rn ddiv_ru ddiv_rz dmul_rd dmul_rn dmul_ru
dmul_rz double2float_rd double2float_rn double2float_ru double2float_rz double2hiint
double2int_rd double2int_rn double2int_ru double2int_rz double2ll_rd double2ll_rn double2ll_ru
double2ll_rz double2loint double2uint_rd double2uint_rn double2uint_ru double2uint_rz
double2ull_rd double2ull_rn double2ull_ru double2ull_rz double_as_longlong drcp_rd drcp_rn
drcp_ru drcp_rz dsqrt_rd dsqrt_rn dsqrt_ru dsqrt_rz erf erfc erfcf erfcinv erfcinvf erfcx erfcxf
erff erfinv erfinvf exp exp10 exp10f exp2 exp2f expf expm1 expm1f fabs fabsf fadd_rd fadd_rn
fadd_ru fadd_rz fast_cosf fast_exp10f fast_expf fast_fdividef fast_log10f fast_log2f fast_logf
fast_powf fast_sinf fast_tanf fdim fdimf fdiv_rd fdiv_rn fdiv_ru fdiv_rz ffs ffsll finitef
float2half_rn float2int_rd float2int_rn float2int_ru float2int_rz float2ll_rd float2ll_rn
float2ll_ru float2ll_rz float2uint_rd float2uint_rn float2uint_ru float2uint_rz float2ull_rd
float2ull_rn float2ull_ru float2ull_rz float_as_int floor floorf fma fma_rd fma_rn fma_ru fma_rz
fmaf fmaf_rd fmaf_rn fmaf_ru fmaf_rz fmax fmaxf fmin fminf fmod fmodf fmul_rd fmul_rn fmul_ru
fmul_rz frcp_rd frcp_rn frcp_ru frcp_rz frsqrt_rn fsqrt_rd fsqrt_rn fsqrt_ru fsqrt_rz fsub_rd
fsub_rn fsub_ru fsub_rz hadd half2float hiloint2double hypot hypotf ilogb ilogbf int2double_rn
int2float_rd int2float_rn int2float_ru int2float_rz int_as_float isfinited isinfd isinff isnand
isnanf j0 j0f j1 j1f jn jnf ldexp ldexpf lgamma lgammaf ll2double_rd ll2double_rn ll2double_ru
ll2double_rz ll2float_rd ll2float_rn ll2float_ru ll2float_rz llabs llmax llmin llrint llrintf
llround llroundf log log10 log10f log1p log1pf log2 log2f logb logbf logf longlong_as_double max
min mul24 mul64hi mulhi nearbyint nearbyintf nextafter nextafterf normcdf normcdff normcdfinv
normcdfinvf popc popcll pow powf powi powif rcbrt rcbrtf remainder remainderf remquo remquof
rhadd rint rintf round roundf rsqrt rsqrtf sad saturatef scalbn scalbnf signbitd signbitf sin
sinf sinh sinhf sinpi sinpif sqrt sqrtf tan tanf tanh tanhf tgamma tgammaf trunc truncf uhadd
uint2double_rn uint2float_rd uint2float_rn uint2float_ru uint2float_rz ull2double_rd
ull2double_rn ull2double_ru ull2double_rz ull2float_rd ull2float_rn ull2float_ru ull2float_rz
ullmax ullmin umax umin umul24 umul64hi umulhi urhadd usad y0 y0f y1 y1f yn ynf
""".split()  # noqa: SIM905

_FUNCTIONS = {name: Intrinsic(f"libdevice.{name}") for name in _NAMES}
globals().update(_FUNCTIONS)

_sin, _cos, _sinf, _cosf = (_FUNCTIONS[name] for name in ("sin", "cos", "sinf", "cosf"))
_sinpi, _cospi, _sinpif, _cospif = (
    _FUNCTIONS[name] for name in ("sinpi", "cospi", "sinpif", "cospif")
)
_fast_sinf, _fast_cosf = _FUNCTIONS["fast_sinf"], _FUNCTIONS["fast_cosf"]
_trunc, _truncf = _FUNCTIONS["trunc"], _FUNCTIONS["truncf"]
_copysign, _copysignf = _FUNCTIONS["copysign"], _FUNCTIONS["copysignf"]
_isinf, _isinff = _FUNCTIONS["isinfd"], _FUNCTIONS["isinff"]
_isfinite, _isfinitef = _FUNCTIONS["isfinited"], _FUNCTIONS["finitef"]
_ilogb, _ilogbf = _FUNCTIONS["ilogb"], _FUNCTIONS["ilogbf"]
_scalbn, _scalbnf = _FUNCTIONS["scalbn"], _FUNCTIONS["scalbnf"]


@jit(device=True)
def sincos(x):  # type: ignore[no-untyped-def]
    """(sine, cosine)."""
    return _sin(x), _cos(x)


@jit(device=True)
def sincosf(x):  # type: ignore[no-untyped-def]
    """(sine, cosine) of a float32."""
    return _sinf(x), _cosf(x)


@jit(device=True)
def fast_sincosf(x):  # type: ignore[no-untyped-def]
    """(sine, cosine) of a float32, fast."""
    return _fast_sinf(x), _fast_cosf(x)


@jit(device=True)
def sincospi(x):  # type: ignore[no-untyped-def]
    """(sine, cosine) of x times pi."""
    return _sinpi(x), _cospi(x)


@jit(device=True)
def sincospif(x):  # type: ignore[no-untyped-def]
    """(sine, cosine) of a float32 times pi."""
    return _sinpif(x), _cospif(x)


@jit(device=True)
def modf(x):  # type: ignore[no-untyped-def]
    """(fraction, whole part), both with the sign of x."""
    whole = _trunc(x)
    return _copysign(0.0 if _isinf(x) != 0 else x - whole, x), whole


@jit(device=True)
def modff(x):  # type: ignore[no-untyped-def]
    """(fraction, whole part) of a float32, both with its sign."""
    whole = _truncf(x)
    return _copysignf(0.0 if _isinff(x) != 0 else x - whole, x), whole


@jit(device=True)
def frexp(x):  # type: ignore[no-untyped-def]
    """(m, e): x is m * 2**e, with m from 0.5 on and below 1."""
    if x == 0.0 or _isfinite(x) == 0:
        return x, 0
    exponent = _ilogb(x) + 1
    return _scalbn(x, -exponent), exponent


@jit(device=True)
def frexpf(x):  # type: ignore[no-untyped-def]
    """(m, e) of a float32."""
    if x == 0.0 or _isfinitef(x) == 0:
        return x, 0
    exponent = _ilogbf(x) + 1
    return _scalbnf(x, -exponent), exponent


def __getattr__(name: str) -> Any:
    if name in ("nan", "nanf"):
        raise UnsupportedNameError(f"warpwise.cuda.libdevice has no {name}; use math.nan")
    raise AttributeError(f"module 'warpwise.cuda.libdevice' has no attribute '{name}'")
