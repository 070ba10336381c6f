// Functions on integers and bool. Arithmetic is unsigned and wraps; division by zero gives 0;
// shifts past the width give 0 or the sign. No operation is undefined.
#pragma once

#include "kinds.cuh"

#define __WW_WRAPPED(Name, Operator)                           \
    __WW_INTEGER T Name(T a, T b) {                            \
        typedef typename __ww_integer_kind<T>::wide_type Wide; \
        return (T)((Wide)a Operator(Wide) b);                  \
    }
__WW_WRAPPED(__ww_add, +)
__WW_WRAPPED(__ww_subtract, -)
__WW_WRAPPED(__ww_multiply, *)
__WW_WRAPPED(__ww_bitwise_and, &)
__WW_WRAPPED(__ww_bitwise_or, |)
__WW_WRAPPED(__ww_bitwise_xor, ^)
#undef __WW_WRAPPED

__WW_INTEGER T __ww_negative(T a) {
    return (T)(0 - (typename __ww_integer_kind<T>::wide_type)a);
}
__WW_INTEGER T __ww_positive(T a) {
    return a;
}
__WW_INTEGER T __ww_abs(T a) {
    return a < T(0) ? __ww_negative(a) : a;
}
__WW_INTEGER T __ww_sign(T a) {
    return (T)((a > T(0)) - (a < T(0)));
}
__WW_INTEGER T __ww_square(T a) {
    return __ww_multiply(a, a);
}
__WW_INTEGER T __ww_bitwise_invert(T a) {
    return (T)~a;
}

// Divisors are neither 0 nor -1.
__WW_INTEGER T __ww_plain_quotient(T a, T b) {
#ifdef __WARPWISE_CPU__
    // Processors divide vectors of floats only. The quotient of integers of at most half as many
    // bits as the significand has is exact once cut: it is at least 1 / b away from the next one.
    if (sizeof(T) <= 2) return (T)((float)a / (float)b);
    if (sizeof(T) == 4) return (T)((double)a / (double)b);
#endif
    return (T)(a / b);
}
// The least integer divided by -1 wraps to itself: the quotient is 0 - a.
__WW_INTEGER T __ww_quotient(T a, T b) {
    const bool negates = __ww_integer_kind<T>::is_signed && b == (T)-1;
    const T quotient = __ww_plain_quotient(a, b == T(0) || negates ? T(1) : b);
    return b == T(0) ? T(0) : negates ? __ww_negative(a) : quotient;
}
__WW_INTEGER T __ww_fmod(T a, T b) {
    return b == T(0) ? T(0) : __ww_subtract(a, __ww_multiply(__ww_quotient(a, b), b));
}
__WW_INTEGER T __ww_remainder(T a, T b) {
    const T rest = __ww_fmod(a, b);
    const bool differs = rest != T(0) && ((rest < T(0)) != (b < T(0)));
    return differs ? __ww_add(rest, b) : rest;
}
__WW_INTEGER T __ww_floor_divide(T a, T b) {
    const T quotient = __ww_quotient(a, b);
    const T rest = __ww_fmod(a, b);
    const bool differs = rest != T(0) && ((rest < T(0)) != (b < T(0)));
    return differs ? (T)(quotient - T(1)) : quotient;
}
__WW_INTEGER T __ww_reciprocal(T a) {
    return __ww_quotient(T(1), a);
}

__WW_INTEGER T __ww_pow(T base, T exponent) {
    if (exponent < T(0)) {
        const bool is_odd = (exponent & T(1)) != T(0);
        return base == T(1) ? T(1) : base == (T)-1 ? (is_odd ? (T)-1 : T(1)) : T(0);
    }
    T result = T(1);
    for (; exponent != T(0); exponent = (T)(exponent >> 1)) {
        result = (exponent & T(1)) != T(0) ? __ww_multiply(result, base) : result;
        base = __ww_multiply(base, base);
    }
    return result;
}

__WW_INTEGER T __ww_minimum(T a, T b) {
    return b < a ? b : a;
}
__WW_INTEGER T __ww_maximum(T a, T b) {
    return a < b ? b : a;
}
__WW_INTEGER T __ww_fmin(T a, T b) {
    return __ww_minimum(a, b);
}
__WW_INTEGER T __ww_fmax(T a, T b) {
    return __ww_maximum(a, b);
}
__WW_INTEGER T __ww_clip(T a, T b, T c) {
    return __ww_minimum(__ww_maximum(a, b), c);
}
__WW_INTEGER T __ww_ceil(T a) {
    return a;
}
__WW_INTEGER T __ww_floor(T a) {
    return a;
}
__WW_INTEGER T __ww_trunc(T a) {
    return a;
}
__WW_INTEGER T __ww_round(T a) {
    return a;
}

__WW_INTEGER T __ww_bitwise_left_shift(T a, T b) {
    typedef typename __ww_integer_kind<T>::wide_type Wide;
    const bool is_inside = b >= T(0) && b < (T)__ww_integer_kind<T>::bits;
    const T moved = (T)((Wide)a << (is_inside ? b : T(0)));
    return is_inside ? moved : T(0);
}
__WW_INTEGER T __ww_bitwise_right_shift(T a, T b) {
    const bool is_inside = b >= T(0) && b < (T)__ww_integer_kind<T>::bits;
    const T moved = (T)(a >> (is_inside ? b : T(0)));
    return is_inside ? moved : a < T(0) ? (T)-1 : T(0);
}
__WW_INTEGER unsigned char __ww_bitwise_count(T a) {
    typedef typename __ww_integer_kind<T>::unsigned_type Unsigned;
    return (unsigned char)__popcll((unsigned long long)(Unsigned)__ww_abs(a));
}

// Euclid's algorithm on magnitudes, of which that of the least integer fits too.
__WW_INTEGER T __ww_gcd(T a, T b) {
    typedef typename __ww_integer_kind<T>::unsigned_type Unsigned;
    Unsigned x = (Unsigned)__ww_abs(a);
    Unsigned y = (Unsigned)__ww_abs(b);
    while (y != Unsigned(0)) {
        const Unsigned rest = (Unsigned)(x - __ww_plain_quotient(x, y) * y);
        x = y;
        y = rest;
    }
    return (T)x;
}
__WW_INTEGER T __ww_lcm(T a, T b) {
    typedef typename __ww_integer_kind<T>::unsigned_type Unsigned;
    const Unsigned x = (Unsigned)__ww_abs(a);
    const Unsigned common = (Unsigned)__ww_gcd(a, b);
    if (common == Unsigned(0)) return T(0);
    return (T)(Unsigned)(__ww_plain_quotient(x, common) * (Unsigned)__ww_abs(b));
}

__WW_INTEGER bool __ww_signbit(T a) {
    return a < T(0);
}
__WW_INTEGER bool __ww_isfinite(T) {
    return true;
}
__WW_INTEGER bool __ww_isinf(T) {
    return false;
}
__WW_INTEGER bool __ww_isnan(T) {
    return false;
}
__WW_INTEGER T __ww_real(T a) {
    return a;
}
__WW_INTEGER T __ww_imag(T) {
    return T(0);
}
__WW_INTEGER T __ww_conj(T a) {
    return a;
}

// bool: addition is or, multiplication is and.
__WW_FUNCTION bool __ww_add(bool a, bool b) {
    return a | b;
}
__WW_FUNCTION bool __ww_multiply(bool a, bool b) {
    return a & b;
}
__WW_FUNCTION bool __ww_minimum(bool a, bool b) {
    return a & b;
}
__WW_FUNCTION bool __ww_maximum(bool a, bool b) {
    return a | b;
}
__WW_FUNCTION bool __ww_fmin(bool a, bool b) {
    return a & b;
}
__WW_FUNCTION bool __ww_fmax(bool a, bool b) {
    return a | b;
}
__WW_FUNCTION bool __ww_clip(bool a, bool b, bool c) {
    return (a | b) & c;
}
__WW_FUNCTION bool __ww_abs(bool a) {
    return a;
}
__WW_FUNCTION bool __ww_ceil(bool a) {
    return a;
}
__WW_FUNCTION bool __ww_floor(bool a) {
    return a;
}
__WW_FUNCTION bool __ww_trunc(bool a) {
    return a;
}
__WW_FUNCTION bool __ww_bitwise_and(bool a, bool b) {
    return a & b;
}
__WW_FUNCTION bool __ww_bitwise_or(bool a, bool b) {
    return a | b;
}
__WW_FUNCTION bool __ww_bitwise_xor(bool a, bool b) {
    return a != b;
}
__WW_FUNCTION bool __ww_bitwise_invert(bool a) {
    return !a;
}
__WW_FUNCTION bool __ww_logical_and(bool a, bool b) {
    return a & b;
}
__WW_FUNCTION bool __ww_logical_or(bool a, bool b) {
    return a | b;
}
__WW_FUNCTION bool __ww_logical_xor(bool a, bool b) {
    return a != b;
}
__WW_FUNCTION bool __ww_logical_not(bool a) {
    return !a;
}
__WW_FUNCTION bool __ww_signbit(bool) {
    return false;
}
__WW_FUNCTION bool __ww_isfinite(bool) {
    return true;
}
__WW_FUNCTION bool __ww_isinf(bool) {
    return false;
}
__WW_FUNCTION bool __ww_isnan(bool) {
    return false;
}
__WW_FUNCTION bool __ww_real(bool a) {
    return a;
}
__WW_FUNCTION bool __ww_imag(bool) {
    return false;
}
__WW_FUNCTION bool __ww_conj(bool a) {
    return a;
}
