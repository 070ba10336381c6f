// Rarely used functions that the run time takes from the host's libm, in double for both types; and
// the small ones that LLVM has as instructions.
#pragma once

#include "exponential.cuh"

namespace __ww {

#define __WW_INSTRUCTION(name)         \
    __WW_MATH float name(float x) {    \
        return __builtin_##name##f(x); \
    }                                  \
    __WW_MATH double name(double x) {  \
        return __builtin_##name(x);    \
    }
__WW_INSTRUCTION(floor)
__WW_INSTRUCTION(ceil)
__WW_INSTRUCTION(round)
__WW_INSTRUCTION(nearbyint)
#undef __WW_INSTRUCTION
__WW_MATH float fmin(float x, float y) {
    return __builtin_fminf(x, y);
}
__WW_MATH double fmin(double x, double y) {
    return __builtin_fmin(x, y);
}
__WW_MATH float fmax(float x, float y) {
    return __builtin_fmaxf(x, y);
}
__WW_MATH double fmax(double x, double y) {
    return __builtin_fmax(x, y);
}
template <class T>
__WW_MATH T fdim(T x, T y) {
    __WW_AS_WRITTEN
    T result = x > y ? x - y : T(0);
    return x != x || y != y ? x + y : result;
}
#define __WW_TO_INTEGER(name, rounding)          \
    template <class Integer, class T>            \
    __WW_MATH Integer name(T x) {                \
        return to_integer<Integer>(rounding(x)); \
    }
__WW_TO_INTEGER(lrint, __ww::rint)
__WW_TO_INTEGER(llrint, __ww::rint)
__WW_TO_INTEGER(lround, __ww::round)
__WW_TO_INTEGER(llround, __ww::round)
#undef __WW_TO_INTEGER

#define __WW_FROM_LIBM(name)                                            \
    __WW_MATH double name(double x) {                                   \
        return __ww_##name(x);                                          \
    }                                                                   \
    __WW_MATH float name(float x) {                                     \
        return static_cast<float>(__ww_##name(static_cast<double>(x))); \
    }
__WW_FROM_LIBM(tgamma)
__WW_FROM_LIBM(lgamma)
__WW_FROM_LIBM(j0)
__WW_FROM_LIBM(j1)
__WW_FROM_LIBM(y0)
__WW_FROM_LIBM(y1)
#undef __WW_FROM_LIBM
__WW_MATH double jn(int n, double x) {
    return __ww_jn(n, x);
}
__WW_MATH double yn(int n, double x) {
    return __ww_yn(n, x);
}
__WW_MATH float jn(int n, float x) {
    return static_cast<float>(__ww_jn(n, x));
}
__WW_MATH float yn(int n, float x) {
    return static_cast<float>(__ww_yn(n, x));
}

// Modified Bessel functions of order 0 and 1. All terms of the power series are positive, so it
// loses nothing; above 30 the asymptotic series has passed 2^-53 within its 30 terms.
__WW_MATH_LARGE double bessel_i_series(int order, double x) {
    __WW_AS_WRITTEN
    pair quarter = two_product(0.5 * x, 0.5 * x);
    pair sum{1.0, 0.0}, term{1.0, 0.0};
    for (int i = 1; i < 80; ++i) {
        double factor = static_cast<double>(i) * static_cast<double>(i + order);
        term = divide(multiply(term, quarter), pair{factor, 0.0});
        sum = add(sum, term);
    }
    double result = sum.hi + sum.lo;
    return order == 0 ? result : 0.5 * x * result;
}
__WW_MATH_LARGE double bessel_i(int order, double x) {
    __WW_AS_WRITTEN
    double a = __ww::fabs(x);
    if (a < 30.0) return bessel_i_series(order, x);
    // By Horner's rule, the smallest terms first.
    double sum = 1.0, mu = 4.0 * order;
    for (int i = 29; i > 0; --i) {
        double odd = 2.0 * i - 1.0;
        sum = __ww::fma(sum, (odd * odd - mu) / (8.0 * i * a), 1.0);
    }
    int k;
    pair e = exp_reduced(a < 750.0 ? a : 750.0, 0.0, k);
    double result = scale((e.hi + e.lo) * (sum / __ww::sqrt(0x1.921fb54442d18p+2 * a)), k);
    result = a == infinity<double>() ? a : result;
    return order == 0 ? result : copysign(result, x);
}
__WW_MATH double cyl_bessel_i0(double x) {
    return x != x ? x : bessel_i(0, x);
}
__WW_MATH double cyl_bessel_i1(double x) {
    return x != x ? x : bessel_i(1, x);
}
__WW_MATH float cyl_bessel_i0(float x) {
    return static_cast<float>(cyl_bessel_i0(double(x)));
}
__WW_MATH float cyl_bessel_i1(float x) {
    return static_cast<float>(cyl_bessel_i1(double(x)));
}

}  // namespace __ww
