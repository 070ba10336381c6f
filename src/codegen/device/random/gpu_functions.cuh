// What the generators call by the names of the CPU device's functions, from CUDA's own on a GPU.
#pragma once

#ifndef __clang__  // the CPU device has them itself

#ifndef __WW_AS_WRITTEN
#define __WW_AS_WRITTEN
#endif
#ifndef __WW_BOTH
#define __WW_BOTH static __device__ inline
#endif
namespace __ww {

#define __WW_OF_BOTH_TYPES(name)                     \
    static __device__ inline float name(float x) {   \
        return ::name##f(x);                         \
    }                                                \
    static __device__ inline double name(double x) { \
        return ::name(x);                            \
    }
__WW_OF_BOTH_TYPES(erfcinv)
__WW_OF_BOTH_TYPES(exp)
__WW_OF_BOTH_TYPES(fabs)
__WW_OF_BOTH_TYPES(log)
__WW_OF_BOTH_TYPES(sqrt)
#undef __WW_OF_BOTH_TYPES

static __device__ inline float fma(float a, float b, float c) {
    return ::fmaf(a, b, c);
}
static __device__ inline double fma(double a, double b, double c) {
    return ::fma(a, b, c);
}
static __device__ inline void sincos(float x, float* sine, float* cosine) {
    ::sincosf(x, sine, cosine);
}
static __device__ inline void sincos(double x, double* sine, double* cosine) {
    ::sincos(x, sine, cosine);
}
static __device__ inline void sincospi(float x, float* sine, float* cosine) {
    ::sincospif(x, sine, cosine);
}
static __device__ inline void sincospi(double x, double* sine, double* cosine) {
    ::sincospi(x, sine, cosine);
}

// c[0] + c[1] x + ... by Horner's rule.
template <class T>
static __device__ inline T polynomial(T, T c) {
    return c;
}
template <class T, class... Rest>
static __device__ inline T polynomial(T x, T c, Rest... rest) {
    return __ww::fma(polynomial(x, rest...), x, c);
}

}  // namespace __ww

#endif
