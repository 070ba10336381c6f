// Functions of complex numbers. Branch cuts, zeros and infinities are those of C's Annex G; errors
// are a few eps of the absolute value of the result. Formulas have selects instead of branches.
// W. Kahan, "Branch Cuts for Complex Elementary Functions", 1987; the scaling of exponentials
// follows FreeBSD's msun.
#pragma once

#include "complex.cuh"
#include "real_functions.cuh"

// Of a real type: factors that keep squares and exponentials in range.
template <class T>
struct __ww_range {};
template <>
struct __ww_range<float> {
    static constexpr float huge = 0x1p124f, tiny = 0x1p-100f, up = 0x1p40f, log_up = 27.725887222f;
    static constexpr float wide = 0x1p13f;  // 1 / wide^2 is less than eps
    static constexpr float most_exp = 87.0f, exp_shift = 162.88958740234375f;
    static constexpr float exp_scale = 0x1p117f, sure_tanh = 11.0f;
};
template <>
struct __ww_range<double> {
    static constexpr double huge = 0x1p1020, tiny = 0x1p-960, up = 0x1p100,
                            log_up = 69.314718055994530942;
    static constexpr double wide = 0x1p27;
    static constexpr double most_exp = 708.0, exp_shift = 1246.97177782734161156;
    static constexpr double exp_scale = 0x1p899, sure_tanh = 22.0;
};

#define __WW_OF_RN(Name)                          \
    template <class T>                            \
    __WW_FUNCTION __ww_rn<T> Name(__ww_rn<T> a) { \
        return Name(a.value);                     \
    }
__WW_OF_RN(__ww_abs)
__WW_OF_RN(__ww_sqrt)
__WW_OF_RN(__ww_exp)
__WW_OF_RN(__ww_exp2)
__WW_OF_RN(__ww_expm1)
__WW_OF_RN(__ww_log)
__WW_OF_RN(__ww_log1p)
__WW_OF_RN(__ww_sin)
__WW_OF_RN(__ww_cos)
__WW_OF_RN(__ww_tan)
__WW_OF_RN(__ww_sinh)
__WW_OF_RN(__ww_cosh)
__WW_OF_RN(__ww_asinh)
#undef __WW_OF_RN
#define __WW_OF_RN(Name)                                        \
    template <class T>                                          \
    __WW_FUNCTION __ww_rn<T> Name(__ww_rn<T> a, __ww_rn<T> b) { \
        return Name(a.value, b.value);                          \
    }
__WW_OF_RN(__ww_atan2)
__WW_OF_RN(__ww_copysign)
__WW_OF_RN(__ww_hypot)
#undef __WW_OF_RN

// The greater of the parts' absolute values; not meant for NaN.
template <class T>
__WW_FUNCTION __ww_rn<T> __ww_greater_part(__ww_rn<T> x, __ww_rn<T> y) {
    const __ww_rn<T> a = __ww_abs(x), b = __ww_abs(y);
    return a < b ? b : a;
}
// log|x + iy|. Near the unit circle from |z|^2 - 1, which cancellation does not touch.
template <class T>
__WW_FUNCTION __ww_rn<T> __ww_log_abs(__ww_rn<T> x, __ww_rn<T> y) {
    typedef __ww_rn<T> R;
    typedef __ww_range<T> Range;
    const R a = __ww_abs(x), b = __ww_abs(y);
    const R most = a < b ? b : a, least = a < b ? a : b;
    const R square = (most - R(T(1))) * (most + R(T(1))) + least * least;
    const R near = R(T(0.5)) * __ww_log1p(square);
    const bool is_huge = most > R(Range::huge), is_tiny = most < R(Range::tiny);
    const R factor = is_huge ? T(1) / Range::up : is_tiny ? Range::up : T(1);
    const R more = is_huge ? Range::log_up : is_tiny ? -Range::log_up : T(0);
    const R far = __ww_log(__ww_hypot(x * factor, y * factor)) + more;
    return most >= R(T(0.5)) && most <= R(T(2)) && least <= most ? near : far;
}

__WW_COMPLEX __ww_log(__ww_complex<T> z) {
    const __ww_rn<T> x(z.re), y(z.im);
    return __ww_pair(__ww_log_abs(x, y), __ww_atan2(y, x));
}
// Times a factor that is a sum of two numbers: rounded once.
__WW_FUNCTION float __ww_times_sum(float a, float factor, float rest) {
    const float product = __fmul_rn(a, factor);
    const float missing = __fmaf_rn(a, rest, __fmaf_rn(a, factor, -product));
    return __ww_isfinite(product) && a != 0 ? __fadd_rn(product, missing) : product;
}
__WW_FUNCTION double __ww_times_sum(double a, double factor, double rest) {
    const double product = __dmul_rn(a, factor);
    const double missing = __fma_rn(a, rest, __fma_rn(a, factor, -product));
    return __ww_isfinite(product) && a != 0 ? __dadd_rn(product, missing) : product;
}
__WW_COMPLEX __ww_times_sum(__ww_complex<T> z, T factor, T rest) {
    return __ww_complex<T>{__ww_times_sum(z.re, factor, rest), __ww_times_sum(z.im, factor, rest)};
}
__WW_COMPLEX __ww_log2(__ww_complex<T> z) {
    const T rest = T(sizeof(T) == 8 ? 2.0355273740931033e-17 : 1.9259629911266175e-08);
    return __ww_times_sum(__ww_log(z), T(1.44269504088896340736), rest);
}
__WW_COMPLEX __ww_log10(__ww_complex<T> z) {
    const T rest = T(sizeof(T) == 8 ? 1.0983196502167651e-17 : -1.0103050052231683e-08);
    return __ww_times_sum(__ww_log(z), T(0.43429448190325182765), rest);
}
// Near 0 from |1 + z|^2 - 1 = x (x + 2) + y^2; elsewhere 1 + x rounds harmlessly.
__WW_COMPLEX __ww_log1p(__ww_complex<T> z) {
    typedef __ww_rn<T> R;
    const R x(z.re), y(z.im), one(T(1));
    const R near = R(T(0.5)) * __ww_log1p(x * (x + R(T(2))) + y * y);
    const bool is_near = __ww_abs(x) < R(T(0.5)) && __ww_abs(y) < R(T(0.5));
    return __ww_pair(is_near ? near : __ww_log_abs(one + x, y), __ww_atan2(y, one + x));
}

// e^x as factor * scale * scale: the factor times a sine may be in range where e^x is not.
template <class T>
struct __ww_scaled_exp {
    __ww_rn<T> factor, scale;
    __WW_FUNCTION __ww_scaled_exp(__ww_rn<T> x) {
        typedef __ww_range<T> Range;
        const bool is_large = x > __ww_rn<T>(Range::most_exp);
        factor = __ww_exp(is_large ? x - __ww_rn<T>(Range::exp_shift) : x);
        factor = is_large ? factor * __ww_rn<T>(T(2)) : factor;
        scale = is_large ? Range::exp_scale : T(1);
    }
    __WW_FUNCTION __ww_rn<T> times(__ww_rn<T> a) const { return factor * a * scale * scale; }
};

__WW_COMPLEX __ww_exp(__ww_complex<T> z) {
    typedef __ww_rn<T> R;
    const R x(z.re), y(z.im), zero(T(0));
    const __ww_scaled_exp<T> e(x);
    const bool is_finite = __ww_isfinite(z.im), is_infinite = __ww_isinf(z.re);
    const R re = e.times(__ww_cos(y));
    const R im = e.times(__ww_sin(y));
    const bool has_limit = is_infinite && !is_finite;  // 0, or an infinity of no direction
    const bool has_none = y == zero || (has_limit && x < zero);
    return __ww_pair(has_limit ? (x > zero ? x : zero) : re,
                     has_none ? (y == zero ? y : zero) : im);
}
// The angle y log(2) as a sum of two numbers: a rounded product alone is off by y eps.
__WW_FUNCTION float __ww_log_2_rest(float product, float y) {
    return __fmaf_rn(y, -1.904654e-9f, __fmaf_rn(y, 0.693147182f, -product));
}
__WW_FUNCTION double __ww_log_2_rest(double product, double y) {
    return __fma_rn(y, 2.3190468138462996e-17, __fma_rn(y, 0.69314718055994530942, -product));
}
__WW_COMPLEX __ww_exp2(__ww_complex<T> z) {
    typedef __ww_rn<T> R;
    const R x(z.re), y(z.im);
    const R angle = y * R(T(0.69314718055994530942));
    const R rest = __ww_isfinite(z.im) ? __ww_log_2_rest(angle.value, z.im) : T(0);
    const R cosine = __ww_cos(angle), sine = __ww_sin(angle);
    // The factor is 2^(x / 2) squared, since 2^x alone overflows where the product need not.
    const R root = __ww_exp2(x * R(T(0.5)));
    const R re = root * (cosine - rest * sine) * root;
    const R im = root * (sine + rest * cosine) * root;
    const bool has_limit = __ww_isinf(z.re) && !__ww_isfinite(z.im);
    const R zero(T(0));
    const bool has_none = y == zero || (has_limit && x < zero);
    return __ww_pair(has_limit ? (x > zero ? x : zero) : re,
                     has_none ? (y == zero ? y : zero) : im);
}
// exp(x) cos(y) - 1 = expm1(x) cos(y) - 2 sin(y/2)^2.
__WW_COMPLEX __ww_expm1(__ww_complex<T> z) {
    typedef __ww_rn<T> R;
    const R x(z.re), y(z.im), one(T(1));
    const __ww_complex<T> whole = __ww_exp(z);
    const R half = __ww_sin(y * R(T(0.5)));
    const R near = __ww_expm1(x) * __ww_cos(y) - R(T(2)) * half * half;
    return __ww_pair(__ww_abs(x) < one ? near : R(whole.re) - one, R(whole.im));
}

// The part that is a sum of positive numbers first, the other one by division.
__WW_COMPLEX __ww_sqrt(__ww_complex<T> z) {
    typedef __ww_rn<T> R;
    typedef __ww_range<T> Range;
    const R zero(T(0)), most = __ww_greater_part(R(z.re), R(z.im));
    const bool is_huge = most > R(Range::huge), is_tiny = most < R(Range::tiny);
    const R inward = is_huge ? T(0.25) : is_tiny ? Range::up : T(1);
    const R outward = is_huge ? T(2) : is_tiny ? __ww_sqrt(T(1) / Range::up) : T(1);
    const R x = R(z.re) * inward, y = R(z.im) * inward;
    const R root = __ww_sqrt((__ww_abs(x) + __ww_hypot(x, y)) * R(T(0.5)));
    const R other = y / (root + root);
    const bool is_right = x >= zero;
    const R re = (is_right ? root : x == x ? __ww_abs(other) : root) * outward;
    const R im = (is_right ? other : x == x ? __ww_copysign(root, y) : other) * outward;
    // `most` is the other part's where one is NaN.
    const bool is_zero = R(z.re) == zero && R(z.im) == zero;
    const bool is_infinite = __ww_isinf(z.im);
    return __ww_pair(is_infinite ? __ww_abs(R(z.im))
                     : is_zero   ? zero
                                 : re,
                     is_infinite || is_zero ? R(z.im) : im);
}

// The hyperbolic sine and cosine of a real number, with a factor of their own.
template <class T>
struct __ww_hyperbolics {
    __ww_rn<T> sinh, cosh, scale;
    __WW_FUNCTION __ww_hyperbolics(__ww_rn<T> x) {
        const __ww_scaled_exp<T> e(__ww_abs(x));
        const bool is_large = e.scale != __ww_rn<T>(T(1));
        const __ww_rn<T> half = e.factor * __ww_rn<T>(T(0.5));
        sinh = is_large ? __ww_copysign(half, x) : __ww_sinh(x);
        cosh = is_large ? half : __ww_cosh(x);
        scale = e.scale;
    }
};
__WW_COMPLEX __ww_cosh(__ww_complex<T> z) {
    typedef __ww_rn<T> R;
    const R x(z.re), y(z.im), zero(T(0));
    const __ww_hyperbolics<T> h(x);
    const bool has_limit = __ww_isinf(z.re) && !__ww_isfinite(z.im);
    const R re = h.cosh * __ww_cos(y) * h.scale * h.scale;
    const R im = h.sinh * __ww_sin(y) * h.scale * h.scale;
    // Of the signs of both where the product of a zero and an infinity would be NaN.
    const R none = __ww_copysign(zero, x) * __ww_copysign(R(T(1)), y);
    const bool has_none = y == zero || (x == zero && !__ww_isfinite(z.im));
    return __ww_pair(has_limit ? __ww_abs(x) : re, has_none ? none : im);
}
__WW_COMPLEX __ww_sinh(__ww_complex<T> z) {
    typedef __ww_rn<T> R;
    const R x(z.re), y(z.im), zero(T(0));
    const __ww_hyperbolics<T> h(x);
    const bool has_limit = __ww_isinf(z.re) && !__ww_isfinite(z.im);
    const R re = h.sinh * __ww_cos(y) * h.scale * h.scale;
    const R im = h.cosh * __ww_sin(y) * h.scale * h.scale;
    const bool is_none = x == zero && !__ww_isfinite(z.im);
    return __ww_pair(has_limit || is_none ? x : re, y == zero ? y : im);
}
// Kahan's formula; far from the imaginary axis the limit.
__WW_COMPLEX __ww_tanh(__ww_complex<T> z) {
    typedef __ww_rn<T> R;
    const R x(z.re), y(z.im), zero(T(0)), one(T(1));
    const R tangent = __ww_tan(y), sine = __ww_sinh(x), beta = one + tangent * tangent;
    const R divisor = one + beta * sine * sine;
    const R re = beta * __ww_sqrt(one + sine * sine) * sine / divisor;
    const R decay = __ww_exp(-__ww_abs(x));
    const R far = R(T(4)) * __ww_sin(y) * __ww_cos(y) * decay * decay;
    const bool is_far = __ww_abs(x) > R(__ww_range<T>::sure_tanh);
    const bool has_limit = __ww_isinf(z.re) && !__ww_isfinite(z.im);
    const R none = has_limit ? __ww_copysign(zero, y) : y;
    return __ww_pair(is_far      ? __ww_copysign(one, x)
                     : x == zero ? x
                                 : re,
                     has_limit || y == zero ? none
                     : is_far               ? far
                                            : tangent / divisor);
}

// f(z) = -i g(iz) for the circular functions.
__WW_COMPLEX __ww_times_i(__ww_complex<T> z) {
    return __ww_complex<T>{-z.im, z.re};
}
__WW_COMPLEX __ww_over_i(__ww_complex<T> z) {
    return __ww_complex<T>{z.im, -z.re};
}
__WW_COMPLEX __ww_sin(__ww_complex<T> z) {
    return __ww_over_i(__ww_sinh(__ww_times_i(z)));
}
__WW_COMPLEX __ww_cos(__ww_complex<T> z) {
    return __ww_cosh(__ww_times_i(z));
}
__WW_COMPLEX __ww_tan(__ww_complex<T> z) {
    return __ww_over_i(__ww_tanh(__ww_times_i(z)));
}

// For |z| beyond `wide` the inverse functions are log(2 |z|) and an angle.
template <class T>
__WW_FUNCTION bool __ww_is_wide(__ww_rn<T> x, __ww_rn<T> y) {
    const __ww_rn<T> wide(__ww_range<T>::wide);
    return __ww_abs(x) > wide || __ww_abs(y) > wide;
}
template <class T>
__WW_FUNCTION __ww_rn<T> __ww_log_twice(__ww_rn<T> x, __ww_rn<T> y) {
    return __ww_log_abs(x, y) + __ww_rn<T>(T(0.69314718055994530942));
}
// sqrt(1 - z) and sqrt(1 + z).
template <class T>
struct __ww_roots {
    __ww_rn<T> minus_re, minus_im, plus_re, plus_im;
    __WW_FUNCTION __ww_roots(__ww_complex<T> z) {
        const __ww_rn<T> x(z.re), one(T(1));
        const __ww_complex<T> minus = __ww_sqrt(__ww_pair(one - x, __ww_rn<T>(-z.im)));
        const __ww_complex<T> plus = __ww_sqrt(__ww_pair(one + x, __ww_rn<T>(z.im)));
        minus_re = minus.re;
        minus_im = minus.im;
        plus_re = plus.re;
        plus_im = plus.im;
    }
};
__WW_COMPLEX __ww_asin(__ww_complex<T> z) {
    const __ww_rn<T> x(z.re), y(z.im);
    const __ww_roots<T> s(z);
    const bool is_wide = __ww_is_wide(x, y);
    const __ww_rn<T> angle = __ww_atan2(x, s.minus_re * s.plus_re - s.minus_im * s.plus_im);
    const __ww_rn<T> im = __ww_asinh(s.minus_re * s.plus_im - s.minus_im * s.plus_re);
    return __ww_pair(is_wide        ? __ww_atan2(x, __ww_abs(y))
                     : z.re == T(0) ? x
                                    : angle,
                     is_wide ? __ww_copysign(__ww_log_twice(x, y), y) : im);
}
__WW_COMPLEX __ww_acos(__ww_complex<T> z) {
    typedef __ww_rn<T> R;
    const R x(z.re), y(z.im);
    const __ww_roots<T> s(z);
    const bool is_wide = __ww_is_wide(x, y);
    const R angle = R(T(2)) * __ww_atan2(s.minus_re, s.plus_re);
    const R im = __ww_asinh(s.plus_re * s.minus_im - s.plus_im * s.minus_re);
    const R right = R(T(1.57079632679489661923));
    return __ww_pair(is_wide        ? __ww_atan2(__ww_abs(y), x)
                     : z.re == T(0) ? right
                                    : angle,
                     is_wide ? __ww_copysign(__ww_log_twice(x, y), -y) : im);
}
__WW_COMPLEX __ww_acosh(__ww_complex<T> z) {
    typedef __ww_rn<T> R;
    const R x(z.re), y(z.im), one(T(1));
    const __ww_complex<T> minus = __ww_sqrt(__ww_pair(x - one, y));
    const __ww_complex<T> plus = __ww_sqrt(__ww_pair(x + one, y));
    const bool is_wide = __ww_is_wide(x, y);
    const R re = __ww_asinh(R(minus.re) * R(plus.re) + R(minus.im) * R(plus.im));
    const R angle = R(T(2)) * __ww_atan2(R(minus.im), R(plus.re));
    return __ww_pair(is_wide ? __ww_log_twice(x, y) : re,
                     is_wide        ? __ww_atan2(y, x)
                     : z.re == T(0) ? __ww_copysign(R(T(1.57079632679489661923)), y)
                                    : angle);
}
__WW_COMPLEX __ww_asinh(__ww_complex<T> z) {
    return __ww_over_i(__ww_asin(__ww_times_i(z)));
}

// In the first quadrant, then with the signs of z.
__WW_COMPLEX __ww_atanh(__ww_complex<T> z) {
    typedef __ww_rn<T> R;
    const R zero(T(0)), one(T(1)), x = __ww_abs(R(z.re)), y = __ww_abs(R(z.im));
    const R most = x < y ? y : x, least = x < y ? x : y, ratio = least / most;
    const bool is_wide = __ww_is_wide(x, y);
    const bool is_infinite = __ww_isinf(z.re) || __ww_isinf(z.im);
    const R across = (one - x) * (one - x) + y * y;
    const R re = R(T(0.25)) * __ww_log1p(R(T(4)) * x / across);
    const R far = x / most / most / (one + ratio * ratio);  // of 1 / z
    const R far_angle = y / most / most / (one + ratio * ratio);
    const bool is_pole = x == one && y < one / R(__ww_range<T>::wide);
    const R pole = (R(T(0.69314718055994530942)) - __ww_log(y)) * R(T(0.5));
    const R angle = R(T(0.5)) * __ww_atan2(y + y, (one - x) * (one + x) - y * y);
    const R right = R(T(1.57079632679489661923)) - far_angle;
    const R limit = y == y ? R(T(1.57079632679489661923)) : y;
    const R size = is_infinite || x == zero ? zero : is_wide ? far : is_pole ? pole : re;
    return __ww_pair(__ww_copysign(size, R(z.re)), __ww_copysign(is_infinite ? limit
                                                                 : is_wide   ? right
                                                                             : angle,
                                                                 R(z.im)));
}
__WW_COMPLEX __ww_atan(__ww_complex<T> z) {
    return __ww_over_i(__ww_atanh(__ww_times_i(z)));
}

// The product of `times` equal factors; at least one.
__WW_COMPLEX __ww_repeated(__ww_complex<T> a, int times) {
    __ww_complex<T> result = a;
    bool is_set = false;
    for (; times != 0; times >>= 1) {
        const __ww_complex<T> product = is_set ? __ww_multiply(result, a) : a;
        const bool takes = (times & 1) != 0;
        result = takes ? product : result;
        is_set = is_set || takes;
        a = __ww_square(a);
    }
    return result;
}
// Small whole exponents by multiplication, as NumPy; others by exp(b log(a)).
__WW_COMPLEX __ww_pow(__ww_complex<T> a, __ww_complex<T> b) {
    const T size = __ww_abs(b.re);
    const bool is_whole = b.im == T(0) && size < T(100) && size == __ww_trunc(size);
    const bool is_zero = a.re == T(0) && a.im == T(0);
    const __ww_complex<T> one{T(1), T(0)};
    if (is_whole && size == T(0)) return one;
    if (is_zero) {
        const T zero = b.re > T(0) ? T(0) : __ww_divide(T(0), T(0));
        return __ww_complex<T>{zero, zero};
    }
    if (!is_whole) return __ww_exp(__ww_multiply(b, __ww_log(a)));
    const __ww_complex<T> power = __ww_repeated(a, (int)size);
    return b.re < T(0) ? __ww_divide(one, power) : power;
}
