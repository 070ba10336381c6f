// The functions of float16 and bfloat16 that are more than a few operations.
#pragma once

#include "real_functions.cuh"
#include "sixteen_bits.cuh"

#define __WW_UNARY(Name)                                     \
    __WW_SIXTEEN T Name(T a) {                               \
        return __ww_rounded<T>::from(Name(__ww_widened(a))); \
    }
#define __WW_BINARY(Name)                                                     \
    __WW_SIXTEEN T Name(T a, T b) {                                           \
        return __ww_rounded<T>::from(Name(__ww_widened(a), __ww_widened(b))); \
    }
__WW_UNARY(__ww_exp)
__WW_UNARY(__ww_exp2)
__WW_UNARY(__ww_expm1)
__WW_UNARY(__ww_log)
__WW_UNARY(__ww_log1p)
__WW_UNARY(__ww_log2)
__WW_UNARY(__ww_log10)
__WW_UNARY(__ww_cbrt)
__WW_UNARY(__ww_rsqrt)
__WW_UNARY(__ww_sin)
__WW_UNARY(__ww_cos)
__WW_UNARY(__ww_tan)
__WW_UNARY(__ww_asin)
__WW_UNARY(__ww_acos)
__WW_UNARY(__ww_atan)
__WW_UNARY(__ww_sinh)
__WW_UNARY(__ww_cosh)
__WW_UNARY(__ww_tanh)
__WW_UNARY(__ww_asinh)
__WW_UNARY(__ww_acosh)
__WW_UNARY(__ww_atanh)
__WW_UNARY(__ww_erf)
__WW_UNARY(__ww_erfc)
__WW_UNARY(__ww_log_gamma)
__WW_UNARY(__ww_gamma)
__WW_BINARY(__ww_pow)
__WW_BINARY(__ww_hypot)
__WW_BINARY(__ww_atan2)
__WW_BINARY(__ww_logaddexp)
__WW_BINARY(__ww_logaddexp2)
#undef __WW_UNARY
#undef __WW_BINARY

// Bits count up with the magnitude; from zero the least number has the sign of the direction.
__WW_SIXTEEN T __ww_nextafter(T a, T b) {
    const float from = __ww_widened(a);
    const float to = __ww_widened(b);
    const bool grows = (to > from) == (from > 0);
    const unsigned short beside = (unsigned short)(grows ? a.bits + 1 : a.bits - 1);
    const unsigned short least = (unsigned short)((b.bits & 0x8000) | 1);
    const unsigned short nan = (unsigned short)(__ww_isnan(a) ? a.bits : b.bits);
    return T{__ww_isnan(a) || __ww_isnan(b) ? nan
             : from == to                   ? b.bits
             : from == 0                    ? least
                                            : beside};
}
