// Mathematical intrinsics: fast forms (here the accurate ones), operations with a stated rounding,
// conversions between numbers.
//
// Directed roundings start from the nearest result and its exact error: one step to a neighbour
// when the error points the wrong way.
#pragma once

#include "public.cuh"

__WW_BOTH float __sinf(float x) {
    return __ww::sin(x);
}
__WW_BOTH float __cosf(float x) {
    return __ww::cos(x);
}
__WW_BOTH float __tanf(float x) {
    return __ww::tan(x);
}
__WW_BOTH float __expf(float x) {
    return __ww::exp(x);
}
__WW_BOTH float __exp10f(float x) {
    return __ww::exp10(x);
}
__WW_BOTH float __logf(float x) {
    return __ww::log(x);
}
__WW_BOTH float __log2f(float x) {
    return __ww::log2(x);
}
__WW_BOTH float __log10f(float x) {
    return __ww::log10(x);
}
__WW_BOTH float __powf(float x, float y) {
    return __ww::pow(x, y);
}
__WW_BOTH float __tanhf(float x) {
    return __ww::tanh(x);
}
__WW_BOTH float __fdividef(float x, float y) {
    return x / y;
}
__WW_BOTH void __sincosf(float x, float* s, float* c) {
    __ww::sincos(x, s, c);
}
// NaN becomes 0.
__WW_BOTH float __saturatef(float x) {
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

namespace __ww {

enum direction { to_nearest, to_zero, to_plus, to_minus };

// `nearest` moved to the neighbour on the other side of the truth if the direction asks for it;
// `error` has the sign of truth - nearest. An infinity from finite numbers lies beyond the truth.
template <class T>
__WW_MATH T directed(T value, T error, bool finite_inputs, direction way) {
    bool overflow = !is_finite(value) && finite_inputs && value == value;
    error = overflow ? -value : error;
    bool down = way == to_minus || (way == to_zero && value > T(0));
    bool up = way == to_plus || (way == to_zero && value < T(0));
    T lower = nextafter(value, -infinity<T>()), upper = nextafter(value, infinity<T>());
    T result = down && error < T(0) ? lower : value;
    return up && error > T(0) ? upper : result;
}
template <class T>
__WW_MATH T directed_add(T a, T b, direction way) {
    __WW_AS_WRITTEN
    T sum = a + b;
    if (way == to_nearest) return sum;
    T part = sum - a;
    T error = (a - (sum - part)) + (b - part);
    // An exact zero from opposite numbers is negative when rounding down.
    T result = directed(sum, error, is_finite(a) && is_finite(b), way);
    return way == to_minus && sum == T(0) && a != b ? -T(0) : result;
}
__WW_MATH float directed_float(double x, direction way) {
    __WW_AS_WRITTEN
    float value = static_cast<float>(x);
    if (way == to_nearest) return value;
    double error = x - static_cast<double>(value);
    return directed(value, error < 0.0 ? -1.0f : error > 0.0 ? 1.0f : 0.0f, is_finite(x), way);
}
// Of floats: a product, and the side on which a quotient or a root lies of any float, are exact in
// double.
__WW_MATH float directed_multiply(float a, float b, direction way) {
    __WW_AS_WRITTEN
    return way == to_nearest ? a * b
                             : directed_float(static_cast<double>(a) * static_cast<double>(b), way);
}
__WW_MATH float directed_divide(float a, float b, direction way) {
    __WW_AS_WRITTEN
    return way == to_nearest ? a / b
                             : directed_float(static_cast<double>(a) / static_cast<double>(b), way);
}
__WW_MATH float directed_sqrt(float x, direction way) {
    return way == to_nearest ? __ww::sqrt(x)
                             : directed_float(__ww::sqrt(static_cast<double>(x)), way);
}
__WW_MATH float directed_fma(float a, float b, float c, direction way) {
    __WW_AS_WRITTEN
    float value = __ww::fma(a, b, c);
    if (way == to_nearest) return value;
    double product = static_cast<double>(a) * static_cast<double>(b), more = c;
    double sum = product + more;
    // An exact zero from opposite numbers is negative when rounding down.
    if (sum == 0.0 && way == to_minus) return static_cast<float>(-(-product - more));
    double part = sum - product;
    double rest = (product - (sum - part)) + (more - part);
    double above = sum - static_cast<double>(value);
    double error = above != 0.0 ? above : rest;
    return directed(value,
                    error < 0.0   ? -1.0f
                    : error > 0.0 ? 1.0f
                                  : 0.0f,
                    is_finite(a) && is_finite(b) && is_finite(c), way);
}
// Of doubles: errors of results this small are lost below the subnormal numbers, unless both are
// taken by powers of two.
__WW_MATH bool is_tiny(double x) {
    return __ww::fabs(x) < 0x1p-900;
}

__WW_MATH double directed_fma(double a, double b, double c, direction way) {
    __WW_AS_WRITTEN
    double value = __ww::fma(a, b, c);
    if (way == to_nearest) return value;
    bool finite = is_finite(a) && is_finite(b) && is_finite(c);
    double product = a * b, scaled_value = value;
    if (finite && a != 0.0 && b != 0.0 && is_tiny(product)) {
        double sign = (a < 0.0) == (b < 0.0) ? 1.0 : -1.0;
        (__ww::fabs(a) < __ww::fabs(b) ? a : b) *= 0x1p500;
        product = a * b;
        // Less than half of the last place of any sum that is not of its own size.
        bool vanishes = is_tiny(product) || __ww::fabs(c) > 0x1p-400;
        if (vanishes) return directed(value, sign, true, way);
        c *= 0x1p500;
        scaled_value *= 0x1p500;
    }
    double low = __ww::fma(a, b, -product);
    double sum = product + c;
    if (sum == 0.0 && low == 0.0 && way == to_minus) return -(-product - c);
    double part = sum - product;
    double rest = (product - (sum - part)) + (c - part);
    double error = ((sum - scaled_value) + rest) + low;
    return directed(value, error, finite, way);
}
__WW_MATH double directed_multiply(double a, double b, direction way) {
    __WW_AS_WRITTEN
    double zero = (a < 0.0) == (b < 0.0) ? 0.0 : -0.0;
    double product = a * b;
    if (way == to_nearest || product != product || a == 0.0 || b == 0.0) return product;
    return directed_fma(a, b, zero, way);
}
__WW_MATH double directed_divide(double a, double b, direction way) {
    __WW_AS_WRITTEN
    double quotient = a / b;
    if (way == to_nearest) return quotient;
    double up = is_tiny(a) ? 0x1p500 : 1.0;
    double rest = __ww::fma(-(quotient * up), b, a * up);
    bool proper = is_finite(a) && is_finite(b) && b != 0.0;
    return directed(quotient, b < 0.0 ? -rest : rest, proper, way);
}
__WW_MATH double directed_sqrt(double x, direction way) {
    __WW_AS_WRITTEN
    double root = __ww::sqrt(x);
    if (way == to_nearest || !is_finite(x)) return root;
    double up = is_tiny(x) ? 0x1p500 : 1.0;
    double scaled = root * up;
    return directed(root, __ww::fma(-scaled, scaled, x * up * up), false, way);
}
template <class T>
__WW_MATH T rounded_whole(T x, direction way) {
    return way == to_nearest ? rint(x)
           : way == to_zero  ? trunc(x)
           : way == to_plus  ? __ww::ceil(x)
                             : __ww::floor(x);
}
// Bits beyond the significand are cut off, or carried, before a conversion that is then exact.
template <class T>
__WW_MATH T directed_from_magnitude(unsigned long long x, direction way, bool negative) {
    __WW_AS_WRITTEN
    int extra = 63 - real<T>::mantissa - (x == 0 ? 64 : __builtin_clzll(x));
    unsigned long long mask = extra > 0 ? (1ull << extra) - 1ull : 0ull;
    T down = static_cast<T>(x & ~mask);
    T up = (x & mask) != 0 ? down + static_cast<T>(mask + 1ull) : down;
    T size = way == (negative ? to_minus : to_plus) ? up : down;
    return negative ? -size : size;
}
template <class T>
__WW_MATH T directed_from(unsigned long long x, direction way) {
    return way == to_nearest ? static_cast<T>(x) : directed_from_magnitude<T>(x, way, false);
}
template <class T>
__WW_MATH T directed_from(long long x, direction way) {
    unsigned long long size = static_cast<unsigned long long>(x);
    return way == to_nearest ? static_cast<T>(x)
                             : directed_from_magnitude<T>(x < 0 ? 0ull - size : size, way, x < 0);
}

}  // namespace __ww

#define __WW_ROUNDED(suffix, way)                                     \
    __WW_BOTH float __fadd_##suffix(float a, float b) {               \
        return __ww::directed_add(a, b, way);                         \
    }                                                                 \
    __WW_BOTH float __fsub_##suffix(float a, float b) {               \
        return __ww::directed_add(a, -b, way);                        \
    }                                                                 \
    __WW_BOTH float __fmul_##suffix(float a, float b) {               \
        return __ww::directed_multiply(a, b, way);                    \
    }                                                                 \
    __WW_BOTH float __fdiv_##suffix(float a, float b) {               \
        return __ww::directed_divide(a, b, way);                      \
    }                                                                 \
    __WW_BOTH float __frcp_##suffix(float a) {                        \
        return __ww::directed_divide(1.0f, a, way);                   \
    }                                                                 \
    __WW_BOTH float __fsqrt_##suffix(float a) {                       \
        return __ww::directed_sqrt(a, way);                           \
    }                                                                 \
    __WW_BOTH float __fmaf_##suffix(float a, float b, float c) {      \
        return __ww::directed_fma(a, b, c, way);                      \
    }                                                                 \
    __WW_BOTH float __fmaf_ieee_##suffix(float a, float b, float c) { \
        return __ww::directed_fma(a, b, c, way);                      \
    }                                                                 \
    __WW_BOTH double __dadd_##suffix(double a, double b) {            \
        return __ww::directed_add(a, b, way);                         \
    }                                                                 \
    __WW_BOTH double __dsub_##suffix(double a, double b) {            \
        return __ww::directed_add(a, -b, way);                        \
    }                                                                 \
    __WW_BOTH double __dmul_##suffix(double a, double b) {            \
        return __ww::directed_multiply(a, b, way);                    \
    }                                                                 \
    __WW_BOTH double __ddiv_##suffix(double a, double b) {            \
        return __ww::directed_divide(a, b, way);                      \
    }                                                                 \
    __WW_BOTH double __drcp_##suffix(double a) {                      \
        return __ww::directed_divide(1.0, a, way);                    \
    }                                                                 \
    __WW_BOTH double __dsqrt_##suffix(double a) {                     \
        return __ww::directed_sqrt(a, way);                           \
    }                                                                 \
    __WW_BOTH double __fma_##suffix(double a, double b, double c) {   \
        return __ww::directed_fma(a, b, c, way);                      \
    }                                                                 \
    __WW_BOTH float __double2float_##suffix(double x) {               \
        return __ww::directed_float(x, way);                          \
    }                                                                 \
    __WW_FROM_INTEGER(int, long long, float, suffix, way)             \
    __WW_FROM_INTEGER(uint, unsigned long long, float, suffix, way)   \
    __WW_FROM_INTEGER(ll, long long, float, suffix, way)              \
    __WW_FROM_INTEGER(ull, unsigned long long, float, suffix, way)    \
    __WW_FROM_INTEGER(ll, long long, double, suffix, way)             \
    __WW_FROM_INTEGER(ull, unsigned long long, double, suffix, way)   \
    __WW_TO_INTEGERS(float, suffix, way)                              \
    __WW_TO_INTEGERS(double, suffix, way)

// int and unsigned int widen to the 64-bit forms without loss.
#define __WW_FROM_INTEGER(name, wide, real_type, suffix, way)                   \
    __WW_BOTH real_type __##name##2##real_type##_##suffix(__ww_name_##name x) { \
        return __ww::directed_from<real_type>(static_cast<wide>(x), way);       \
    }
#define __WW_TO_INTEGERS(real_type, suffix, way)  \
    __WW_TO_INTEGER(real_type, int, suffix, way)  \
    __WW_TO_INTEGER(real_type, uint, suffix, way) \
    __WW_TO_INTEGER(real_type, ll, suffix, way)   \
    __WW_TO_INTEGER(real_type, ull, suffix, way)
#define __WW_TO_INTEGER(real_type, name, suffix, way)                           \
    __WW_BOTH __ww_name_##name __##real_type##2##name##_##suffix(real_type x) { \
        return __ww::to_integer<__ww_name_##name>(__ww::rounded_whole(x, way)); \
    }
typedef int __ww_name_int;
typedef unsigned int __ww_name_uint;
typedef long long __ww_name_ll;
typedef unsigned long long __ww_name_ull;

__WW_ROUNDED(rn, __ww::to_nearest)
__WW_ROUNDED(rz, __ww::to_zero)
__WW_ROUNDED(ru, __ww::to_plus)
__WW_ROUNDED(rd, __ww::to_minus)
#undef __WW_ROUNDED
#undef __WW_FROM_INTEGER
#undef __WW_TO_INTEGERS
#undef __WW_TO_INTEGER

__WW_BOTH float __frsqrt_rn(float x) {
    return static_cast<float>(__ww::rsqrt(static_cast<double>(x)));
}
__WW_BOTH double __int2double_rn(int x) {
    return x;
}
__WW_BOTH double __uint2double_rn(unsigned int x) {
    return x;
}
