// Floating-point numbers with Python's meaning: quotients, remainders, rounding, closeness;
// absolute values, and NumPy's functions of numbers.
#pragma once

#include "numbers.cuh"

template <class T>
__WW_PY T __ww_py_float_mod(T a, T b) {
    T rest = ::fmod(a, b);
    if (rest != 0) {
        if ((b < 0) != (rest < 0)) rest += b;
    } else {
        rest = ::copysign((T)0, b);
    }
    return rest;
}
// CPython's float_divmod: the quotient of what the remainder leaves, rounded to a whole number.
template <class T>
__WW_PY T __ww_py_float_floor_div(T a, T b) {
    if (b == 0) return a / b;
    const T rest = ::fmod(a, b);
    T quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
    if (quotient == 0) return ::copysign((T)0, a / b);
    const T down = ::floor(quotient);
    return quotient - down > (T)0.5 ? down + 1 : down;
}
__WW_PY float __ww_py_mod(float a, float b) {
    return __ww_py_float_mod(a, b);
}
__WW_PY double __ww_py_mod(double a, double b) {
    return __ww_py_float_mod(a, b);
}
__WW_PY float __ww_py_floor_div(float a, float b) {
    return __ww_py_float_floor_div(a, b);
}
__WW_PY double __ww_py_floor_div(double a, double b) {
    return __ww_py_float_floor_div(a, b);
}

// Of a number without a fraction: towards zero else.
__WW_PY long long __ww_py_whole(float a) {
    return (long long)a;
}
__WW_PY long long __ww_py_whole(double a) {
    return (long long)a;
}
__WW_PY bool __ww_py_is_integer(float a) {
    return __ww_py_isfinite(a) && ::floor(a) == a;
}
__WW_PY bool __ww_py_is_integer(double a) {
    return __ww_py_isfinite(a) && ::floor(a) == a;
}

__WW_PY float __ww_py_log(float a, float base) {
    return ::log(a) / ::log(base);
}
__WW_PY double __ww_py_log(double a, double base) {
    return ::log(a) / ::log(base);
}
template <class T>
__WW_PY T __ww_py_degrees(T a) {
    return a * (T)57.29577951308232;
}
template <class T>
__WW_PY T __ww_py_radians(T a) {
    return a * (T)0.017453292519943295;
}

// To a number of digits, ties to even, through the power of ten as Numba does it.
template <class T>
__WW_PY T __ww_py_round(T a, long long digits) {
    if (!__ww_py_isfinite(a)) return a;
    const double power = ::pow(10.0, (double)(digits < 0 ? -digits : digits));
    const double scaled = digits < 0 ? (double)a / power : (double)a * power;
    if (!__ww_py_isfinite(scaled)) return a;
    double whole = ::rint(scaled);
    if (::fabs(scaled - ::trunc(scaled)) == 0.5) {
        // What the product or quotient lacks decides, as it does in Python.
        const double rest =
            digits < 0 ? ::fma(-scaled, power, (double)a) : ::fma((double)a, power, -scaled);
        if (rest != 0) whole = rest > 0 ? ::ceil(scaled) : ::floor(scaled);
    }
    return (T)(digits < 0 ? whole * power : whole / power);
}

__WW_PY int __ww_py_abs(int a) {
    return a < 0 ? -a : a;
}
__WW_PY signed char __ww_py_abs(signed char a) {
    return (signed char)(a < 0 ? -a : a);
}
__WW_PY short __ww_py_abs(short a) {
    return (short)(a < 0 ? -a : a);
}
__WW_PY long long __ww_py_abs(long long a) {
    return a < 0 ? -a : a;
}
__WW_PY unsigned char __ww_py_abs(unsigned char a) {
    return a;
}
__WW_PY unsigned short __ww_py_abs(unsigned short a) {
    return a;
}
__WW_PY unsigned int __ww_py_abs(unsigned int a) {
    return a;
}
__WW_PY unsigned long long __ww_py_abs(unsigned long long a) {
    return a;
}
__WW_PY float __ww_py_abs(float a) {
    return ::fabsf(a);
}
__WW_PY double __ww_py_abs(double a) {
    return ::fabs(a);
}

__WW_PY bool __ww_py_isclose(double a, double b, double relative, double absolute) {
    if (a == b) return true;
    if (__ww_py_isinf(a) || __ww_py_isinf(b)) return false;
    const double difference = ::fabs(b - a);
    return difference <= ::fabs(relative * b) || difference <= ::fabs(relative * a) ||
           difference <= absolute;
}

// --- NumPy's functions.

__WW_PY bool __ww_py_isnear(double a, double b, double relative, double absolute, bool equal_nan) {
    if (a == b) return true;
    if (a != a || b != b) return equal_nan && a != a && b != b;
    return !__ww_py_isinf(b) && ::fabs(a - b) <= absolute + relative * ::fabs(b);
}

template <class T>
__WW_PY T __ww_py_where(bool condition, T a, T b) {
    return condition ? a : b;
}
template <class T>
__WW_PY T __ww_py_logaddexp(T a, T b) {
    if (a == b) return a + (T)0.6931471805599453;  // infinities of one sign too
    const T difference = a - b;
    if (difference > 0) return a + ::log1p(::exp(-difference));
    return difference <= 0 ? b + ::log1p(::exp(difference)) : difference;
}
template <class T>
__WW_PY T __ww_py_logaddexp2(T a, T b) {
    if (a == b) return a + 1;
    const T difference = a - b;
    const T scale = (T)1.4426950408889634;
    if (difference > 0) return a + ::log1p(::exp2(-difference)) * scale;
    return difference <= 0 ? b + ::log1p(::exp2(difference)) * scale : difference;
}
template <class T>
__WW_PY T __ww_py_heaviside(T a, T at_zero) {
    if (a != a) return a;
    return a == 0 ? at_zero : (T)(a > 0);
}

template <class T>
__WW_PY T __ww_py_square(T a) {
    return (T)(a * a);
}
template <class T>
__WW_PY T __ww_py_reciprocal(T a) {
    return (T)((T)1 / a);
}
// NaN is its own sign.
template <class T>
__WW_PY T __ww_py_sign(T a) {
    if (a != a) return a;
    return (T)((a > 0) - (a < 0));
}
template <class T>
__WW_PY T __ww_py_maximum(T a, T b) {
    return a != a || a > b ? a : b;
}
template <class T>
__WW_PY T __ww_py_minimum(T a, T b) {
    return a != a || a < b ? a : b;
}
template <class T>
__WW_PY T __ww_py_fmax(T a, T b) {
    return b != b || a > b ? a : b;
}
template <class T>
__WW_PY T __ww_py_fmin(T a, T b) {
    return b != b || a < b ? a : b;
}
