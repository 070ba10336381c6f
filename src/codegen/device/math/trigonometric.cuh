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
__WW_MATH double sin_polynomial(double z) {
    return polynomial(z, -0x1.5555555555555p-3, 0x1.1111111111069p-7, -0x1.a01a019ffe522p-13,
                      0x1.71de3a33a54d8p-19, -0x1.ae642c514bcb4p-26, 0x1.6109bd256af6ap-33,
                      -0x1.9ffd4b9e07278p-41);
}
__WW_MATH double cos_polynomial(double z) {
    return polynomial(z, 0x1.555555555554bp-5, -0x1.6c16c16c14707p-10, 0x1.a01a019b2090fp-16,
                      -0x1.27e4f6a6b4324p-22, 0x1.1ee8dcc08f31ep-29, -0x1.8f17c9a2dac29p-37);
}
// The same for double, as pairs whose low parts the last addition takes in.
__WW_MATH pair sin_kernel(double r, double lo) {
    __WW_AS_WRITTEN
    double z = r * r;
    double p = sin_polynomial(z);
    // d sin = cos r d r, and cos r = 1 - z / 2 to first order is enough for so small a part.
    return fast_two_sum(r, __ww::fma(r * z, p, __ww::fma(-0.5 * z, lo, lo)));
}
__WW_MATH pair cos_kernel(double r, double lo) {
    __WW_AS_WRITTEN
    double z = r * r;
    double p = cos_polynomial(z);
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

// sin(r) for r in [0, pi/2]: one odd polynomial, where the quadrants' two kernels cost twice as
// much. The float coefficients were searched for the least error, results above 1 forbidden.
__WW_MATH float half_turn_sine(float r) {
    __WW_AS_WRITTEN
    float z = r * r;
    float p = polynomial(z, -0x1.55554cp-3f, 0x1.110ef8p-7f, -0x1.9f727p-13f, 0x1.5d9a2cp-19f);
    return __ww::fma(r * z, p, r);
}
__WW_MATH double half_turn_sine(double r) {
    __WW_AS_WRITTEN
    double z = r * r;
    double p = polynomial(z, -0x1.5555555555555p-3, 0x1.11111111110c8p-7, -0x1.a01a01a014d6ep-13,
                          0x1.71de3a52a0a15p-19, -0x1.ae6454d468306p-26, 0x1.6123cd02db51ep-33,
                          -0x1.ae4382ebb33f7p-41, 0x1.88327444a7776p-49);
    double value = __ww::fma(r * z, p, r);
    // Roundings may add up to more than 1.
    return value > 1.0 ? 1.0 : value;
}
// sin and cos of |r| <= pi/4 without a low part.
__WW_MATH float quarter_turn_sine(float r) {
    return sin_kernel(r, 0.0f);
}
__WW_MATH float quarter_turn_cosine(float r) {
    return cos_kernel(r, 0.0f);
}
__WW_MATH double quarter_turn_sine(double r) {
    __WW_AS_WRITTEN
    double z = r * r;
    return __ww::fma(r * z, sin_polynomial(z), r);
}
__WW_MATH double quarter_turn_cosine(double r) {
    __WW_AS_WRITTEN
    double z = r * r;
    double half = 0.5 * z, top = 1.0 - half;
    return top + __ww::fma(z * z, cos_polynomial(z), (1.0 - top) - half);
}

// The huge arguments of sin (which = 0) and cos (which = 1).
template <class T>
__WW_RARE T quadrant_sine(T x, int which) {
    __WW_AS_WRITTEN
    angle a = reduce(static_cast<double>(x));
    pair s = sin_kernel(a.hi, a.lo), c = cos_kernel(a.hi, a.lo);
    return static_cast<T>(quadrant_value(s.hi + s.lo, c.hi + c.lo, a.quadrant + which));
}
// Beyond these, nearest() or the parts of pi would no longer do.
__WW_MATH bool huge_angle(float x) {
    return __ww::fabs(x) > 100000.0f;
}
__WW_MATH bool huge_angle(double x) {
    return __ww::fabs(x) >= 0x1p28;
}

template <class T>
__WW_MATH T sin(T x) {
    __WW_AS_WRITTEN
    typedef typename real<T>::bits bits;
    int n;
    T r = less_half_turns(x, nearest(x, T(0x1.45f306dc9c883p-2), n));
    // The sign is r's, which a zero has too, turned by every half turn.
    bits turned = to_bits(r) ^ static_cast<bits>(n) << (8 * sizeof(T) - 1);
    T size = half_turn_sine(__ww::fabs(r));
    T value = from_bits(to_bits(size) | (turned & real<T>::sign));
    return huge_angle(x) ? quadrant_sine(x, 0) : value;
}
// Not a sine half a quarter on: near 0 that angle would be rounded twice.
template <class T>
__WW_MATH T cos(T x) {
    __WW_AS_WRITTEN
    int q;
    T r = less_half_turns(x, T(0.5) * nearest(x, T(0x1.45f306dc9c883p-1), q));
    T value = quadrant_value(quarter_turn_sine(r), quarter_turn_cosine(r), q + 1);
    return huge_angle(x) ? quadrant_sine(x, 1) : value;
}
template <class T>
__WW_MATH void sincos(T x, T* sine, T* cosine) {
    __WW_AS_WRITTEN
    int q;
    T r = less_half_turns(x, T(0.5) * nearest(x, T(0x1.45f306dc9c883p-1), q));
    T s = quarter_turn_sine(r), c = quarter_turn_cosine(r);
    s = x == T(0) ? x : s;
    *sine = huge_angle(x) ? quadrant_sine(x, 0) : quadrant_value(s, c, q);
    *cosine = huge_angle(x) ? quadrant_sine(x, 1) : quadrant_value(s, c, q + 1);
}
__WW_MATH float tan(float x) {
    __WW_AS_WRITTEN
    int q;
    float r = reduce(x, q);
    float s = sin_kernel(r, 0.0f), c = cos_kernel(r, 0.0f);
    float result = (q & 1) != 0 ? -c / s : s / c;
    return x == 0.0f ? x : result;
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
