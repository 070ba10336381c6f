// Complex numbers as elements of arrays, and their arithmetic: products as NumPy's, without C's
// recovery of infinities; quotients by Smith's method, as NumPy's. Errors are within 4 eps of the
// absolute value of the result.
#pragma once

#include "casts.cuh"
#include "comparisons.cuh"
#include "reals.cuh"

template <class T>
struct alignas(2 * sizeof(T)) __ww_complex {
    T re, im;
};

// A real number whose operators round to nearest and are never contracted.
template <class T>
struct __ww_rn {
    T value;
    __ww_rn() = default;
    __WW_FUNCTION __ww_rn(T a) : value(a) {}
#define __WW_OPERATOR(Type, Operator, Result) \
    friend __WW_FUNCTION Type operator Operator(__ww_rn a, __ww_rn b) { return Result; }
    __WW_OPERATOR(__ww_rn, +, __ww_add(a.value, b.value))
    __WW_OPERATOR(__ww_rn, -, __ww_subtract(a.value, b.value))
    __WW_OPERATOR(__ww_rn, *, __ww_multiply(a.value, b.value))
    __WW_OPERATOR(__ww_rn, /, __ww_divide(a.value, b.value))
    __WW_OPERATOR(bool, ==, a.value == b.value)
    __WW_OPERATOR(bool, !=, a.value != b.value)
    __WW_OPERATOR(bool, <, a.value < b.value)
    __WW_OPERATOR(bool, <=, a.value <= b.value)
    __WW_OPERATOR(bool, >, a.value > b.value)
    __WW_OPERATOR(bool, >=, a.value >= b.value)
#undef __WW_OPERATOR
    friend __WW_FUNCTION __ww_rn operator-(__ww_rn a) { return -a.value; }
};
template <class T>
__WW_FUNCTION __ww_complex<T> __ww_pair(__ww_rn<T> re, __ww_rn<T> im) {
    return __ww_complex<T>{re.value, im.value};
}
#define __WW_COMPLEX   \
    template <class T> \
    __WW_FUNCTION __ww_complex<T>

template <class T>
__WW_FUNCTION bool operator==(__ww_complex<T> a, __ww_complex<T> b) {
    return a.re == b.re && a.im == b.im;
}
template <class T>
__WW_FUNCTION bool operator!=(__ww_complex<T> a, __ww_complex<T> b) {
    return !(a == b);
}

// Conversions: to real kinds the real part, to bool whether either part is not zero.
template <class T>
struct __ww_to<__ww_complex<T>> {
    template <class From>
    static __WW_FUNCTION __ww_complex<T> from(From a) {
        return __ww_complex<T>{__ww_to<T>::from(a), T(0)};
    }
};
template <class To>
struct __ww_of_complex {
    template <class T>
    static __WW_FUNCTION To from(__ww_complex<T> a) {
        return __ww_to<To>::from(a.re);
    }
};
template <>
struct __ww_of_complex<bool> {
    template <class T>
    static __WW_FUNCTION bool from(__ww_complex<T> a) {
        return a.re != T(0) || a.im != T(0);
    }
};
template <class Real>
struct __ww_of_complex<__ww_complex<Real>> {
    template <class T>
    static __WW_FUNCTION __ww_complex<Real> from(__ww_complex<T> a) {
        return __ww_complex<Real>{(Real)a.re, (Real)a.im};
    }
};
template <class To, class T>
__WW_FUNCTION To __ww_cast(__ww_complex<T> a) {
    return __ww_of_complex<To>::from(a);
}

__WW_COMPLEX __ww_positive(__ww_complex<T> a) {
    return a;
}
__WW_COMPLEX __ww_negative(__ww_complex<T> a) {
    return __ww_complex<T>{-a.re, -a.im};
}
__WW_COMPLEX __ww_conj(__ww_complex<T> a) {
    return __ww_complex<T>{a.re, -a.im};
}
__WW_COMPLEX __ww_round(__ww_complex<T> a) {
    return __ww_complex<T>{__ww_round(a.re), __ww_round(a.im)};
}
__WW_COMPLEX __ww_add(__ww_complex<T> a, __ww_complex<T> b) {
    return __ww_complex<T>{__ww_add(a.re, b.re), __ww_add(a.im, b.im)};
}
__WW_COMPLEX __ww_subtract(__ww_complex<T> a, __ww_complex<T> b) {
    return __ww_complex<T>{__ww_subtract(a.re, b.re), __ww_subtract(a.im, b.im)};
}
__WW_COMPLEX __ww_multiply(__ww_complex<T> a, __ww_complex<T> b) {
    const __ww_rn<T> x(a.re), y(a.im), u(b.re), v(b.im);
    return __ww_pair(x * u - y * v, x * v + y * u);
}
__WW_COMPLEX __ww_square(__ww_complex<T> a) {
    return __ww_multiply(a, a);
}

// By the ratio of the divisor's parts, the lesser to the greater. By zero, the parts are divided by
// a positive zero.
__WW_COMPLEX __ww_divide(__ww_complex<T> a, __ww_complex<T> b) {
    typedef __ww_rn<T> R;
    const bool is_real_greater = __ww_abs(b.re) >= __ww_abs(b.im);
    const R greater = is_real_greater ? b.re : b.im;
    const R lesser = is_real_greater ? b.im : b.re;
    const R first = is_real_greater ? a.re : a.im;
    const R second = is_real_greater ? a.im : a.re;
    const R ratio = lesser / greater;
    const R divisor = greater + lesser * ratio;
    const R across = first * ratio;
    const R re = (first + second * ratio) / divisor;
    const R im = (is_real_greater ? second - across : across - second) / divisor;
    const bool by_zero = b.re == T(0) && b.im == T(0);
    return __ww_pair(by_zero ? R(a.re) / R(T(0)) : re, by_zero ? R(a.im) / R(T(0)) : im);
}
__WW_COMPLEX __ww_reciprocal(__ww_complex<T> a) {
    typedef __ww_rn<T> R;
    const bool is_real_greater = __ww_abs(a.re) >= __ww_abs(a.im);
    const R greater = is_real_greater ? a.re : a.im;
    const R ratio = (is_real_greater ? R(a.im) : R(a.re)) / greater;
    const R divisor = greater + (is_real_greater ? R(a.im) : R(a.re)) * ratio;
    const R one = R(T(1)) / divisor;
    const R part = ratio / divisor;
    return is_real_greater ? __ww_pair(one, -part) : __ww_pair(part, -one);
}

__WW_FUNCTION float __ww_length(__ww_complex<float> a) {
    return hypotf(a.re, a.im);
}
__WW_FUNCTION double __ww_length(__ww_complex<double> a) {
    return hypot(a.re, a.im);
}
template <class T>
__WW_FUNCTION T __ww_real(__ww_complex<T> a) {
    return a.re;
}
template <class T>
__WW_FUNCTION T __ww_imag(__ww_complex<T> a) {
    return a.im;
}
template <class T>
__WW_FUNCTION T __ww_abs(__ww_complex<T> a) {
    return __ww_length(a);
}
template <class T>
__WW_FUNCTION bool __ww_isnan(__ww_complex<T> a) {
    return __ww_isnan(a.re) || __ww_isnan(a.im);
}
template <class T>
__WW_FUNCTION bool __ww_isinf(__ww_complex<T> a) {
    return __ww_isinf(a.re) || __ww_isinf(a.im);
}
template <class T>
__WW_FUNCTION bool __ww_isfinite(__ww_complex<T> a) {
    return __ww_isfinite(a.re) && __ww_isfinite(a.im);
}
// The direction: of one infinite part its sign, of two none.
template <class T>
__WW_FUNCTION T __ww_sign_beside_infinity(T a) {
    return __ww_isinf(a) ? __ww_copysign(T(1), a) : T(0);
}
__WW_COMPLEX __ww_sign(__ww_complex<T> a) {
    const T size = __ww_length(a);
    const bool is_infinite = __ww_isinf(size), is_zero = size == T(0);
    const T re = is_infinite ? __ww_sign_beside_infinity(a.re) : __ww_divide(a.re, size);
    const T im = is_infinite ? __ww_sign_beside_infinity(a.im) : __ww_divide(a.im, size);
    const bool has_none = __ww_isinf(a.re) && __ww_isinf(a.im);
    const T none = has_none ? __ww_subtract(size, size) : size;
    if (has_none || size != size) return __ww_complex<T>{none, none};
    return __ww_complex<T>{is_zero ? T(0) : re, is_zero ? T(0) : im};
}
