// Functions of a number's representation: exponents, neighbours, exact remainders, conversions.
#pragma once

#include "base.cuh"

namespace __ww {

// Exponent of a finite non-zero number, its significand in [1, 2) with the sign of x.
template <class T>
__WW_MATH T significand(T x, int& exponent) {
    __WW_AS_WRITTEN
    typedef typename real<T>::bits bits;
    const int m = real<T>::mantissa;
    bits b = to_bits(x);
    bool denormal = (b & real<T>::infinity) == 0;
    b = denormal ? to_bits(x * power_of_two<T>(m + 2)) : b;
    exponent = static_cast<int>((b & real<T>::infinity) >> m) - real<T>::bias;
    exponent -= denormal ? m + 2 : 0;
    return from_bits((b & ~real<T>::infinity) | static_cast<bits>(real<T>::bias) << m);
}
template <class T>
__WW_MATH T frexp(T x, int* exponent) {
    __WW_AS_WRITTEN
    int e;
    T s = significand(x, e);
    bool plain = is_finite(x) && x != T(0);
    *exponent = plain ? e + 1 : 0;
    return plain ? T(0.5) * s : x + x;
}
template <class T>
__WW_MATH T ldexp(T x, int k) {
    __WW_AS_WRITTEN
    // Three factors reach from the smallest denormal to infinity; only the last may round.
    const int top = real<T>::bias, span = 3 * (top - 1);
    k = k < -span ? -span : k > span ? span : k;
    int e;
    T s = significand(x, e);
    int sum = e + k;
    sum = sum > top + 1 ? top + 1 : sum;
    sum = sum < -top - 60 ? -top - 60 : sum;
    return is_finite(x) && x != T(0) ? scale(s, sum) : x + x;
}
template <class T>
__WW_MATH int ilogb(T x) {
    int e;
    significand(x, e);
    e = x == T(0) ? -2147483647 - 1 : e;
    return is_finite(x) ? e : x != x ? -2147483647 - 1 : 2147483647;
}
template <class T>
__WW_MATH T logb(T x) {
    __WW_AS_WRITTEN
    int e;
    significand(x, e);
    T result = x == T(0) ? -infinity<T>() : static_cast<T>(e);
    return is_finite(x) ? result : x * x;
}
template <class T>
__WW_MATH T modf(T x, T* whole) {
    __WW_AS_WRITTEN
    *whole = trunc(x);
    T rest = x - *whole;
    return copysign(is_finite(x) ? rest : x != x ? x : T(0), x);
}
template <class T>
__WW_MATH T nextafter(T x, T y) {
    __WW_AS_WRITTEN
    typedef typename real<T>::bits bits;
    bits b = to_bits(x);
    bool grow = (x < y) == (x > T(0));
    bits moved = x == T(0) ? (to_bits(y) & real<T>::sign) | 1u : grow ? b + 1 : b - 1;
    return x != x || y != y ? x + y : x == y ? y : from_bits(moved);
}

// |x| mod |y| exactly, with the low bits of the quotient. The quotient is found by long division on
// integers, as many bits a step as fit a 64-bit word.
template <class T>
__WW_MATH_LARGE T remainder_parts(T x, T y, unsigned int& quotient) {
    __WW_AS_WRITTEN
    const int spare = 63 - real<T>::mantissa;
    int ex, ey;
    T sx = significand(__ww::fabs(x), ex), sy = significand(__ww::fabs(y), ey);
    quotient = 0;
    if (ex < ey) return __ww::fabs(x);
    const T unit = power_of_two<T>(real<T>::mantissa);
    unsigned long long rest = static_cast<unsigned long long>(sx * unit);
    unsigned long long divisor = static_cast<unsigned long long>(sy * unit);
    quotient = static_cast<unsigned int>(rest / divisor);
    rest %= divisor;
    for (int left = ex - ey; left > 0;) {
        int step = left < spare ? left : spare;
        rest <<= step;
        quotient = (step < 32 ? quotient << step : 0u) + static_cast<unsigned int>(rest / divisor);
        rest %= divisor;
        left -= step;
    }
    int e = ey - real<T>::mantissa;
    return rest == 0 ? T(0) : ldexp(static_cast<T>(rest), e);
}
template <class T>
__WW_MATH bool remainder_undefined(T x, T y) {
    return x != x || y != y || !is_finite(x) || y == T(0);
}
template <class T>
__WW_MATH_LARGE T fmod(T x, T y) {
    __WW_AS_WRITTEN
    if (remainder_undefined(x, y)) return x != x || y != y ? x + y : quiet_nan<T>();
    if (!is_finite(y) || x == T(0)) return x;
    unsigned int quotient;
    return copysign(remainder_parts(x, y, quotient), x);
}
template <class T>
__WW_MATH_LARGE T remquo(T x, T y, int* quotient) {
    __WW_AS_WRITTEN
    *quotient = 0;
    if (remainder_undefined(x, y)) return x != x || y != y ? x + y : quiet_nan<T>();
    if (!is_finite(y) || x == T(0)) return x;
    unsigned int q;
    T rest = remainder_parts(x, y, q);
    T size = __ww::fabs(y);
    // Nearest, ties to even: compare rest with size - rest, which is exact where it matters.
    T other = size - rest;
    bool up = rest > other || (rest == other && (q & 1u) != 0);
    q += up ? 1u : 0u;
    T result = up ? -other : rest;
    result = result == T(0) ? T(0) : result;
    int low = static_cast<int>(q & 7u);
    *quotient = (to_bits(x) ^ to_bits(y)) & real<T>::sign ? -low : low;
    return (to_bits(x) & real<T>::sign) != 0 ? -result : result;
}
template <class T>
__WW_MATH T remainder(T x, T y) {
    int quotient;
    return remquo(x, y, &quotient);
}

// Conversions as the GPU's: saturating, NaN to 0; where either side has 64 bits, to the number with
// the highest bit alone.
template <class Integer, class T>
__WW_MATH Integer to_integer(T whole) {
    const bool is_signed = static_cast<Integer>(-1) < static_cast<Integer>(1);
    const int bits = 8 * sizeof(Integer) - (is_signed ? 1 : 0);
    const Integer top = static_cast<Integer>(~static_cast<unsigned long long>(0) >> (64 - bits));
    const Integer bottom = static_cast<Integer>(is_signed ? -top - 1 : 0);
    const bool is_wide = sizeof(Integer) == 8 || sizeof(T) == 8;
    const Integer highest = static_cast<Integer>(1ull << (8 * sizeof(Integer) - 1));
    const Integer nan = is_wide ? highest : static_cast<Integer>(0);
    // 2^bits, the first number too large.
    const T limit = power_of_two<T>(bits);
    bool low = whole < (is_signed ? -limit : T(0));
    bool high = whole >= limit;
    bool plain = !low && !high && whole == whole;
    Integer result = static_cast<Integer>(plain ? whole : T(0));
    return plain ? result : high ? top : low ? bottom : nan;
}

}  // namespace __ww

// Of the types of 16-bit floats: casts to integers of as many bits or fewer, as to_integer(). Wider
// ones are reached by way of float.
#define __WW_NARROW_CAST(Integer)                                                 \
    __host__ __device__ explicit operator Integer() const {                       \
        return __ww::to_integer<Integer>(__ww::trunc(static_cast<float>(*this))); \
    }
#define __WW_NARROW_CASTS           \
    __WW_NARROW_CAST(char)          \
    __WW_NARROW_CAST(signed char)   \
    __WW_NARROW_CAST(unsigned char) \
    __WW_NARROW_CAST(short)         \
    __WW_NARROW_CAST(unsigned short)
