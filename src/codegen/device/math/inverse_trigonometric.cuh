// atan, atan2, asin, acos. The arc tangent of a quotient needs one division: a ratio above
// tan(pi/8) becomes (a - b) / (a + b) plus pi/4. asin beyond 1/2 goes through the half angle.
#pragma once

#include "base.cuh"

namespace __ww {

__WW_MATH float atan_rest(float t) {
    __WW_AS_WRITTEN
    float z = t * t;
    return t * z *
           polynomial(z, -0x1.55554ap-2f, 0x1.9991ep-3f, -0x1.23b966p-3f, 0x1.b21fd8p-4f,
                      -0x1.f2cb04p-5f);
}
__WW_MATH double atan_rest(double t) {
    __WW_AS_WRITTEN
    double z = t * t;
    return t * z *
           polynomial(z, -0x1.5555555555554p-2, 0x1.9999999999584p-3, -0x1.249249246f58dp-3,
                      0x1.c71c71b458d6bp-4, -0x1.745d14504a7c5p-4, 0x1.3b1364f0a0739p-4,
                      -0x1.110beb828a37bp-4, 0x1.e167bcc00a58dp-5, -0x1.ab3bffdfd14ddp-5,
                      0x1.6fe530a84a4e2p-5, -0x1.0fd610f74830bp-5, 0x1.e850644461cc1p-7);
}

// The angle of (x, y) in the first octant or beyond: atan(y / x) for x, y >= 0, not both 0.
__WW_MATH float first_quadrant(float y, float x) {
    __WW_AS_WRITTEN
    bool steep = y > x;
    float a = steep ? x : y, b = steep ? y : x;
    bool middle = a > 0.41421357f * b;
    float t = (middle ? a - b : a) / (middle ? a + b : b);
    float base = middle ? 0x1.921fb6p-1f : 0.0f;
    float low = middle ? -0x1.777a5cp-26f : 0.0f;
    float angle = base + (t + (low + atan_rest(t)));
    return steep ? 0x1.921fb6p+0f - (angle + 0x1.777a5cp-25f) : angle;
}
__WW_MATH double first_quadrant(double y, double x) {
    __WW_AS_WRITTEN
    bool steep = y > x;
    double a = steep ? x : y, b = steep ? y : x;
    bool middle = a > 0.41421356237309503 * b;
    double num = middle ? a - b : a, den = middle ? a + b : b;
    double t = num / den;
    double base = middle ? 0x1.921fb54442d18p-1 : 0.0;
    double low = middle ? 0x1.1a62633145c07p-55 : 0.0;
    double rest = low + atan_rest(t);
    pair angle = two_sum(base, t);
    angle.lo += rest;
    double steep_low = 0x1.1a62633145c07p-54 - angle.lo;
    return steep ? 0x1.921fb54442d18p+0 - (angle.hi - steep_low) : angle.hi + angle.lo;
}

__WW_MATH float atan(float x) {
    __WW_AS_WRITTEN
    float a = __ww::fabs(x);
    float angle = first_quadrant(a, 1.0f);
    return copysign(a == infinity<float>() ? 0x1.921fb6p+0f : angle, x);
}
__WW_MATH double atan(double x) {
    __WW_AS_WRITTEN
    double a = __ww::fabs(x);
    double angle = first_quadrant(a, 1.0);
    return copysign(a == infinity<double>() ? 0x1.921fb54442d18p+0 : angle, x);
}

// Quadrants and special cases around `angle`, that of (|x|, |y|).
template <class T>
__WW_MATH T larger_of(T a, T b) {
    return a < b ? b : a;
}
template <class T>
__WW_MATH T atan2_special(T y, T x, T angle, T half_pi, T pi, T pi_low) {
    __WW_AS_WRITTEN
    T ax = __ww::fabs(x), ay = __ww::fabs(y);
    T top = infinity<T>();
    angle = ay == T(0) ? T(0) : angle;
    angle = ay == top && ax != top ? half_pi : angle;
    angle = ax == top && ay != top ? T(0) : angle;
    angle = ax == top && ay == top ? T(0.5) * half_pi : angle;
    bool behind = (to_bits(x) & real<T>::sign) != 0;
    angle = behind ? pi - (angle - pi_low) : angle;
    return x != x || y != y ? x + y : copysign(angle, y);
}
__WW_MATH float atan2(float y, float x) {
    __WW_AS_WRITTEN
    float ax = __ww::fabs(x), ay = __ww::fabs(y);
    // Halving near the top keeps a + b finite; scaling up the tiny keeps quotients exact.
    float top = larger_of(ax, ay);
    float f = top > 0x1p120f ? 0x1p-10f : top < 0x1p-100f ? 0x1p26f : 1.0f;
    return atan2_special(y, x, first_quadrant(ay * f, ax * f), 0x1.921fb6p+0f, 0x1.921fb6p+1f,
                         -0x1.777a5cp-24f);
}
__WW_MATH double atan2(double y, double x) {
    __WW_AS_WRITTEN
    double ax = __ww::fabs(x), ay = __ww::fabs(y);
    double top = larger_of(ax, ay);
    double f = top > 0x1p1000 ? 0x1p-10 : top < 0x1p-900 ? 0x1p60 : 1.0;
    return atan2_special(y, x, first_quadrant(ay * f, ax * f), 0x1.921fb54442d18p+0,
                         0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53);
}

// asin(x) - x for |x| <= 1/2 and z = x^2.
__WW_MATH float asin_rest(float x, float z) {
    __WW_AS_WRITTEN
    return x * z *
           polynomial(z, 0x1.55554cp-3f, 0x1.3338acp-4f, 0x1.6ca758p-5f, 0x1.04d2f2p-5f,
                      0x1.d51a2ep-7f, 0x1.34ccfcp-5f);
}
__WW_MATH double asin_rest(double x, double z) {
    __WW_AS_WRITTEN
    return x * z *
           polynomial(z, 0x1.5555555555577p-3, 0x1.333333332e131p-4, 0x1.6db6db7212696p-5,
                      0x1.f1c71a94f1f87p-6, 0x1.6e8bdee06240bp-6, 0x1.1c49f05a0f376p-6,
                      0x1.ca1f8dbbdad1fp-7, 0x1.758586fd05a5ap-7, 0x1.613c9c9f31eb1p-7,
                      0x1.e5f484b9a6437p-9, 0x1.639cc4b3fa316p-6, -0x1.57fdf4e429be1p-6,
                      0x1.0b46e44853d58p-5);
}

// The root of z to twice the bits: s, and what is missing to it.
template <class T>
__WW_MATH T root_rest(T s, T z) {
    __WW_AS_WRITTEN
    return s == T(0) ? T(0) : __ww::fma(-s, s, z) / (T(2) * s);
}

template <class T>
__WW_MATH T asin_any(T x, T half_pi, T half_pi_low) {
    __WW_AS_WRITTEN
    T a = __ww::fabs(x);
    bool outer = a > T(0.5);
    T z = outer ? __ww::fma(T(-0.5), a, T(0.5)) : a * a;
    T s = outer ? __ww::sqrt(z) : a;
    T rest = asin_rest(s, z);
    T low = outer ? root_rest(s, z) : T(0);
    // pi/2 - 2 (s + low + rest), the large parts first.
    T angle = half_pi - T(2) * s;
    T lost = (half_pi - angle) - T(2) * s;
    T far = angle + (lost + (half_pi_low - T(2) * (low + rest)));
    return copysign(outer ? far : s + rest, x);
}
template <class T>
__WW_MATH T acos_any(T x, T half_pi, T half_pi_low) {
    __WW_AS_WRITTEN
    T a = __ww::fabs(x);
    bool outer = a > T(0.5);
    T z = outer ? __ww::fma(T(-0.5), a, T(0.5)) : x * x;
    T s = outer ? __ww::sqrt(z) : x;
    T rest = asin_rest(s, z);
    T low = outer ? root_rest(s, z) : T(0);
    T near = T(2) * (s + (low + rest));
    T angle = half_pi - s;
    T lost = (half_pi - angle) - s;
    T inner = angle + (lost + (half_pi_low - rest));
    T far = T(2) * (angle + (lost + (half_pi_low - (low + rest))));
    return outer ? (x > T(0) ? near : far) : inner;
}
__WW_MATH float asin(float x) {
    return asin_any(x, 0x1.921fb6p+0f, -0x1.777a5cp-25f);
}
__WW_MATH float acos(float x) {
    return acos_any(x, 0x1.921fb6p+0f, -0x1.777a5cp-25f);
}
__WW_MATH double asin(double x) {
    return asin_any(x, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54);
}
__WW_MATH double acos(double x) {
    return acos_any(x, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54);
}

}  // namespace __ww
