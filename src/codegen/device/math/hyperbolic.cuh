// Hyperbolic functions and their inverses, from exp(x) - 1 as a pair and from log1p. Floats go by
// way of double, but for tanh; sinh and cosh there without pairs.
#pragma once

#include "exponential.cuh"
#include "logarithm.cuh"

namespace __ww {

__WW_MATH double tanh(double x) {
    __WW_AS_WRITTEN
    double a = __ww::fabs(x);
    pair e = expm1_pair(a > 22.0 ? 44.0 : 2.0 * a);
    pair q = divide(e, add(e, pair{2.0, 0.0}));
    double result = a > 22.0 ? 1.0 : q.hi + q.lo;
    result = a < 0x1p-28 ? a : result;
    return x != x ? x : copysign(result, x);
}
__WW_MATH double sinh(double x) {
    __WW_AS_WRITTEN
    double a = __ww::fabs(x);
    // (e + e / (e + 1)) / 2 for e = exp(a) - 1; above 40 only exp(a) / 2 is left.
    pair e = expm1_pair(a > 40.0 ? 40.0 : a);
    pair sum = add(e, divide(e, add(e, pair{1.0, 0.0})));
    int k;
    pair p = exp_reduced(a > 711.0 ? 711.0 : a, 0.0, k);
    double far = scale(p.hi + p.lo, k - 1), near = 0.5 * (sum.hi + sum.lo);
    double result = a > 40.0 ? far : near;
    result = a < 0x1p-28 ? a : result;
    return x != x ? x : copysign(result, x);
}
__WW_MATH double cosh(double x) {
    __WW_AS_WRITTEN
    double a = __ww::fabs(x);
    int k;
    pair p = exp_reduced(a > 711.0 ? 711.0 : a, 0.0, k);
    double unit = power_of_two<double>(k > 60 ? 60 : k);
    pair e{p.hi * unit, p.lo * unit};
    pair sum = add(e, divide(pair{1.0, 0.0}, e));
    double far = scale(p.hi + p.lo, k - 1), near = 0.5 * (sum.hi + sum.lo);
    double result = a > 40.0 ? far : near;
    return x != x ? x : result;
}

__WW_MATH double asinh(double x) {
    __WW_AS_WRITTEN
    double a = __ww::fabs(x);
    bool huge = a > 0x1p28;
    double b = huge ? 1.0 : a;
    double root = __ww::sqrt(__ww::fma(b, b, 1.0));
    double shifted = a + b * b / (1.0 + root), less = a - 1.0;
    double result = __ww::log1p(huge ? less : shifted);
    double far = __ww::log(a) + 0x1.62e42fefa39efp-1;
    result = huge ? far : result;
    return x != x ? x : copysign(a < 0x1p-28 ? a : result, x);
}
__WW_MATH double acosh(double x) {
    __WW_AS_WRITTEN
    bool huge = x > 0x1p28;
    double t = (huge ? 2.0 : x) - 1.0;
    double small = __ww::log1p(t + __ww::sqrt(__ww::fma(t, t, 2.0 * t)));
    double far = __ww::log(x) + 0x1.62e42fefa39efp-1;
    double result = huge ? far : small;
    return x < 1.0 ? quiet_nan<double>() : result;
}
__WW_MATH double atanh(double x) {
    __WW_AS_WRITTEN
    double a = __ww::fabs(x);
    double result = 0.5 * __ww::log1p(2.0 * a / (1.0 - a));
    result = a == 1.0 ? infinity<double>() : result;
    result = a > 1.0 ? quiet_nan<double>() : result;
    return x != x ? x : copysign(a < 0x1p-28 ? a : result, x);
}

// An odd polynomial near 0; beyond, 1 - 2 / (exp(2x) + 1), which is 1 from x = 9.1 on.
__WW_MATH float tanh(float x) {
    __WW_AS_WRITTEN
    float a = __ww::fabs(x);
    float z = a * a;
    float near = polynomial(z, -0x1.55553ep-2f, 0x1.1109bep-3f, -0x1.b89abap-5f, 0x1.54c3c2p-6f,
                            -0x1.828778p-8f);
    near = __ww::fma(a * z, near, a);
    float far = 1.0f - 2.0f / (exp_moderate(a > 10.0f ? 20.0f : 2.0f * a) + 1.0f);
    return copysign(a < 0.6f ? near : far, x);
}
// By way of double, by the definition; near 0, where that cancels, by the series.
__WW_MATH float sinh(float x) {
    __WW_AS_WRITTEN
    double a = clamp_exponent(static_cast<double>(__ww::fabs(x)), 0.0, 100.0);
    double e = exp_for_float(a);
    double far = 0.5 * (e - 1.0 / e);
    double near = a * polynomial(a * a, 1.0, 0x1.5555555555555p-3, 0x1.1111111111111p-7,
                                 0x1.a01a01a01a01ap-13, 0x1.71de3a556c734p-19);
    return copysign(static_cast<float>(a < 0.5 ? near : far), x);
}
__WW_MATH float cosh(float x) {
    __WW_AS_WRITTEN
    double a = clamp_exponent(static_cast<double>(__ww::fabs(x)), 0.0, 100.0);
    double e = exp_for_float(a);
    return static_cast<float>(0.5 * (e + 1.0 / e));
}
// The inverses by way of double, in which the square of no float overflows.
__WW_MATH float asinh(float x) {
    __WW_AS_WRITTEN
    double a = static_cast<double>(__ww::fabs(x));
    double less = a * a / (1.0 + __ww::sqrt(__ww::fma(a, a, 1.0)));
    float result = static_cast<float>(log1p_for_float(a + less));
    return is_finite(x) ? copysign(result, x) : x;
}
__WW_MATH float acosh(float x) {
    __WW_AS_WRITTEN
    double t = static_cast<double>(x) - 1.0;
    float result = static_cast<float>(log1p_for_float(t + __ww::sqrt(__ww::fma(t, t, 2.0 * t))));
    return x < 1.0f ? quiet_nan<float>() : result;
}
__WW_MATH float atanh(float x) {
    __WW_AS_WRITTEN
    double a = static_cast<double>(__ww::fabs(x));
    float result = static_cast<float>(0.5 * log1p_for_float(2.0 * a / (1.0 - a)));
    result = a == 1.0 ? infinity<float>() : result;
    result = a > 1.0 ? quiet_nan<float>() : result;
    return x != x ? x : copysign(result, x);
}

}  // namespace __ww
