// exp, exp2, exp10, expm1: x = k ln 2 + r with |r| <= ln 2 / 2, a polynomial for exp(r), then 2^k.
// Polynomials from tools/minimax.py.
#pragma once

#include "base.cuh"

namespace __ww {

// exp(r) - 1 for |r| <= ln 2 / 2, as r plus a small rest.
__WW_MATH float exp_rest(float r) {
    __WW_AS_WRITTEN
    return r * r *
           polynomial(r, 0x1.fffffcp-2f, 0x1.55548cp-3f, 0x1.55585ap-5f, 0x1.123d68p-7f,
                      0x1.6ab71cp-10f);
}
__WW_MATH double exp_rest(double r) {
    __WW_AS_WRITTEN
    return r * r *
           polynomial(r, 0.5, 0x1.555555555555dp-3, 0x1.555555555556cp-5, 0x1.111111110e55bp-7,
                      0x1.6c16c16c0a3bap-10, 0x1.a01a01b5e8b32p-13, 0x1.a01a01e96d34ep-16,
                      0x1.71ddea9bc8a9cp-19, 0x1.27e42f37af1f9p-22, 0x1.af74f3c62b75bp-26,
                      0x1.20bc3e7080b0ep-29);
}

// exp(x) for |x| <= 87: the result is a normal number.
__WW_MATH float exp_moderate(float x) {
    __WW_AS_WRITTEN
    int k;
    float n = nearest(x, 0x1.715476p+0f, k);
    float r = __ww::fma(n, -0x1.62e43p-1f, x);
    r = __ww::fma(n, 0x1.05c61p-29f, r);
    return (1.0f + (r + exp_rest(r))) * power_of_two<float>(k);
}

template <class T>
__WW_MATH T clamp_exponent(T x, T low, T high) {
    x = x < low ? low : x;
    return x > high ? high : x;
}

__WW_MATH float exp(float x) {
    __WW_AS_WRITTEN
    x = clamp_exponent(x, -104.0f, 89.0f);
    int k;
    float n = nearest(x, 0x1.715476p+0f, k);
    float r = __ww::fma(n, -0x1.62e43p-1f, x);
    r = __ww::fma(n, 0x1.05c61p-29f, r);
    return scale(1.0f + (r + exp_rest(r)), k);
}
__WW_MATH double exp(double x) {
    __WW_AS_WRITTEN
    x = clamp_exponent(x, -746.0, 710.0);
    int k;
    double n = nearest(x, 0x1.71547652b82fep+0, k);
    double r = __ww::fma(n, -0x1.62e42fefa39efp-1, x);
    r = __ww::fma(n, -0x1.abc9e3b39803fp-56, r);
    return scale(1.0 + (r + exp_rest(r)), k);
}

// For floats, with 35 bits right: 2^x for |x| <= 1000, exp(x) for |x| <= 700.
__WW_MATH double exp2_for_float(double x) {
    __WW_AS_WRITTEN
    int k;
    double r = x - nearest(x, 1.0, k);
    double e = polynomial(r, 0x1.62e42fef6cbd9p-1, 0x1.ebfbdff7a3209p-3, 0x1.c6b08e0ea9ad3p-5,
                          0x1.3b2ab83147a19p-7, 0x1.5d870a3619931p-10, 0x1.430687e7e4e54p-13,
                          0x1.00fe7c0316babp-16, 0x1.661fcd70fcf5dp-20);
    return __ww::fma(r, e, 1.0) * power_of_two<double>(k);
}
__WW_MATH double exp_for_float(double x) {
    __WW_AS_WRITTEN
    return exp2_for_float(x * 0x1.71547652b82fep+0);
}

// 2^r for |r| <= 1/2.
__WW_MATH float exp2_fraction(float r) {
    __WW_AS_WRITTEN
    float p = polynomial(r, 0x1.62e43p-1f, 0x1.ebfbep-3f, 0x1.c6b066p-5f, 0x1.3b2a58p-7f,
                         0x1.5db274p-10f, 0x1.44161ap-13f, 0x1.ce775ep-17f);
    return __ww::fma(p, r, 1.0f);
}
__WW_MATH float exp2(float x) {
    __WW_AS_WRITTEN
    x = clamp_exponent(x, -151.0f, 129.0f);
    int k;
    float r = x - nearest(x, 1.0f, k);
    return scale(exp2_fraction(r), k);
}
// For |x| <= 125: the result is a normal number.
__WW_MATH float exp2_moderate(float x) {
    __WW_AS_WRITTEN
    int k;
    float r = x - nearest(x, 1.0f, k);
    return exp2_fraction(r) * power_of_two<float>(k);
}

// exp(k ln 2 + r + correction), where |correction| < 2^-20 |r|.
__WW_MATH double exp_scaled(double r, double correction, int k) {
    __WW_AS_WRITTEN
    return scale(1.0 + (r + (exp_rest(r) + __ww::fma(r, correction, correction))), k);
}
__WW_MATH double exp2(double x) {
    __WW_AS_WRITTEN
    x = clamp_exponent(x, -1076.0, 1025.0);
    int k;
    double f = x - nearest(x, 1.0, k);
    double r = f * 0x1.62e42fefa39efp-1;
    double error = __ww::fma(f, 0x1.62e42fefa39efp-1, -r);
    return exp_scaled(r, __ww::fma(f, 0x1.abc9e3b39803fp-56, error), k);
}

__WW_MATH float exp10(float x) {
    __WW_AS_WRITTEN
    x = clamp_exponent(x, -46.0f, 39.0f);
    int k;
    float n = nearest(x, 0x1.a934fp+1f, k);
    float f = __ww::fma(n, -0x1.344136p-2f, x);
    f = __ww::fma(n, 0x1.ec10cp-27f, f);
    float r = f * 0x1.26bb1cp+1f;
    float error = __ww::fma(f, 0x1.26bb1cp+1f, -r);
    error = __ww::fma(f, -0x1.12aabap-25f, error);
    return scale(1.0f + (r + (exp_rest(r) + __ww::fma(r, error, error))), k);
}
__WW_MATH double exp10(double x) {
    __WW_AS_WRITTEN
    x = clamp_exponent(x, -325.0, 309.0);
    int k;
    double n = nearest(x, 0x1.a934f0979a371p+1, k);
    double f = __ww::fma(n, -0x1.34413509f79ffp-2, x);
    f = __ww::fma(n, 0x1.9dc1da994fd21p-59, f);
    double r = f * 0x1.26bb1bbb55516p+1;
    double error = __ww::fma(f, 0x1.26bb1bbb55516p+1, -r);
    return exp_scaled(r, __ww::fma(f, -0x1.f48ad494ea3e9p-53, error), k);
}

// exp(hi + lo) = 2^k (1 + result), |lo| small beside hi, hi within the range of exp.
__WW_MATH pair expm1_reduced(double hi, double lo, int& k) {
    __WW_AS_WRITTEN
    double n = nearest(hi, 0x1.71547652b82fep+0, k);
    double exact = __ww::fma(n, -0x1.62e42fefa39efp-1, hi);
    double r = __ww::fma(n, -0x1.abc9e3b39803fp-56, exact);
    double rest = __ww::fma(n, -0x1.abc9e3b39803fp-56, exact - r) + lo;
    pair sum = fast_two_sum(r, exp_rest(r));
    return fast_two_sum(sum.hi, sum.lo + __ww::fma(sum.hi, rest, rest));
}
// exp(hi + lo) as a pair with the exponent apart.
__WW_MATH pair exp_reduced(double hi, double lo, int& k) {
    __WW_AS_WRITTEN
    pair e = expm1_reduced(hi, lo, k);
    pair sum = fast_two_sum(1.0, e.hi);
    return pair{sum.hi, sum.lo + e.lo};
}

// exp(x) - 1 as a pair, for x in [-50, 709.7].
__WW_MATH pair expm1_pair(double x) {
    __WW_AS_WRITTEN
    int k;
    pair e = expm1_reduced(x, 0.0, k);
    // Half of it, because 2^1024 is no double. Where p - 1/2 is rounded, the result hides it.
    double p = power_of_two<double>(k - 1);
    pair sum = two_sum(p - 0.5, p * e.hi);
    pair half = fast_two_sum(sum.hi, __ww::fma(p, e.lo, sum.lo));
    return pair{2.0 * half.hi, 2.0 * half.lo};
}
__WW_MATH double expm1(double x) {
    __WW_AS_WRITTEN
    double bounded = clamp_exponent(x, -50.0, 709.7);
    pair e = expm1_pair(bounded);
    double result = e.hi + e.lo;
    result = x > 709.7 ? __ww::exp(x) : result;
    return __ww::fabs(x) < 0x1p-54 ? x : result;
}
__WW_MATH float expm1(float x) {
    __WW_AS_WRITTEN
    // The double result has 53 bits of 2^k (1 + e) - 1, far more than a float shows.
    double bounded = clamp_exponent(static_cast<double>(x), -50.0, 89.0);
    int k;
    double n = nearest(bounded, 0x1.71547652b82fep+0, k);
    double r = __ww::fma(n, -0x1.62e42fefa39efp-1, bounded);
    double p = power_of_two<double>(k);
    double result = __ww::fma(p, r + exp_rest(r), p - 1.0);
    return x == 0.0f ? x : static_cast<float>(result);
}

}  // namespace __ww
