// Hyperbolic functions and their inverses, from exp(x) - 1 as a pair and from log1p. Floats go by
// way of double, but for tanh.
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
    double result = a > 40.0 ? scale(p.hi + p.lo, k - 1) : 0.5 * (sum.hi + sum.lo);
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
    double result = a > 40.0 ? scale(p.hi + p.lo, k - 1) : 0.5 * (sum.hi + sum.lo);
    return x != x ? x : result;
}

__WW_MATH double asinh(double x) {
    __WW_AS_WRITTEN
    double a = __ww::fabs(x);
    bool huge = a > 0x1p28;
    double b = huge ? 1.0 : a;
    double root = __ww::sqrt(__ww::fma(b, b, 1.0));
    double result = __ww::log1p(huge ? a - 1.0 : a + b * b / (1.0 + root));
    result = huge ? __ww::log(a) + 0x1.62e42fefa39efp-1 : result;
    return x != x ? x : copysign(a < 0x1p-28 ? a : result, x);
}
__WW_MATH double acosh(double x) {
    __WW_AS_WRITTEN
    bool huge = x > 0x1p28;
    double t = (huge ? 2.0 : x) - 1.0;
    double small = __ww::log1p(t + __ww::sqrt(__ww::fma(t, t, 2.0 * t)));
    double result = huge ? __ww::log(x) + 0x1.62e42fefa39efp-1 : small;
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
__WW_MATH float sinh(float x) {
    return static_cast<float>(__ww::sinh(static_cast<double>(x)));
}
__WW_MATH float cosh(float x) {
    return static_cast<float>(__ww::cosh(static_cast<double>(x)));
}
__WW_MATH float asinh(float x) {
    return static_cast<float>(__ww::asinh(static_cast<double>(x)));
}
__WW_MATH float acosh(float x) {
    return static_cast<float>(__ww::acosh(static_cast<double>(x)));
}
__WW_MATH float atanh(float x) {
    return static_cast<float>(__ww::atanh(static_cast<double>(x)));
}

}  // namespace __ww
