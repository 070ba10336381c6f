// Ground of the mathematical headers: bits of numbers, exact powers of two, and pairs (a number as
// the unevaluated sum hi + lo). Plain C++, so that tests compile it for the host.
//
// Every function states its roundings: fused operations are written as fma(), and nothing else may
// be contracted, so that each executor and target computes the same bits.
#pragma once

#ifdef __clang__
#define __WW_AS_WRITTEN _Pragma("clang fp contract(off) reassociate(off) reciprocal(off)")
#else
#define __WW_AS_WRITTEN
#endif
#define __WW_MATH __WW_BOTH
#define __WW_MATH_LARGE __WW_BOTH_LARGE
// The rare path of a function: a call behind a branch, so that the common path stays straight.
#define __WW_RARE static __host__ __device__ __attribute__((noinline, const, nothrow, unused))

namespace __ww {

__WW_MATH float fma(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}
__WW_MATH double fma(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}
__WW_MATH float fabs(float x) {
    return __builtin_fabsf(x);
}
__WW_MATH double fabs(double x) {
    return __builtin_fabs(x);
}
__WW_MATH float sqrt(float x) {
    return __builtin_sqrtf(x);
}
__WW_MATH double sqrt(double x) {
    return __builtin_sqrt(x);
}
__WW_MATH float copysign(float x, float sign) {
    return __builtin_copysignf(x, sign);
}
__WW_MATH double copysign(double x, double sign) {
    return __builtin_copysign(x, sign);
}
__WW_MATH float trunc(float x) {
    return __builtin_truncf(x);
}
__WW_MATH double trunc(double x) {
    return __builtin_trunc(x);
}
__WW_MATH float rint(float x) {
    return __builtin_rintf(x);
}
__WW_MATH double rint(double x) {
    return __builtin_rint(x);
}

__WW_MATH unsigned int to_bits(float x) {
    return __builtin_bit_cast(unsigned int, x);
}
__WW_MATH unsigned long long to_bits(double x) {
    return __builtin_bit_cast(unsigned long long, x);
}
__WW_MATH float from_bits(unsigned int x) {
    return __builtin_bit_cast(float, x);
}
__WW_MATH double from_bits(unsigned long long x) {
    return __builtin_bit_cast(double, x);
}

template <class T>
struct real;
template <>
struct real<float> {
    typedef unsigned int bits;
    typedef int signed_bits;
    static constexpr int mantissa = 23, bias = 127;
    static constexpr bits sign = 0x80000000u, infinity = 0x7f800000u, quiet = 0x7fc00000u;
};
template <>
struct real<double> {
    typedef unsigned long long bits;
    typedef long long signed_bits;
    static constexpr int mantissa = 52, bias = 1023;
    static constexpr bits sign = 0x8000000000000000ull, infinity = 0x7ff0000000000000ull,
                          quiet = 0x7ff8000000000000ull;
};
template <class T>
__WW_MATH T infinity() {
    return from_bits(real<T>::infinity);
}
template <class T>
__WW_MATH T quiet_nan() {
    return from_bits(real<T>::quiet);
}
template <class T>
__WW_MATH bool is_finite(T x) {
    return (to_bits(x) & real<T>::infinity) != real<T>::infinity;
}

// 2^k for k among the exponents of normal numbers.
template <class T>
__WW_MATH T power_of_two(int k) {
    typedef typename real<T>::bits bits;
    return from_bits(static_cast<bits>(static_cast<bits>(k + real<T>::bias) << real<T>::mantissa));
}
// x * 2^k for |k| up to twice the range of exponents and |x| near 1: one rounding in all.
template <class T>
__WW_MATH T scale(T x, int k) {
    __WW_AS_WRITTEN
    int half = k >> 1;
    return x * power_of_two<T>(half) * power_of_two<T>(k - half);
}

// A product's nearest integer, as a number and as an int. Adding 1.5 * 2^mantissa leaves the
// integer in the low bits of the sum: no conversion instruction, no undefined case for NaN.
__WW_MATH float nearest(float x, float factor, int& integer) {
    __WW_AS_WRITTEN
    const float magic = 12582912.0f;
    float shifted = __ww::fma(x, factor, magic);
    integer = static_cast<int>(to_bits(shifted) - to_bits(magic));
    return shifted - magic;
}
__WW_MATH double nearest(double x, double factor, int& integer) {
    __WW_AS_WRITTEN
    const double magic = 6755399441055744.0;
    double shifted = __ww::fma(x, factor, magic);
    integer = static_cast<int>(static_cast<unsigned int>(to_bits(shifted)));
    return shifted - magic;
}

// c[0] + c[1] x + ... by Horner's rule.
template <class T>
__WW_MATH T polynomial(T, T c) {
    return c;
}
template <class T, class... Rest>
__WW_MATH T polynomial(T x, T c, Rest... rest) {
    return __ww::fma(polynomial(x, rest...), x, c);
}

struct pair {
    double hi, lo;
};
__WW_MATH pair two_sum(double a, double b) {
    __WW_AS_WRITTEN
    double sum = a + b;
    double part = sum - a;
    return pair{sum, (a - (sum - part)) + (b - part)};
}
// For |a| >= |b| or a = 0.
__WW_MATH pair fast_two_sum(double a, double b) {
    __WW_AS_WRITTEN
    double sum = a + b;
    return pair{sum, b - (sum - a)};
}
__WW_MATH pair two_product(double a, double b) {
    __WW_AS_WRITTEN
    double product = a * b;
    return pair{product, __ww::fma(a, b, -product)};
}
__WW_MATH pair add(pair a, pair b) {
    __WW_AS_WRITTEN
    pair sum = two_sum(a.hi, b.hi);
    return fast_two_sum(sum.hi, sum.lo + (a.lo + b.lo));
}
__WW_MATH pair multiply(pair a, pair b) {
    __WW_AS_WRITTEN
    pair p = two_product(a.hi, b.hi);
    return fast_two_sum(p.hi, p.lo + __ww::fma(a.hi, b.lo, a.lo * b.hi));
}
__WW_MATH pair multiply(pair a, double b) {
    __WW_AS_WRITTEN
    pair p = two_product(a.hi, b);
    return fast_two_sum(p.hi, __ww::fma(a.lo, b, p.lo));
}
__WW_MATH pair divide(pair a, pair b) {
    __WW_AS_WRITTEN
    double q = a.hi / b.hi;
    double rest = __ww::fma(-q, b.hi, a.hi) + __ww::fma(-q, b.lo, a.lo);
    return fast_two_sum(q, rest / b.hi);
}

}  // namespace __ww
