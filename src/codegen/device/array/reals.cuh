// Arithmetic of float and double. The four operations and the root are the intrinsics that round to
// nearest, so that they are never contracted, whatever the kernel around them is compiled with.
#pragma once

#include "kinds.cuh"

__WW_FUNCTION float __ww_add(float a, float b) {
    return __fadd_rn(a, b);
}
__WW_FUNCTION double __ww_add(double a, double b) {
    return __dadd_rn(a, b);
}
__WW_FUNCTION float __ww_subtract(float a, float b) {
    return __fsub_rn(a, b);
}
__WW_FUNCTION double __ww_subtract(double a, double b) {
    return __dsub_rn(a, b);
}
__WW_FUNCTION float __ww_multiply(float a, float b) {
    return __fmul_rn(a, b);
}
__WW_FUNCTION double __ww_multiply(double a, double b) {
    return __dmul_rn(a, b);
}
__WW_FUNCTION float __ww_divide(float a, float b) {
    return __fdiv_rn(a, b);
}
__WW_FUNCTION double __ww_divide(double a, double b) {
    return __ddiv_rn(a, b);
}
__WW_FUNCTION float __ww_sqrt(float a) {
    return __fsqrt_rn(a);
}
__WW_FUNCTION double __ww_sqrt(double a) {
    return __dsqrt_rn(a);
}

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
__WW_UNARY(__ww_abs, fabsf, fabs)
__WW_UNARY(__ww_ceil, ceilf, ceil)
__WW_UNARY(__ww_floor, floorf, floor)
__WW_UNARY(__ww_trunc, truncf, trunc)
__WW_UNARY(__ww_round, rintf, rint)
__WW_BINARY(__ww_fmod, fmodf, fmod)
__WW_BINARY(__ww_copysign, copysignf, copysign)
__WW_BINARY(__ww_fmin, fminf, fmin)
__WW_BINARY(__ww_fmax, fmaxf, fmax)
#undef __WW_UNARY
#undef __WW_BINARY

__WW_REAL T __ww_negative(T a) {
    return -a;
}
__WW_REAL T __ww_positive(T a) {
    return a;
}
__WW_REAL T __ww_square(T a) {
    return __ww_multiply(a, a);
}
__WW_REAL T __ww_reciprocal(T a) {
    return __ww_divide(T(1), a);
}
__WW_REAL T __ww_sign(T a) {
    return a != a ? a : T((a > T(0)) - (a < T(0)));
}
__WW_REAL bool __ww_isnan(T a) {
    return a != a;
}
__WW_REAL bool __ww_isinf(T a) {
    return __ww_abs(a) == T(__int_as_float(0x7F800000));
}
__WW_REAL bool __ww_isfinite(T a) {
    return __ww_abs(a) < T(__int_as_float(0x7F800000));
}
__WW_FUNCTION bool __ww_signbit(float a) {
    return __float_as_int(a) < 0;
}
__WW_FUNCTION bool __ww_signbit(double a) {
    return __double_as_longlong(a) < 0;
}
__WW_REAL T __ww_real(T a) {
    return a;
}
__WW_REAL T __ww_imag(T) {
    return T(0);
}
__WW_REAL T __ww_conj(T a) {
    return a;
}

// NaN where either is.
__WW_REAL T __ww_minimum(T a, T b) {
    return a <= b || a != a ? a : b;
}
__WW_REAL T __ww_maximum(T a, T b) {
    return a >= b || a != a ? a : b;
}
__WW_REAL T __ww_clip(T a, T b, T c) {
    return __ww_minimum(__ww_maximum(a, b), c);
}

// The remainder has the sign of the divisor, and the quotient is the nearest integer to
// (a - remainder) / b, as NumPy computes them.
__WW_REAL T __ww_remainder(T a, T b) {
    const T rest = __ww_fmod(a, b);
    const bool differs = rest != T(0) && ((rest < T(0)) != (b < T(0)));
    const T moved = differs ? __ww_add(rest, b) : rest;
    return rest == T(0) ? __ww_copysign(T(0), b) : moved;
}
__WW_REAL T __ww_floor_divide(T a, T b) {
    const T rest = __ww_fmod(a, b);
    const T quotient = __ww_divide(__ww_subtract(a, rest), b);
    const bool differs = rest != T(0) && ((rest < T(0)) != (b < T(0)));
    const T lower = differs ? __ww_subtract(quotient, T(1)) : quotient;
    const T floored = __ww_floor(lower);
    const T nearest = __ww_subtract(lower, floored) > T(0.5) ? __ww_add(floored, T(1)) : floored;
    const T result = lower == T(0) ? __ww_copysign(T(0), __ww_divide(a, b)) : nearest;
    return b == T(0) ? __ww_divide(a, b) : result;
}

__WW_REAL T __ww_heaviside(T a, T b) {
    return a != a ? a : a == T(0) ? b : a < T(0) ? T(0) : T(1);
}
__WW_REAL T __ww_deg2rad(T a) {
    return __ww_multiply(a, T(0.017453292519943295769));
}
__WW_REAL T __ww_rad2deg(T a) {
    return __ww_multiply(a, T(57.295779513082320877));
}
