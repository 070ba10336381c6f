// Lets the host's compiler read the mathematical device headers: CUDA's keywords vanish, and the
// services that the run time takes from libm come from libm.
#pragma once

#include <cmath>

#define __host__
#define __device__
#define __WW_BOTH [[maybe_unused]] static inline
#define __WW_BOTH_LARGE [[maybe_unused]] static inline

inline double __ww_tgamma(double x) {
    return std::tgamma(x);
}
inline double __ww_lgamma(double x) {
    return std::lgamma(x);
}
inline double __ww_j0(double x) {
    return ::j0(x);
}
inline double __ww_j1(double x) {
    return ::j1(x);
}
inline double __ww_y0(double x) {
    return ::y0(x);
}
inline double __ww_y1(double x) {
    return ::y1(x);
}
inline double __ww_jn(int n, double x) {
    return ::jn(n, x);
}
inline double __ww_yn(int n, double x) {
    return ::yn(n, x);
}

#include "src/codegen/device/math/error_function.cuh"
#include "src/codegen/device/math/hyperbolic.cuh"
#include "src/codegen/device/math/inverse_trigonometric.cuh"
#include "src/codegen/device/math/numbers.cuh"
#include "src/codegen/device/math/power.cuh"
#include "src/codegen/device/math/special.cuh"
#include "src/codegen/device/math/trigonometric.cuh"
