// Functions that the host's instructions or a few integer operations give exactly: rounding, fused
// multiply-add, square root, signs and classes. Internal names are __ww::NAME, overloaded by type.
#pragma once

#define __WW_EXACT_1(name)                                                                  \
    __WW_BOTH float name##f(float x) { return __builtin_##name##f(x); }                     \
    __WW_BOTH double name(double x) { return __builtin_##name(x); }                         \
    __WW_BOTH float name(float x) { return __builtin_##name##f(x); }
#define __WW_EXACT_2(name)                                                                  \
    __WW_BOTH float name##f(float x, float y) { return __builtin_##name##f(x, y); }         \
    __WW_BOTH double name(double x, double y) { return __builtin_##name(x, y); }            \
    __WW_BOTH float name(float x, float y) { return __builtin_##name##f(x, y); }

__WW_EXACT_1(sqrt)
__WW_EXACT_1(fabs)
__WW_EXACT_1(floor)
__WW_EXACT_1(ceil)
__WW_EXACT_1(trunc)
__WW_EXACT_1(round)
__WW_EXACT_1(rint)
__WW_EXACT_1(nearbyint)
__WW_EXACT_2(fmin)
__WW_EXACT_2(fmax)
__WW_EXACT_2(copysign)
#undef __WW_EXACT_1
#undef __WW_EXACT_2

__WW_BOTH float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__WW_BOTH double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
__WW_BOTH float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__WW_BOTH float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
__WW_BOTH double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
__WW_BOTH float rsqrt(float x) { return rsqrtf(x); }
