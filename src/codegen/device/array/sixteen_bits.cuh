// float16 and bfloat16 as elements of arrays: each operation is done in float and rounded to
// nearest even. What only looks at bits keeps them, those of NaN too. Needs no header of NVIDIA's.
#pragma once

#include "casts.cuh"
#include "comparisons.cuh"
#include "reals.cuh"

struct __ww_half {
    unsigned short bits;
};
struct __ww_bfloat16 {
    unsigned short bits;
};
template <>
struct __ww_sixteen_kind<__ww_half> {
    enum { infinity = 0x7c00 };
    typedef int yes;
};
template <>
struct __ww_sixteen_kind<__ww_bfloat16> {
    enum { infinity = 0x7f80 };
    typedef int yes;
};

__WW_FUNCTION float __ww_widened(__ww_half a) {
#ifdef __WW_NVRTC__
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(a.bits));
    return value;
#else
    return (float)__ww_bit_cast<_Float16>(a.bits);
#endif
}
__WW_FUNCTION float __ww_widened(__ww_bfloat16 a) {
    return __uint_as_float((unsigned int)a.bits << 16);
}

template <class T>
struct __ww_rounded {};
template <>
struct __ww_rounded<__ww_half> {
    static __WW_FUNCTION __ww_half from(float a) {
#ifdef __WW_NVRTC__
        __ww_half value;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(value.bits) : "f"(a));
        return value;
#else
        return __ww_half{__ww_bit_cast<unsigned short>((_Float16)a)};
#endif
    }
    // Of the two floats around the number the one with an odd last bit: rounding it again gives
    // what rounding the number at once would.
    static __WW_FUNCTION __ww_half from(double a) {
        const float near = __double2float_rn(a);
        const unsigned int bits = __float_as_uint(near);
        const double error = __dsub_rn(fabs(a), fabs((double)near));
        const unsigned int odd = error > 0 ? bits + 1 : bits - 1;
        const bool keeps = !(error != 0) || error != error || (bits & 1) != 0;
        return from(__uint_as_float(keeps ? bits : odd));
    }
};
// As ml_dtypes has it, numbers of other types become float first.
template <>
struct __ww_rounded<__ww_bfloat16> {
    static __WW_FUNCTION __ww_bfloat16 from(float a) {
        const unsigned int bits = __float_as_uint(a);
        const unsigned int up = bits + 0x7fff + (bits >> 16 & 1);
        return __ww_bfloat16{(unsigned short)((a != a ? bits | 0x400000 : up) >> 16)};
    }
    static __WW_FUNCTION __ww_bfloat16 from(double a) { return from(__double2float_rn(a)); }
};
template <class T>
struct __ww_to_sixteen {
    static __WW_FUNCTION T from(float a) { return __ww_rounded<T>::from(a); }
    static __WW_FUNCTION T from(double a) { return __ww_rounded<T>::from(a); }
    // An integer that float does not hold is beyond the range of half.
    template <class Integer>
    static __WW_FUNCTION T from(Integer a) {
        return __ww_rounded<T>::from((float)a);
    }
};
template <>
struct __ww_to<__ww_half> : __ww_to_sixteen<__ww_half> {};
template <>
struct __ww_to<__ww_bfloat16> : __ww_to_sixteen<__ww_bfloat16> {};
template <class To>
__WW_FUNCTION To __ww_cast(__ww_half a) {
    return __ww_to<To>::from(__ww_widened(a));
}
template <class To>
__WW_FUNCTION To __ww_cast(__ww_bfloat16 a) {
    return __ww_to<To>::from(__ww_widened(a));
}

#define __WW_COMPARE(Operator)                           \
    __WW_SIXTEEN bool operator Operator(T a, T b) {      \
        return __ww_widened(a) Operator __ww_widened(b); \
    }
__WW_COMPARE(==)
__WW_COMPARE(!=)
__WW_COMPARE(<)
__WW_COMPARE(<=)
__WW_COMPARE(>)
__WW_COMPARE(>=)
#undef __WW_COMPARE

#define __WW_UNARY(Name)                                     \
    __WW_SIXTEEN T Name(T a) {                               \
        return __ww_rounded<T>::from(Name(__ww_widened(a))); \
    }
#define __WW_BINARY(Name)                                                     \
    __WW_SIXTEEN T Name(T a, T b) {                                           \
        return __ww_rounded<T>::from(Name(__ww_widened(a), __ww_widened(b))); \
    }
__WW_UNARY(__ww_sign)
__WW_UNARY(__ww_square)
__WW_UNARY(__ww_reciprocal)
__WW_UNARY(__ww_ceil)
__WW_UNARY(__ww_floor)
__WW_UNARY(__ww_trunc)
__WW_UNARY(__ww_round)
__WW_UNARY(__ww_sqrt)
__WW_UNARY(__ww_deg2rad)
__WW_UNARY(__ww_rad2deg)
__WW_BINARY(__ww_add)
__WW_BINARY(__ww_subtract)
__WW_BINARY(__ww_multiply)
__WW_BINARY(__ww_divide)
__WW_BINARY(__ww_floor_divide)
__WW_BINARY(__ww_remainder)
__WW_BINARY(__ww_fmod)
#undef __WW_UNARY
#undef __WW_BINARY

// Results that are an operand, or differ from one in the sign.
__WW_SIXTEEN T __ww_minimum(T a, T b) {
    return a <= b || a != a ? a : b;
}
__WW_SIXTEEN T __ww_maximum(T a, T b) {
    return a >= b || a != a ? a : b;
}
__WW_SIXTEEN T __ww_fmin(T a, T b) {
    return a <= b || b != b ? a : b;
}
__WW_SIXTEEN T __ww_fmax(T a, T b) {
    return a >= b || b != b ? a : b;
}
__WW_SIXTEEN T __ww_clip(T a, T b, T c) {
    return __ww_minimum(__ww_maximum(a, b), c);
}
__WW_SIXTEEN T __ww_positive(T a) {
    return a;
}
__WW_SIXTEEN T __ww_conj(T a) {
    return a;
}
__WW_SIXTEEN T __ww_real(T a) {
    return a;
}
__WW_SIXTEEN T __ww_imag(T) {
    return T{0};
}
__WW_SIXTEEN T __ww_abs(T a) {
    return T{(unsigned short)(a.bits & 0x7fff)};
}
__WW_SIXTEEN T __ww_negative(T a) {
    return T{(unsigned short)(a.bits ^ 0x8000)};
}
__WW_SIXTEEN T __ww_copysign(T a, T b) {
    return T{(unsigned short)((a.bits & 0x7fff) | (b.bits & 0x8000))};
}
__WW_SIXTEEN bool __ww_signbit(T a) {
    return a.bits >> 15 != 0;
}
__WW_SIXTEEN bool __ww_isnan(T a) {
    return (a.bits & 0x7fff) > __ww_sixteen_kind<T>::infinity;
}
__WW_SIXTEEN bool __ww_isinf(T a) {
    return (a.bits & 0x7fff) == __ww_sixteen_kind<T>::infinity;
}
__WW_SIXTEEN bool __ww_isfinite(T a) {
    return (a.bits & 0x7fff) < __ww_sixteen_kind<T>::infinity;
}
__WW_SIXTEEN T __ww_heaviside(T a, T b) {
    const T sign = __ww_rounded<T>::from(__ww_widened(a) > 0 ? 1.0f : 0.0f);
    return __ww_isnan(a) ? a : (a.bits & 0x7fff) == 0 ? b : sign;
}
