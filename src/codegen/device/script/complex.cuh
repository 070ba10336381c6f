// Complex numbers.
#pragma once

#include "numbers.cuh"

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

#define __WW_PY_COMPLEX(name) \
    template <class T>        \
    __WW_PY __ww_py_complex<T> __ww_py_##name##_of(__ww_py_complex<T> a)
__WW_PY_COMPLEX(exp) {
    const T length = ::exp(a.real);
    return {length * ::cos(a.imag), length * ::sin(a.imag)};
}
__WW_PY_COMPLEX(log) {
    return {::log(::hypot(a.real, a.imag)), ::atan2(a.imag, a.real)};
}
// Without cancellation: the larger part first, the other from it.
__WW_PY_COMPLEX(sqrt) {
    if (a.real == 0 && a.imag == 0) return {0, a.imag};
    const T size = __ww_py_abs(a.real);
    const T larger = ::sqrt((size + ::hypot(a.real, a.imag)) / 2);
    const T smaller = __ww_py_abs(a.imag) / (2 * larger);
    if (a.real >= 0) return {larger, ::copysign(smaller, a.imag)};
    return {smaller, ::copysign(larger, a.imag)};
}
__WW_PY_COMPLEX(sin) {
    return {::sin(a.real) * ::cosh(a.imag), ::cos(a.real) * ::sinh(a.imag)};
}
__WW_PY_COMPLEX(cos) {
    return {::cos(a.real) * ::cosh(a.imag), -::sin(a.real) * ::sinh(a.imag)};
}
__WW_PY_COMPLEX(sinh) {
    return {::sinh(a.real) * ::cos(a.imag), ::cosh(a.real) * ::sin(a.imag)};
}
__WW_PY_COMPLEX(cosh) {
    return {::cosh(a.real) * ::cos(a.imag), ::sinh(a.real) * ::sin(a.imag)};
}
__WW_PY_COMPLEX(tanh) {
    // Where the hyperbolic functions would overflow, all but the sign is lost in 1.
    if (__ww_py_abs(a.real) > 20) {
        const T rest = ::exp(-2 * __ww_py_abs(a.real));
        return {::copysign((T)1, a.real), 4 * ::sin(a.imag) * ::cos(a.imag) * rest};
    }
    const T divisor = ::cosh(2 * a.real) + ::cos(2 * a.imag);
    return {::sinh(2 * a.real) / divisor, ::sin(2 * a.imag) / divisor};
}
__WW_PY_COMPLEX(tan) {
    const __ww_py_complex<T> turned = __ww_py_tanh_of(__ww_py_complex<T>{-a.imag, a.real});
    return {turned.imag, -turned.real};
}
#undef __WW_PY_COMPLEX
template <class T>
__WW_PY T __ww_py_phase(__ww_py_complex<T> a) {
    return ::atan2(a.imag, a.real);
}
__WW_PY __ww_py_complex<double> __ww_py_rect(double length, double angle) {
    return {length * ::cos(angle), length * ::sin(angle)};
}
