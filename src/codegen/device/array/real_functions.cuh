// The functions of float and double that are more than a few operations.
#pragma once

#include "reals.cuh"

// One function of CUDA's for each of the two types.
#define __WW_UNARY(Name, OfFloat, OfDouble)              \
    __WW_REAL T Name(T a) {                              \
        if constexpr (sizeof(T) == 4) return OfFloat(a); \
        return OfDouble(a);                              \
    }
#define __WW_BINARY(Name, OfFloat, OfDouble)                \
    __WW_REAL T Name(T a, T b) {                            \
        if constexpr (sizeof(T) == 4) return OfFloat(a, b); \
        return OfDouble(a, b);                              \
    }
__WW_UNARY(__ww_exp, expf, exp)
__WW_UNARY(__ww_exp2, exp2f, exp2)
__WW_UNARY(__ww_expm1, expm1f, expm1)
__WW_UNARY(__ww_log, logf, log)
__WW_UNARY(__ww_log1p, log1pf, log1p)
__WW_UNARY(__ww_log2, log2f, log2)
__WW_UNARY(__ww_log10, log10f, log10)
__WW_UNARY(__ww_cbrt, cbrtf, cbrt)
__WW_UNARY(__ww_rsqrt, rsqrtf, rsqrt)
__WW_UNARY(__ww_sin, sinf, sin)
__WW_UNARY(__ww_cos, cosf, cos)
__WW_UNARY(__ww_tan, tanf, tan)
__WW_UNARY(__ww_asin, asinf, asin)
__WW_UNARY(__ww_acos, acosf, acos)
__WW_UNARY(__ww_atan, atanf, atan)
__WW_UNARY(__ww_sinh, sinhf, sinh)
__WW_UNARY(__ww_cosh, coshf, cosh)
__WW_UNARY(__ww_tanh, tanhf, tanh)
__WW_UNARY(__ww_asinh, asinhf, asinh)
__WW_UNARY(__ww_acosh, acoshf, acosh)
__WW_UNARY(__ww_atanh, atanhf, atanh)
__WW_UNARY(__ww_erf, erff, erf)
__WW_UNARY(__ww_erfc, erfcf, erfc)
__WW_UNARY(__ww_log_gamma, lgammaf, lgamma)
__WW_UNARY(__ww_gamma, tgammaf, tgamma)
__WW_BINARY(__ww_hypot, hypotf, hypot)
__WW_BINARY(__ww_atan2, atan2f, atan2)
__WW_BINARY(__ww_nextafter, nextafterf, nextafter)
__WW_BINARY(__ww_pow, powf, pow)
#undef __WW_UNARY
#undef __WW_BINARY

// The greater plus log1p of what the lesser adds; equal ones, infinities too, add log(2).
__WW_REAL T __ww_logaddexp(T a, T b) {
    const T apart = __ww_subtract(a, b);
    const T more = __ww_log1p(__ww_exp(-__ww_abs(apart)));
    return a == b          ? __ww_add(a, T(0.69314718055994530942))
           : apart > T(0)  ? __ww_add(a, more)
           : apart <= T(0) ? __ww_add(b, more)
                           : apart;
}
__WW_REAL T __ww_logaddexp2(T a, T b) {
    const T apart = __ww_subtract(a, b);
    const T more =
        __ww_multiply(__ww_log1p(__ww_exp2(-__ww_abs(apart))), T(1.44269504088896340736));
    return a == b          ? __ww_add(a, T(1))
           : apart > T(0)  ? __ww_add(a, more)
           : apart <= T(0) ? __ww_add(b, more)
                           : apart;
}
