// Complex numbers.
#pragma once

#include "floats.cuh"

template <class T>
struct alignas(2 * sizeof(T)) __ww_py_complex {
    T real, imag;

    friend __WW_PY __ww_py_complex operator+(__ww_py_complex a, __ww_py_complex b) {
        return {a.real + b.real, a.imag + b.imag};
    }
    friend __WW_PY __ww_py_complex operator-(__ww_py_complex a, __ww_py_complex b) {
        return {a.real - b.real, a.imag - b.imag};
    }
    friend __WW_PY __ww_py_complex operator-(__ww_py_complex a) { return {-a.real, -a.imag}; }
    friend __WW_PY __ww_py_complex operator*(__ww_py_complex a, __ww_py_complex b) {
        return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
    }
    // R. L. Smith's method, as CPython's.
    friend __WW_PY __ww_py_complex operator/(__ww_py_complex a, __ww_py_complex b) {
        if (__ww_py_abs(b.real) >= __ww_py_abs(b.imag)) {
            const T ratio = b.imag / b.real, divisor = b.real + b.imag * ratio;
            return {(a.real + a.imag * ratio) / divisor, (a.imag - a.real * ratio) / divisor};
        }
        const T ratio = b.real / b.imag, divisor = b.real * ratio + b.imag;
        return {(a.real * ratio + a.imag) / divisor, (a.imag * ratio - a.real) / divisor};
    }
    friend __WW_PY bool operator==(__ww_py_complex a, __ww_py_complex b) {
        return a.real == b.real && a.imag == b.imag;
    }
    friend __WW_PY bool operator!=(__ww_py_complex a, __ww_py_complex b) { return !(a == b); }
    // NumPy's order: of the real parts, then of the imaginary ones.
    friend __WW_PY bool operator<(__ww_py_complex a, __ww_py_complex b) {
        const bool is_less = a.real < b.real && a.imag == a.imag && b.imag == b.imag;
        return is_less || (a.real == b.real && a.imag < b.imag);
    }
    friend __WW_PY bool operator<=(__ww_py_complex a, __ww_py_complex b) { return a < b || a == b; }
    friend __WW_PY bool operator>(__ww_py_complex a, __ww_py_complex b) { return b < a; }
    friend __WW_PY bool operator>=(__ww_py_complex a, __ww_py_complex b) { return b <= a; }
};

template <class T>
__WW_PY T __ww_py_abs(__ww_py_complex<T> a) {
    return ::hypot(a.real, a.imag);
}
template <class T>
__WW_PY __ww_py_complex<T> __ww_py_conjugate(__ww_py_complex<T> a) {
    return {a.real, -a.imag};
}
template <class T>
__WW_PY __ww_py_complex<T> __ww_py_pow(__ww_py_complex<T> a, __ww_py_complex<T> b) {
    if (b.real == 0 && b.imag == 0) return {1, 0};
    if (a.real == 0 && a.imag == 0) return {0, 0};
    // Small whole exponents exactly, as CPython does.
    const long long whole = (long long)b.real;
    if (b.imag == 0 && (T)whole == b.real && whole >= -100 && whole <= 100) {
        __ww_py_complex<T> result{1, 0}, factor = a;
        for (long long rest = whole < 0 ? -whole : whole; rest != 0; rest >>= 1) {
            if (rest & 1) result = result * factor;
            factor = factor * factor;
        }
        return whole < 0 ? __ww_py_complex<T>{1, 0} / result : result;
    }
    const T size = ::hypot(a.real, a.imag), angle = ::atan2(a.imag, a.real);
    T length = ::pow(size, b.real), turn = angle * b.real;
    if (b.imag != 0) {
        length *= ::exp(-angle * b.imag);
        turn += b.imag * ::log(size);
    }
    return {length * ::cos(turn), length * ::sin(turn)};
}

template <class T>
__WW_PY T __ww_py_phase(__ww_py_complex<T> a) {
    return ::atan2(a.imag, a.real);
}
// CPython's: a length of 0 or an infinite one has its direction, not NaN.
__WW_PY __ww_py_complex<double> __ww_py_rect(double length, double angle) {
    const double cosine = ::cos(angle), sine = ::sin(angle);
    if (angle == 0) return {length, ::copysign(angle, angle * ::copysign(1.0, length))};
    if (length == 0 && !::isfinite(angle)) return {0, 0};
    if (::isinf(length) && ::isfinite(angle)) {
        const double sign = ::copysign(1.0, length), size = ::fabs(length);
        return {::copysign(size, sign * cosine), ::copysign(size, sign * sine)};
    }
    return {length * cosine, length * sine};
}
template <class T>
__WW_PY bool __ww_py_is_nan(__ww_py_complex<T> a) {
    return a.real != a.real || a.imag != a.imag;
}
template <class T>
__WW_PY bool __ww_py_is_inf(__ww_py_complex<T> a) {
    return ::isinf(a.real) || ::isinf(a.imag);
}
template <class T>
__WW_PY bool __ww_py_is_finite(__ww_py_complex<T> a) {
    return ::isfinite(a.real) && ::isfinite(a.imag);
}
