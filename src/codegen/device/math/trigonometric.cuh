// sin, cos, tan and their forms in units of pi. Kernels on [-pi/4, pi/4] are odd and even
// polynomials from tools/minimax.py; the quadrant selects and signs them.
#pragma once

#include "reduction.cuh"

namespace __ww {

// sin and cos of r + lo.
__WW_MATH float sin_kernel(float r, float lo) {
    __WW_AS_WRITTEN
    float z = r * r;
    float p = polynomial(z, -0x1.555556p-3f, 0x1.11117cp-7f, -0x1.a05e92p-13f, 0x1.7cd78p-19f);
    return r + __ww::fma(r * z, p, lo);
}
__WW_MATH float cos_kernel(float r, float lo) {
    __WW_AS_WRITTEN
    float z = r * r;
    float p = polynomial(z, 0x1.555556p-5f, -0x1.6c175ep-10f, 0x1.a0710ep-16f, -0x1.35eeaap-22f);
    // 1 - z / 2 is rounded once; what it lost comes back with the rest.
    float top = __ww::fma(-0.5f, z, 1.0f);
    float lost = __ww::fma(-0.5f, z, 1.0f - top);
    return top + __ww::fma(z * z, p, __ww::fma(-r, lo, lost));
}
// The same for double, as pairs whose low parts the last addition takes in.
__WW_MATH pair sin_kernel(double r, double lo) {
    __WW_AS_WRITTEN
    double z = r * r;
    double p = polynomial(z, -0x1.5555555555555p-3, 0x1.1111111111069p-7, -0x1.a01a019ffe522p-13,
                          0x1.71de3a33a54d8p-19, -0x1.ae642c514bcb4p-26, 0x1.6109bd256af6ap-33,
                          -0x1.9ffd4b9e07278p-41);
    // d sin = cos r d r, and cos r = 1 - z / 2 to first order is enough for so small a part.
    return fast_two_sum(r, __ww::fma(r * z, p, __ww::fma(-0.5 * z, lo, lo)));
}
__WW_MATH pair cos_kernel(double r, double lo) {
    __WW_AS_WRITTEN
    double z = r * r;
    double p = polynomial(z, 0x1.555555555554bp-5, -0x1.6c16c16c14707p-10, 0x1.a01a019b2090fp-16,
                          -0x1.27e4f6a6b4324p-22, 0x1.1ee8dcc08f31ep-29, -0x1.8f17c9a2dac29p-37);
    double half = 0.5 * z;
    double lost = __ww::fma(0.5 * r, r, -half);
    pair top = fast_two_sum(1.0, -half);
    return fast_two_sum(top.hi, top.lo + (__ww::fma(z * z, p, -lost) - r * lo));
}

// The sine of quadrant q from the kernels' values; the cosine is the sine a quadrant later.
__WW_MATH float quadrant_value(float s, float c, int q) {
    float value = (q & 1) != 0 ? c : s;
    return (q & 2) != 0 ? -value : value;
}
__WW_MATH double quadrant_value(double s, double c, int q) {
    double value = (q & 1) != 0 ? c : s;
    return (q & 2) != 0 ? -value : value;
}

__WW_MATH float sin(float x) {
    int q;
    float r = reduce(x, q);
    return quadrant_value(x == 0.0f ? x : sin_kernel(r, 0.0f), cos_kernel(r, 0.0f), q);
}
__WW_MATH float cos(float x) {
    int q;
    float r = reduce(x, q);
    return quadrant_value(sin_kernel(r, 0.0f), cos_kernel(r, 0.0f), q + 1);
}
__WW_MATH void sincos(float x, float* s, float* c) {
    int q;
    float r = reduce(x, q);
    float sine = x == 0.0f ? x : sin_kernel(r, 0.0f), cosine = cos_kernel(r, 0.0f);
    *s = quadrant_value(sine, cosine, q);
    *c = quadrant_value(sine, cosine, q + 1);
}
__WW_MATH float tan(float x) {
    __WW_AS_WRITTEN
    int q;
    float r = reduce(x, q);
    float s = sin_kernel(r, 0.0f), c = cos_kernel(r, 0.0f);
    float result = (q & 1) != 0 ? -c / s : s / c;
    return x == 0.0f ? x : result;
}

__WW_MATH double sin(double x) {
    __WW_AS_WRITTEN
    angle a = reduce(x);
    pair s = sin_kernel(a.hi, a.lo), c = cos_kernel(a.hi, a.lo);
    double value = quadrant_value(s.hi + s.lo, c.hi + c.lo, a.quadrant);
    return x == 0.0 ? x : value;
}
__WW_MATH double cos(double x) {
    __WW_AS_WRITTEN
    angle a = reduce(x);
    pair s = sin_kernel(a.hi, a.lo), c = cos_kernel(a.hi, a.lo);
    return quadrant_value(s.hi + s.lo, c.hi + c.lo, a.quadrant + 1);
}
__WW_MATH void sincos(double x, double* sine, double* cosine) {
    __WW_AS_WRITTEN
    angle a = reduce(x);
    pair s = sin_kernel(a.hi, a.lo), c = cos_kernel(a.hi, a.lo);
    double value = quadrant_value(s.hi + s.lo, c.hi + c.lo, a.quadrant);
    *sine = x == 0.0 ? x : value;
    *cosine = quadrant_value(s.hi + s.lo, c.hi + c.lo, a.quadrant + 1);
}
__WW_MATH double tan(double x) {
    __WW_AS_WRITTEN
    angle a = reduce(x);
    pair s = sin_kernel(a.hi, a.lo), c = cos_kernel(a.hi, a.lo);
    bool odd = (a.quadrant & 1) != 0;
    pair q = divide(odd ? c : s, odd ? s : c);
    double value = q.hi + q.lo;
    return x == 0.0 || x != x ? x : odd ? -value : value;
}

// x pi = (n / 2) pi + r: n / 2 is subtracted before pi comes in, without rounding.
__WW_MATH double half_turns(double x, int& quadrant) {
    __WW_AS_WRITTEN
    // Beyond 2^53 every number is an even integer; before, the quadrant is kept modulo 4.
    double bounded = __ww::fabs(x) < 0x1p53 ? x : is_finite(x) ? 0.0 : x - x;
    double f = bounded - 2.0 * rint(0.5 * bounded);
    double n = rint(2.0 * f);
    quadrant = n == n ? static_cast<int>(n) : 0;
    return __ww::fma(n, -0.5, f);
}
__WW_MATH void sincospi(double x, double* sine, double* cosine) {
    __WW_AS_WRITTEN
    int q;
    double f = half_turns(x, q);
    pair r = multiply(pair{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53}, f);
    pair s = sin_kernel(r.hi, r.lo), c = cos_kernel(r.hi, r.lo);
    double value = quadrant_value(s.hi + s.lo, c.hi + c.lo, q);
    // sinpi(n) is a zero with the sign of n.
    *sine = value == 0.0 ? copysign(0.0, x) : value;
    *cosine = quadrant_value(s.hi + s.lo, c.hi + c.lo, q + 1) + 0.0;
}
__WW_MATH double sinpi(double x) {
    double s, c;
    sincospi(x, &s, &c);
    return s;
}
__WW_MATH double cospi(double x) {
    double s, c;
    sincospi(x, &s, &c);
    return c;
}
__WW_MATH void sincospi(float x, float* sine, float* cosine) {
    __WW_AS_WRITTEN
    float bounded = __ww::fabs(x) < 0x1p24f ? x : is_finite(x) ? 0.0f : x - x;
    float f = bounded - 2.0f * rint(0.5f * bounded);
    float n = rint(2.0f * f);
    int q = n == n ? static_cast<int>(n) : 0;
    f = __ww::fma(n, -0.5f, f);
    float r = f * 0x1.921fb6p+1f;
    float lo = __ww::fma(f, -0x1.777a5cp-24f, __ww::fma(f, 0x1.921fb6p+1f, -r));
    float s = sin_kernel(r, lo), c = cos_kernel(r, lo);
    float value = quadrant_value(s, c, q);
    *sine = value == 0.0f ? copysign(0.0f, x) : value;
    *cosine = quadrant_value(s, c, q + 1) + 0.0f;
}
__WW_MATH float sinpi(float x) {
    float s, c;
    sincospi(x, &s, &c);
    return s;
}
__WW_MATH float cospi(float x) {
    float s, c;
    sincospi(x, &s, &c);
    return c;
}

}  // namespace __ww
