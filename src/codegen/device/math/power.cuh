// pow, cbrt and its inverse, square roots of sums of squares.
#pragma once

#include "exponential.cuh"
#include "logarithm.cuh"

namespace __ww {

// C's special cases of pow around `magnitude` = |x|^y as computed for finite, non-zero x and y.
// Without the branches of && and ||.
template <class T>
__WW_MATH T pow_special(T x, T y, T magnitude) {
    __WW_AS_WRITTEN
    T ax = __ww::fabs(x), half = T(0.5) * y, whole_half = trunc(half);
    bool x_finite = is_finite(x), y_finite = is_finite(y);
    bool y_integer = trunc(y) == y;
    bool y_odd = y_integer & (whole_half != half) & y_finite;
    T one_side = (ax < T(1)) == (y < T(0)) ? infinity<T>() : T(0);  // x^inf, 0^y, inf^y
    bool at_edge = (ax == T(0)) | !x_finite | !y_finite;
    bool is_undefined = (x < T(0)) & !y_integer & x_finite;
    bool is_one = (x == T(1)) | (y == T(0)) | ((ax == T(1)) & (y == y) & !y_finite);
    bool is_nan = (x != x) | (y != y);
    T result = at_edge ? one_side : magnitude;
    result = is_undefined ? quiet_nan<T>() : result;
    T signed_result = copysign(result, x), sum = x + y;
    result = y_odd ? signed_result : result;
    result = is_nan ? sum : result;
    return is_one ? T(1) : result;
}

__WW_MATH double pow(double x, double y) {
    __WW_AS_WRITTEN
    pair l = log_pair(__ww::fabs(x));
    // Beyond 2^64 only the sign of log x counts; the clamp keeps products finite.
    double bounded = clamp_exponent(y, -0x1p64, 0x1p64);
    pair p = multiply(l, bounded);
    bool inside = p.hi > -746.0 && p.hi < 710.0;
    int k;
    pair e = exp_reduced(clamp_exponent(p.hi, -746.0, 710.0), inside ? p.lo : 0.0, k);
    return pow_special(x, y, scale(e.hi + e.lo, k));
}
// By way of double, with polynomials that leave 35 bits.
__WW_MATH float pow(float x, float y) {
    __WW_AS_WRITTEN
    int k;
    double log_m = log_of_split(split_exponent(static_cast<double>(__ww::fabs(x)), k) - 1.0);
    double l = __ww::fma(log_m, 0x1.71547652b82fep+0, static_cast<double>(k));
    double p = clamp_exponent(l * static_cast<double>(y), -200.0, 200.0);
    return pow_special(x, y, static_cast<float>(exp2_for_float(p)));
}

__WW_MATH double cbrt_guess(double x) {
    unsigned int third = static_cast<unsigned int>(to_bits(x) >> 32) / 3u + 715094163u;
    return from_bits(static_cast<unsigned long long>(third) << 32);
}
__WW_MATH double cbrt_step(double y, double x) {
    __WW_AS_WRITTEN
    double cube = y * y * y;
    return y - y * (cube - x) / (2.0 * cube + x);
}
__WW_MATH double cbrt(double x) {
    __WW_AS_WRITTEN
    double a = __ww::fabs(x);
    bool tiny = a < 0x1p-1022;
    a = tiny ? a * 0x1p54 : a;
    unsigned long long bits = to_bits(a);
    // Exponent e = 3 q + rest: m = a / 2^(3q) lies in [1, 8).
    int e = static_cast<int>(bits >> 52) - 1023;
    int q = (e + 3072) / 3 - 1024;
    double m = a * power_of_two<double>(-q) * power_of_two<double>(-q) * power_of_two<double>(-q);
    // A third of the upper word is a third of the logarithm, within 3 %; each Halley step triples
    // the good bits.
    double y = cbrt_guess(m);
    y = cbrt_step(y, m);
    y = cbrt_step(y, m);
    y = cbrt_step(y, m);
    // One Newton step with the cube exact to twice the bits.
    pair square = two_product(y, y);
    double rest = __ww::fma(-square.hi, y, m) - square.lo * y;
    y = y + rest / (3.0 * square.hi);
    double result = y * power_of_two<double>(tiny ? q - 18 : q);
    return x == 0.0 || !is_finite(x) ? x + x : copysign(result, x);
}
// By way of double, where no float is denormal.
__WW_MATH float cbrt(float x) {
    __WW_AS_WRITTEN
    double a = static_cast<double>(__ww::fabs(x));
    double y = cbrt_step(cbrt_step(cbrt_guess(a), a), a);
    return is_finite(x) ? copysign(static_cast<float>(y), x) : x + x;
}

// 1 / sqrt(s.hi + s.lo), rounded nearly right.
__WW_MATH double rsqrt_pair(pair s) {
    __WW_AS_WRITTEN
    double y = 1.0 / __ww::sqrt(s.hi);
    pair square = two_product(y, y);
    double rest = __ww::fma(-square.hi, s.hi, 1.0);
    rest = rest - __ww::fma(square.lo, s.hi, square.hi * s.lo);
    return __ww::fma(0.5 * y, rest, y);
}
__WW_MATH double rsqrt(double x) {
    __WW_AS_WRITTEN
    bool tiny = x < 0x1p-1000;
    bool huge = x > 0x1p1000;
    double scaled = x * (tiny ? 0x1p200 : huge ? 0x1p-200 : 1.0);
    double y = rsqrt_pair(pair{scaled, 0.0}) * (tiny ? 0x1p100 : huge ? 0x1p-100 : 1.0);
    return x > 0.0 && is_finite(x) ? y : 1.0 / __ww::sqrt(x);
}
__WW_MATH float rsqrt(float x) {
    __WW_AS_WRITTEN
    return 1.0f / __ww::sqrt(x);
}
__WW_MATH double rcbrt(double x) {
    __WW_AS_WRITTEN
    // Away from the ends of the range, so that the cube below neither over- nor underflows.
    bool tiny = __ww::fabs(x) < 0x1p-600, huge = __ww::fabs(x) > 0x1p600;
    double scaled = x * (tiny ? 0x1p600 : huge ? 0x1p-600 : 1.0);
    double y = 1.0 / __ww::cbrt(scaled);
    // Newton's step for y^-3 = x takes out what the two roundings left.
    pair square = two_product(y, y);
    pair cube = multiply(square, y);
    double rest = __ww::fma(-cube.hi, scaled, 1.0) - cube.lo * scaled;
    double result = is_finite(x) && x != 0.0 ? __ww::fma(y * (1.0 / 3.0), rest, y) : y;
    return result * (tiny ? 0x1p200 : huge ? 0x1p-200 : 1.0);
}
__WW_MATH float rcbrt(float x) {
    return static_cast<float>(__ww::rcbrt(static_cast<double>(x)));
}

// Sum of squares as a pair, of numbers scaled by a power of two so that nothing over- or
// underflows.
struct scaled_norm {
    pair sum;
    double factor;  // multiplies the square root, a power of two
    bool infinite;
    bool zero;
};
__WW_MATH double larger(double a, double b) {
    return a < b ? b : a;
}
__WW_MATH pair add_square(pair sum, double x) {
    __WW_AS_WRITTEN
    pair square = two_product(x, x);
    return add(sum, square);
}
__WW_MATH scaled_norm norm_of(double a, double b, double c, double d) {
    __WW_AS_WRITTEN
    double top = larger(larger(__ww::fabs(a), __ww::fabs(b)), larger(__ww::fabs(c), __ww::fabs(d)));
    scaled_norm n;
    n.infinite = top == infinity<double>() || __ww::fabs(a) == infinity<double>() ||
                 __ww::fabs(b) == infinity<double>() || __ww::fabs(c) == infinity<double>() ||
                 __ww::fabs(d) == infinity<double>();
    n.zero = a == 0.0 && b == 0.0 && c == 0.0 && d == 0.0;
    bool large = top > 0x1p500;
    bool small = top < 0x1p-450;
    double down = large ? 0x1p-600 : small ? 0x1p600 : 1.0;
    n.factor = large ? 0x1p600 : small ? 0x1p-600 : 1.0;
    pair sum = two_product(a * down, a * down);
    sum = add_square(sum, b * down);
    sum = add_square(sum, c * down);
    n.sum = add_square(sum, d * down);
    return n;
}
__WW_MATH double norm_root(scaled_norm n) {
    __WW_AS_WRITTEN
    double root = __ww::sqrt(n.sum.hi);
    root = root + (n.zero ? 0.0 : (__ww::fma(-root, root, n.sum.hi) + n.sum.lo) / (2.0 * root));
    return n.infinite ? infinity<double>() : root * n.factor;
}
__WW_MATH double norm_inverse(scaled_norm n) {
    __WW_AS_WRITTEN
    double result = n.zero ? infinity<double>() : rsqrt_pair(n.sum) / n.factor;
    return n.infinite ? 0.0 : result;
}

__WW_MATH double hypot(double x, double y) {
    return norm_root(norm_of(x, y, 0.0, 0.0));
}
__WW_MATH double rhypot(double x, double y) {
    return norm_inverse(norm_of(x, y, 0.0, 0.0));
}
__WW_MATH double norm3d(double x, double y, double z) {
    return norm_root(norm_of(x, y, z, 0.0));
}
__WW_MATH double rnorm3d(double x, double y, double z) {
    return norm_inverse(norm_of(x, y, z, 0.0));
}
__WW_MATH double norm4d(double x, double y, double z, double w) {
    return norm_root(norm_of(x, y, z, w));
}
__WW_MATH double rnorm4d(double x, double y, double z, double w) {
    return norm_inverse(norm_of(x, y, z, w));
}

// Squares of floats are exact in double and cannot overflow there.
__WW_MATH double float_norm(float x, float y, float z, float w) {
    __WW_AS_WRITTEN
    double a = x, b = y, c = z, d = w;
    double root = __ww::sqrt(__ww::fma(a, a, __ww::fma(b, b, __ww::fma(c, c, d * d))));
    float top = infinity<float>();
    bool infinite = __ww::fabs(x) == top || __ww::fabs(y) == top || __ww::fabs(z) == top ||
                    __ww::fabs(w) == top;
    return infinite ? infinity<double>() : root;
}
__WW_MATH float hypot(float x, float y) {
    return static_cast<float>(float_norm(x, y, 0, 0));
}
__WW_MATH float rhypot(float x, float y) {
    __WW_AS_WRITTEN
    return static_cast<float>(1.0 / float_norm(x, y, 0, 0));
}
__WW_MATH float norm3d(float x, float y, float z) {
    return static_cast<float>(float_norm(x, y, z, 0));
}
__WW_MATH float rnorm3d(float x, float y, float z) {
    __WW_AS_WRITTEN
    return static_cast<float>(1.0 / float_norm(x, y, z, 0));
}
__WW_MATH float norm4d(float x, float y, float z, float w) {
    return static_cast<float>(float_norm(x, y, z, w));
}
__WW_MATH float rnorm4d(float x, float y, float z, float w) {
    __WW_AS_WRITTEN
    return static_cast<float>(1.0 / float_norm(x, y, z, w));
}

// Norms of vectors of any length; overflow is avoided by scaling with the largest component.
template <class T>
__WW_MATH_LARGE T norm(int count, const T* values) {
    __WW_AS_WRITTEN
    double top = 0.0;
    bool infinite = false;
    for (int i = 0; i < count; ++i) {
        double a = __ww::fabs(static_cast<double>(values[i]));
        infinite = infinite || a == infinity<double>();
        top = larger(top, a);
    }
    double down = top > 0x1p500 ? 0x1p-600 : top < 0x1p-450 ? 0x1p600 : 1.0;
    pair sum{0.0, 0.0};
    for (int i = 0; i < count; ++i) sum = add_square(sum, static_cast<double>(values[i]) * down);
    scaled_norm n{sum, 1.0 / down, infinite, sum.hi == 0.0};
    return static_cast<T>(norm_root(n));
}

}  // namespace __ww
