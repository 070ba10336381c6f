// Our own logarithms, exponentials (and arc tangents) under NVRTC too, where the names of math/ are
// CUDA's: what random numbers are computed with, so that they are the same bits on every device.
#pragma once

#ifndef __clang__
#define __ww __ww_own
#define __builtin_fmaf(a, b, c) __fmaf_rn(a, b, c)
#define __builtin_fma(a, b, c) __fma_rn(a, b, c)
#define __builtin_fabsf(a) ::fabsf(a)
#define __builtin_fabs(a) ::fabs(a)
#define __builtin_sqrtf(a) __fsqrt_rn(a)
#define __builtin_sqrt(a) __dsqrt_rn(a)
#define __builtin_copysignf(a, b) ::copysignf(a, b)
#define __builtin_copysign(a, b) ::copysign(a, b)
#define __builtin_truncf(a) ::truncf(a)
#define __builtin_trunc(a) ::trunc(a)
#define __builtin_rintf(a) ::rintf(a)
#define __builtin_rint(a) ::rint(a)
#endif
#include "../math/exponential.cuh"
#include "../math/logarithm.cuh"
#ifdef __WW_ARRAY_RARE_DRAWS
#include "../math/inverse_trigonometric.cuh"
#endif
#ifndef __clang__
#undef __ww
#undef __builtin_fmaf
#undef __builtin_fma
#undef __builtin_fabsf
#undef __builtin_fabs
#undef __builtin_sqrtf
#undef __builtin_sqrt
#undef __builtin_copysignf
#undef __builtin_copysign
#undef __builtin_truncf
#undef __builtin_trunc
#undef __builtin_rintf
#undef __builtin_rint
#define __WW_OWN __ww_own
#else
#define __WW_OWN __ww
#endif
