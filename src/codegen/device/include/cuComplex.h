// CUDA's complex numbers: float2 and double2 under other names, with arithmetic as functions.
#pragma once

extern "C++" {

typedef float2 cuFloatComplex;
typedef cuFloatComplex cuComplex;
typedef double2 cuDoubleComplex;

// Quotients and magnitudes scale by the larger part, so that only results can overflow.
#define __WW_COMPLEX(real, type, suffix)                                         \
    __WW_BOTH type make_##type(real x, real y) {                                 \
        return type{x, y};                                                       \
    }                                                                            \
    __WW_BOTH real cuCreal##suffix(type a) {                                     \
        return a.x;                                                              \
    }                                                                            \
    __WW_BOTH real cuCimag##suffix(type a) {                                     \
        return a.y;                                                              \
    }                                                                            \
    __WW_BOTH type cuConj##suffix(type a) {                                      \
        return type{a.x, -a.y};                                                  \
    }                                                                            \
    __WW_BOTH type cuCadd##suffix(type a, type b) {                              \
        return type{a.x + b.x, a.y + b.y};                                       \
    }                                                                            \
    __WW_BOTH type cuCsub##suffix(type a, type b) {                              \
        return type{a.x - b.x, a.y - b.y};                                       \
    }                                                                            \
    __WW_BOTH type cuCmul##suffix(type a, type b) {                              \
        return type{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};               \
    }                                                                            \
    __WW_BOTH type cuCdiv##suffix(type a, type b) {                              \
        real unit = real(1) / (__ww::fabs(b.x) + __ww::fabs(b.y));               \
        real ax = a.x * unit, ay = a.y * unit, bx = b.x * unit, by = b.y * unit; \
        real factor = real(1) / (bx * bx + by * by);                             \
        return type{(ax * bx + ay * by) * factor, (ay * bx - ax * by) * factor}; \
    }                                                                            \
    __WW_BOTH real cuCabs##suffix(type a) {                                      \
        return __ww::hypot(a.x, a.y);                                            \
    }                                                                            \
    __WW_BOTH type cuCfma##suffix(type a, type b, type c) {                      \
        return type{__ww::fma(a.x, b.x, __ww::fma(-a.y, b.y, c.x)),              \
                    __ww::fma(a.x, b.y, __ww::fma(a.y, b.x, c.y))};              \
    }
__WW_COMPLEX(float, cuFloatComplex, f)
__WW_COMPLEX(double, cuDoubleComplex, )
#undef __WW_COMPLEX

__WW_BOTH cuComplex make_cuComplex(float x, float y) {
    return cuComplex{x, y};
}
__WW_BOTH cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
    return cuFloatComplex{static_cast<float>(a.x), static_cast<float>(a.y)};
}
__WW_BOTH cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) {
    return cuDoubleComplex{a.x, a.y};
}

}  // extern "C++"
