// CUDA's names for the functions of namespace __ww: NAMEf for float, NAME for double and, as C++
// overload, for float. Integers go to double, as in <cmath>.
#pragma once

#include "error_function.cuh"
#include "exponential.cuh"
#include "hyperbolic.cuh"
#include "inverse_trigonometric.cuh"
#include "logarithm.cuh"
#include "numbers.cuh"
#include "power.cuh"
#include "special.cuh"
#include "trigonometric.cuh"

// What C++ makes of a mixture of arithmetic types: float only if all are float, else double.
namespace __ww {
template <class T>
struct promoted {};
#define __WW_PROMOTED(type, to) \
    template <>                 \
    struct promoted<type> {     \
        typedef to result;      \
    };
__WW_PROMOTED(float, float)
__WW_PROMOTED(double, double)
__WW_PROMOTED(long double, double)
__WW_PROMOTED(bool, double)
__WW_PROMOTED(char, double)
__WW_PROMOTED(signed char, double)
__WW_PROMOTED(unsigned char, double)
__WW_PROMOTED(short, double)
__WW_PROMOTED(unsigned short, double)
__WW_PROMOTED(int, double)
__WW_PROMOTED(unsigned int, double)
__WW_PROMOTED(long, double)
__WW_PROMOTED(unsigned long, double)
__WW_PROMOTED(long long, double)
__WW_PROMOTED(unsigned long long, double)
#undef __WW_PROMOTED
template <class T>
struct integral_to_double {};
#define __WW_INTEGRAL(type)           \
    template <>                       \
    struct integral_to_double<type> { \
        typedef double result;        \
    };
__WW_INTEGRAL(bool)
__WW_INTEGRAL(char)
__WW_INTEGRAL(signed char)
__WW_INTEGRAL(unsigned char)
__WW_INTEGRAL(short)
__WW_INTEGRAL(unsigned short)
__WW_INTEGRAL(int)
__WW_INTEGRAL(unsigned int)
__WW_INTEGRAL(long)
__WW_INTEGRAL(unsigned long)
__WW_INTEGRAL(long long)
__WW_INTEGRAL(unsigned long long)
#undef __WW_INTEGRAL
// Two types that are not the same: the overloads for equal types are not templates.
template <class A, class B, class = void>
struct mixed {};
template <class A, class B>
struct mixed<A, B,
             decltype(void(typename promoted<A>::result() + typename promoted<B>::result()))> {
    typedef decltype(typename promoted<A>::result() + typename promoted<B>::result()) result;
};
template <>
struct mixed<float, float, void> {};
template <>
struct mixed<double, double, void> {};
}  // namespace __ww

#define __WW_PUBLIC_1(name)                                            \
    __WW_BOTH float name##f(float x) {                                 \
        return __ww::name(x);                                          \
    }                                                                  \
    __WW_BOTH float name(float x) {                                    \
        return __ww::name(x);                                          \
    }                                                                  \
    __WW_BOTH double name(double x) {                                  \
        return __ww::name(x);                                          \
    }                                                                  \
    template <class T>                                                 \
    __WW_BOTH typename __ww::integral_to_double<T>::result name(T x) { \
        return __ww::name(static_cast<double>(x));                     \
    }
#define __WW_PUBLIC_2(name)                                            \
    __WW_BOTH float name##f(float x, float y) {                        \
        return __ww::name(x, y);                                       \
    }                                                                  \
    __WW_BOTH float name(float x, float y) {                           \
        return __ww::name(x, y);                                       \
    }                                                                  \
    __WW_BOTH double name(double x, double y) {                        \
        return __ww::name(x, y);                                       \
    }                                                                  \
    template <class A, class B>                                        \
    __WW_BOTH typename __ww::mixed<A, B>::result name(A x, B y) {      \
        typedef typename __ww::mixed<A, B>::result type;               \
        return __ww::name(static_cast<type>(x), static_cast<type>(y)); \
    }
#define __WW_PUBLIC_3(name)                               \
    __WW_BOTH float name##f(float x, float y, float z) {  \
        return __ww::name(x, y, z);                       \
    }                                                     \
    __WW_BOTH float name(float x, float y, float z) {     \
        return __ww::name(x, y, z);                       \
    }                                                     \
    __WW_BOTH double name(double x, double y, double z) { \
        return __ww::name(x, y, z);                       \
    }
#define __WW_PUBLIC_4(name)                                         \
    __WW_BOTH float name##f(float x, float y, float z, float w) {   \
        return __ww::name(x, y, z, w);                              \
    }                                                               \
    __WW_BOTH float name(float x, float y, float z, float w) {      \
        return __ww::name(x, y, z, w);                              \
    }                                                               \
    __WW_BOTH double name(double x, double y, double z, double w) { \
        return __ww::name(x, y, z, w);                              \
    }
#define __WW_PUBLIC_TO(type, name)    \
    __WW_BOTH type name##f(float x) { \
        return __ww::name<type>(x);   \
    }                                 \
    __WW_BOTH type name(float x) {    \
        return __ww::name<type>(x);   \
    }                                 \
    __WW_BOTH type name(double x) {   \
        return __ww::name<type>(x);   \
    }

__WW_PUBLIC_1(sqrt)
__WW_PUBLIC_1(rsqrt)
__WW_PUBLIC_1(cbrt)
__WW_PUBLIC_1(rcbrt)
__WW_PUBLIC_2(hypot)
__WW_PUBLIC_2(rhypot)
__WW_PUBLIC_3(norm3d)
__WW_PUBLIC_3(rnorm3d)
__WW_PUBLIC_4(norm4d)
__WW_PUBLIC_4(rnorm4d)
__WW_PUBLIC_1(exp)
__WW_PUBLIC_1(exp2)
__WW_PUBLIC_1(exp10)
__WW_PUBLIC_1(expm1)
__WW_PUBLIC_1(log)
__WW_PUBLIC_1(log2)
__WW_PUBLIC_1(log10)
__WW_PUBLIC_1(log1p)
__WW_PUBLIC_2(pow)
__WW_PUBLIC_1(sin)
__WW_PUBLIC_1(cos)
__WW_PUBLIC_1(tan)
__WW_PUBLIC_1(sinpi)
__WW_PUBLIC_1(cospi)
__WW_PUBLIC_1(asin)
__WW_PUBLIC_1(acos)
__WW_PUBLIC_1(atan)
__WW_PUBLIC_2(atan2)
__WW_PUBLIC_1(sinh)
__WW_PUBLIC_1(cosh)
__WW_PUBLIC_1(tanh)
__WW_PUBLIC_1(asinh)
__WW_PUBLIC_1(acosh)
__WW_PUBLIC_1(atanh)
__WW_PUBLIC_1(erf)
__WW_PUBLIC_1(erfc)
__WW_PUBLIC_1(erfcx)
__WW_PUBLIC_1(erfinv)
__WW_PUBLIC_1(erfcinv)
__WW_PUBLIC_1(normcdf)
__WW_PUBLIC_1(normcdfinv)
__WW_PUBLIC_1(tgamma)
__WW_PUBLIC_1(lgamma)
__WW_PUBLIC_1(j0)
__WW_PUBLIC_1(j1)
__WW_PUBLIC_1(y0)
__WW_PUBLIC_1(y1)
__WW_PUBLIC_1(cyl_bessel_i0)
__WW_PUBLIC_1(cyl_bessel_i1)
__WW_PUBLIC_1(fabs)
__WW_PUBLIC_1(floor)
__WW_PUBLIC_1(ceil)
__WW_PUBLIC_1(trunc)
__WW_PUBLIC_1(round)
__WW_PUBLIC_1(rint)
__WW_PUBLIC_1(nearbyint)
__WW_PUBLIC_1(logb)
__WW_PUBLIC_2(fmin)
__WW_PUBLIC_2(fmax)
__WW_PUBLIC_2(fdim)
__WW_PUBLIC_2(copysign)
__WW_PUBLIC_2(nextafter)
__WW_PUBLIC_2(fmod)
__WW_PUBLIC_2(remainder)
__WW_PUBLIC_3(fma)
__WW_PUBLIC_TO(long, lrint)
__WW_PUBLIC_TO(long, lround)
__WW_PUBLIC_TO(long long, llrint)
__WW_PUBLIC_TO(long long, llround)

#undef __WW_PUBLIC_1
#undef __WW_PUBLIC_2
#undef __WW_PUBLIC_3
#undef __WW_PUBLIC_4
#undef __WW_PUBLIC_TO

// Functions with results through pointers or with an int among their arguments, for both types.
#define __WW_PUBLIC_ODD(type, suffix)                                                     \
    __WW_BOTH void sincos##suffix(type x, type* s, type* c) {                             \
        __ww::sincos(x, s, c);                                                            \
    }                                                                                     \
    __WW_BOTH void sincospi##suffix(type x, type* s, type* c) {                           \
        __ww::sincospi(x, s, c);                                                          \
    }                                                                                     \
    __WW_BOTH type norm##suffix(int n, const type* p) {                                   \
        return __ww::norm(n, p);                                                          \
    }                                                                                     \
    __WW_BOTH type rnorm##suffix(int n, const type* p) {                                  \
        return type(1) / __ww::norm(n, p);                                                \
    }                                                                                     \
    __WW_BOTH type frexp##suffix(type x, int* e) {                                        \
        return __ww::frexp(x, e);                                                         \
    }                                                                                     \
    __WW_BOTH type ldexp##suffix(type x, int e) {                                         \
        return __ww::ldexp(x, e);                                                         \
    }                                                                                     \
    __WW_BOTH type scalbn##suffix(type x, int e) {                                        \
        return __ww::ldexp(x, e);                                                         \
    }                                                                                     \
    __WW_BOTH type scalbln##suffix(type x, long e) {                                      \
        return __ww::ldexp(x, static_cast<int>(e < -9999 ? -9999 : e > 9999 ? 9999 : e)); \
    }                                                                                     \
    __WW_BOTH int ilogb##suffix(type x) {                                                 \
        return __ww::ilogb(x);                                                            \
    }                                                                                     \
    __WW_BOTH type modf##suffix(type x, type* whole) {                                    \
        return __ww::modf(x, whole);                                                      \
    }                                                                                     \
    __WW_BOTH type remquo##suffix(type x, type y, int* q) {                               \
        return __ww::remquo(x, y, q);                                                     \
    }                                                                                     \
    __WW_BOTH type jn##suffix(int n, type x) {                                            \
        return __ww::jn(n, x);                                                            \
    }                                                                                     \
    __WW_BOTH type yn##suffix(int n, type x) {                                            \
        return __ww::yn(n, x);                                                            \
    }                                                                                     \
    __WW_BOTH type nan##suffix(const char*) {                                             \
        return __ww::quiet_nan<type>();                                                   \
    }
__WW_PUBLIC_ODD(float, f)
__WW_PUBLIC_ODD(double, )
#undef __WW_PUBLIC_ODD
__WW_BOTH float frexp(float x, int* e) {
    return __ww::frexp(x, e);
}
__WW_BOTH float ldexp(float x, int e) {
    return __ww::ldexp(x, e);
}
__WW_BOTH float scalbn(float x, int e) {
    return __ww::ldexp(x, e);
}
__WW_BOTH int ilogb(float x) {
    return __ww::ilogb(x);
}
__WW_BOTH float modf(float x, float* whole) {
    return __ww::modf(x, whole);
}
__WW_BOTH float remquo(float x, float y, int* q) {
    return __ww::remquo(x, y, q);
}
__WW_BOTH void sincos(float x, float* s, float* c) {
    __ww::sincos(x, s, c);
}
__WW_BOTH float fdividef(float x, float y) {
    return x / y;
}

// Classes of numbers. Macros of C's <math.h> by these names are undone first.
#undef isnan
#undef isinf
#undef isfinite
#undef isnormal
#undef signbit
#define __WW_CLASS(type)                                                                   \
    __WW_BOTH bool isnan(type x) {                                                         \
        return x != x;                                                                     \
    }                                                                                      \
    __WW_BOTH bool isinf(type x) {                                                         \
        return __ww::fabs(x) == __ww::infinity<type>();                                    \
    }                                                                                      \
    __WW_BOTH bool isfinite(type x) {                                                      \
        return __ww::is_finite(x);                                                         \
    }                                                                                      \
    __WW_BOTH bool isnormal(type x) {                                                      \
        return __ww::is_finite(x) && (__ww::to_bits(x) & __ww::real<type>::infinity) != 0; \
    }                                                                                      \
    __WW_BOTH bool signbit(type x) {                                                       \
        return (__ww::to_bits(x) & __ww::real<type>::sign) != 0;                           \
    }
__WW_CLASS(float)
__WW_CLASS(double)
#undef __WW_CLASS
#define __WW_CLASS_INTEGRAL(name)                                                       \
    template <class T>                                                                  \
    __WW_BOTH bool name(T x, typename __ww::integral_to_double<T>::result* = nullptr) { \
        return name(static_cast<double>(x));                                            \
    }
__WW_CLASS_INTEGRAL(isnan)
__WW_CLASS_INTEGRAL(isinf)
__WW_CLASS_INTEGRAL(isfinite)
__WW_CLASS_INTEGRAL(signbit)
#undef __WW_CLASS_INTEGRAL

__WW_BOTH double float2double(float x) {
    return x;
}
__WW_BOTH float double2float(double x) {
    return static_cast<float>(x);
}
__WW_BOTH int float2int(float x) {
    return static_cast<int>(x);
}
__WW_BOTH float int2float(int x) {
    return static_cast<float>(x);
}
