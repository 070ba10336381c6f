// log, log2, log10, log1p: x = 2^k m with m in [sqrt(1/2), sqrt(2)), then s = f / (2 + f) for
// f = m - 1 and log m = 2 atanh(s) (double), or a polynomial in f (float). Polynomials from
// tools/minimax.py.
#pragma once

#include "base.cuh"

namespace __ww {

// Splits a positive normal number: returns m, sets k.
__WW_MATH float split_normal(float x, int& k) {
    const unsigned int root_half = 0x3f3504f3u;
    unsigned int bits = to_bits(x) - root_half;
    k = static_cast<int>(bits) >> 23;
    return from_bits((bits & 0x007fffffu) + root_half);
}
__WW_MATH double split_normal(double x, int& k) {
    const unsigned long long root_half = 0x3fe6a09e667f3bcdull;
    unsigned long long bits = to_bits(x) - root_half;
    k = static_cast<int>(bits >> 32) >> 20;
    return from_bits((bits & 0x000fffffffffffffull) + root_half);
}
// A denormal one, too.
__WW_MATH float split_exponent(float x, int& k) {
    __WW_AS_WRITTEN
    bool tiny = x < 0x1p-126f;
    float m = split_normal(tiny ? x * 0x1p24f : x, k);
    k -= tiny ? 24 : 0;
    return m;
}
__WW_MATH double split_exponent(double x, int& k) {
    __WW_AS_WRITTEN
    bool tiny = x < 0x1p-1022;
    double m = split_normal(tiny ? x * 0x1p54 : x, k);
    k -= tiny ? 54 : 0;
    return m;
}

// The value of a logarithm where the formula does not hold: 0, negative numbers, infinity, NaN.
template <class T>
__WW_MATH T log_special(T x, T result) {
    result = x == T(0) ? -infinity<T>() : result;
    result = x < T(0) ? quiet_nan<T>() : result;
    return is_finite(x) || x < T(0) ? result : x;
}

// log(1 + f) - f for f in [sqrt(1/2) - 1, sqrt(2) - 1].
__WW_MATH float log1p_rest(float f) {
    __WW_AS_WRITTEN
    float p =
        polynomial(f, 0x1.555548p-2f, -0x1.00007p-2f, 0x1.99a542p-3f, -0x1.552f1p-3f,
                   0x1.230304p-3f, -0x1.00f33p-3f, 0x1.f02d4p-4f, -0x1.c23f6p-4f, 0x1.be45e2p-5f);
    return f * f * __ww::fma(f, p, -0.5f);
}

// k ln 2 + log(1 + f).
__WW_MATH float log_sum(int k, float f) {
    __WW_AS_WRITTEN
    float n = static_cast<float>(k);
    return __ww::fma(n, 0x1.62e43p-1f, f + __ww::fma(n, -0x1.05c61p-29f, log1p_rest(f)));
}
__WW_MATH float log(float x) {
    __WW_AS_WRITTEN
    int k;
    float f = split_exponent(x, k) - 1.0f;
    return log_special(x, log_sum(k, f));
}
// log(x) of a positive normal number.
__WW_MATH float log_of_normal(float x) {
    __WW_AS_WRITTEN
    int k;
    float f = split_normal(x, k) - 1.0f;
    return log_sum(k, f);
}
__WW_MATH float log2(float x) {
    __WW_AS_WRITTEN
    int k;
    float f = split_exponent(x, k) - 1.0f;
    float rest = __ww::fma(log1p_rest(f), 0x1.715476p+0f, f * 0x1.4ae0cp-26f);
    return log_special(x, static_cast<float>(k) + __ww::fma(f, 0x1.715476p+0f, rest));
}
__WW_MATH float log10(float x) {
    __WW_AS_WRITTEN
    int k;
    float f = split_exponent(x, k) - 1.0f;
    float n = static_cast<float>(k);
    float rest = __ww::fma(log1p_rest(f), 0x1.bcb7b2p-2f, f * -0x1.5b235ep-27f);
    rest = __ww::fma(n, -0x1.ec10cp-27f, rest);
    return log_special(x, __ww::fma(n, 0x1.344136p-2f, __ww::fma(f, 0x1.bcb7b2p-2f, rest)));
}

// log(1 + f) for 1 + f between sqrt(1/2) and sqrt(2), with 35 bits right: for floats.
__WW_MATH double log_of_split(double f) {
    __WW_AS_WRITTEN
    double s = f / (2.0 + f);
    double z = s * s;
    double tail = polynomial(z, 0x1.555555561dcdfp-1, 0x1.999996aa64eefp-2, 0x1.24941186127d1p-2,
                             0x1.c62b3282fbd7fp-3, 0x1.9114197b00230p-3);
    return __ww::fma(s * z, tail, 2.0 * s);
}

// log(1 + f) = f - f^2 / 2 + s (f^2 / 2 + tail(s^2)) for s = f / (2 + f).
__WW_MATH double log_tail(double s) {
    __WW_AS_WRITTEN
    double z = s * s;
    return z * polynomial(z, 0x1.5555555555555p-1, 0x1.9999999999d10p-2, 0x1.2492492439987p-2,
                          0x1.c71c724b4951bp-3, 0x1.745ce1d1808f3p-3, 0x1.3b202323ded9cp-3,
                          0x1.0f675fce362d8p-3, 0x1.0f0cf44c83979p-3);
}
// k ln 2 + log(1 + f) + c.
__WW_MATH double log_sum(int k, double f, double c) {
    __WW_AS_WRITTEN
    double n = static_cast<double>(k);
    double s = f / (2.0 + f);
    double half = 0.5 * f * f;
    // The last term is small and takes the small parts.
    double small = __ww::fma(s, half + log_tail(s), __ww::fma(n, 0x1.ef35793c76730p-45, c));
    return __ww::fma(n, 0x1.62e42fefa3800p-1, f - (half - small));
}
// log(1 + f) times a number near it and its rest, to about 60 bits: f - f^2 / 2 exactly, then the
// small term.
__WW_MATH pair scaled_log(double f, pair factor) {
    __WW_AS_WRITTEN
    double s = f / (2.0 + f);
    pair half = two_product(0.5 * f, f);
    double high = f - half.hi;
    double low = ((f - high) - half.hi) - half.lo;
    low = __ww::fma(s, half.hi + log_tail(s), low);
    pair product = two_product(high, factor.hi);
    return pair{product.hi, product.lo + __ww::fma(low, factor.hi, high * factor.lo)};
}
__WW_MATH double log(double x) {
    __WW_AS_WRITTEN
    int k;
    double f = split_exponent(x, k) - 1.0;
    return log_special(x, log_sum(k, f, 0.0));
}
__WW_MATH double log_of_normal(double x) {
    __WW_AS_WRITTEN
    int k;
    double f = split_normal(x, k) - 1.0;
    return log_sum(k, f, 0.0);
}
__WW_MATH double log1p(double x) {
    __WW_AS_WRITTEN
    double u = 1.0 + x;
    double c = (x >= 1.0 ? 1.0 - (u - x) : x - (u - 1.0)) / u;
    int k;
    double f = split_exponent(u, k) - 1.0;
    bool near = x > -0.29 && x < 0.41;
    k = near ? 0 : k;
    f = near ? x : f;
    c = near || u > 0x1p54 ? 0.0 : c;
    double result = log_special(u, log_sum(k, f, c));
    return __ww::fabs(x) < 0x1p-54 ? x : result;
}

// log of a positive number to about 65 bits, without its k ln 2.
__WW_MATH pair log_reduced(double x, int& k) {
    __WW_AS_WRITTEN
    double f = split_exponent(x, k) - 1.0;
    pair s = divide(pair{f, 0.0}, fast_two_sum(2.0, f));
    pair z = multiply(s, s);
    double p = polynomial(z.hi, 0x1.999999999999ap-2, 0x1.2492492492363p-2, 0x1.c71c71c747ea6p-3,
                          0x1.745d172bc865ap-3, 0x1.3b13ba5ab17cap-3, 0x1.110f1c3068565p-3,
                          0x1.e265807eaa88fp-4, 0x1.a508c66bf5be2p-4, 0x1.eca3123a35873p-4);
    pair tail = fast_two_sum(0x1.5555555555555p-1, z.hi * p);
    tail.lo += 0x1.5555555555555p-55;
    pair cubic = multiply(multiply(z, s), tail);
    return add(pair{2.0 * s.hi, 2.0 * s.lo}, cubic);
}
__WW_MATH pair log_pair(double x) {
    __WW_AS_WRITTEN
    int k;
    pair m = log_reduced(x, k);
    double n = static_cast<double>(k);
    pair sum = two_sum(n * 0x1.62e42fefa3800p-1, m.hi);
    return fast_two_sum(sum.hi, sum.lo + __ww::fma(n, 0x1.ef35793c76730p-45, m.lo));
}
__WW_MATH double log2(double x) {
    __WW_AS_WRITTEN
    int k;
    double f = split_exponent(x, k) - 1.0;
    pair m = scaled_log(f, pair{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56});
    pair sum = fast_two_sum(static_cast<double>(k), m.hi);
    return log_special(x, sum.hi + (sum.lo + m.lo));
}
__WW_MATH double log10(double x) {
    __WW_AS_WRITTEN
    int k;
    double f = split_exponent(x, k) - 1.0;
    pair m = scaled_log(f, pair{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57});
    double n = static_cast<double>(k);
    // The first part of log10(2) has 11 bits of 0 at its end.
    pair sum = two_sum(n * 0x1.34413509f7800p-2, m.hi);
    double low = __ww::fma(n, 0x1.fef311f12b358p-46, m.lo);
    return log_special(x, sum.hi + (sum.lo + low));
}
// log(1 + x), with 35 bits right. Near 0 the fraction is x itself, which 1 + x would round.
__WW_MATH double log1p_for_float(double x) {
    __WW_AS_WRITTEN
    double u = 1.0 + x;
    int k;
    double m = split_exponent(u, k) - 1.0;
    double l = log_of_split(k == 0 ? x : m);
    double far = __ww::fma(static_cast<double>(k), 0x1.62e42fefa39efp-1, l);
    return log_special(u, k == 0 ? l : far);
}
__WW_MATH float log1p(float x) {
    return static_cast<float>(log1p_for_float(static_cast<double>(x)));
}

}  // namespace __ww
