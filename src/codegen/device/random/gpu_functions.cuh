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

// Not those that nvrtc/functions.cuh brings here: a second definition of such a name, which has the
// C function's type, would be the C function, and call itself.
static __device__ inline float erfcinv(float x) {
    return ::erfcinvf(x);
}
static __device__ inline double erfcinv(double x) {
    return ::erfcinv(x);
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
