// Numbers of 16 bits and their pairs, for cuda_fp16.h and cuda_bf16.h, which include this file once
// each, with these macros set:
//   __WW_T, __WW_T2       the types             __half, __half2    __nv_bfloat16, __nv_bfloat162
//   __WW_N, __WW_N2       the names inside functions' names  half, half2    bfloat16, bfloat162
//   __WW_PTX              the type in PTX                    "f16"          "bf16"
// No #pragma once, therefore. Each other operation than fma is done in float and rounded: that
// rounds correctly.

#define __WW_JOIN_(a, b, c) a##b##c
#define __WW_JOIN(a, b, c) __WW_JOIN_(a, b, c)
#define __WW_F(before, after) __WW_JOIN(before, __WW_N, after)
#define __WW_F2(before, after) __WW_JOIN(before, __WW_N2, after)
#define __WW_RAW2 __WW_JOIN(__WW_T2, _raw, )

// A pair, aligned as one 32-bit word; and its bits.
struct __attribute__((aligned(4))) __WW_RAW2 {
    unsigned short x, y;
};
struct __attribute__((aligned(4))) __WW_T2 {
    __WW_T x, y;
    __WW_T2() = default;
    __host__ __device__ __WW_T2(__WW_T a, __WW_T b) : x(a), y(b) {}
    __host__ __device__ __WW_T2(__WW_RAW2 raw)
        : x(__ww_bit_cast<__WW_T>(raw.x)), y(__ww_bit_cast<__WW_T>(raw.y)) {}
    __host__ __device__ operator __WW_RAW2() const {
        return __WW_RAW2{__ww_bit_cast<unsigned short>(x), __ww_bit_cast<unsigned short>(y)};
    }
};
__WW_BOTH __WW_T2 __WW_F2(make_, )(__WW_T a, __WW_T b) {
    return __WW_T2(a, b);
}

// Conversions.
__WW_BOTH float __WW_F(__, 2float)(__WW_T a) {
    return static_cast<float>(a);
}
__WW_BOTH __WW_T __WW_F(__float2, )(float a) {
    return __WW_T(a);
}
__WW_BOTH __WW_T __WW_F(__float2, _rn)(float a) {
    return __WW_T(a);
}
__WW_BOTH __WW_T __WW_F(__double2, )(double a) {
    return __WW_T(a);
}
#define __WW_TO(name, type)                                                \
    __WW_BOTH type __WW_F(__, 2##name##_rn)(__WW_T a) {                    \
        return __ww::to_integer<type>(__ww::rint(static_cast<float>(a)));  \
    }                                                                      \
    __WW_BOTH type __WW_F(__, 2##name##_rz)(__WW_T a) {                    \
        return __ww::to_integer<type>(__ww::trunc(static_cast<float>(a))); \
    }                                                                      \
    __WW_BOTH type __WW_F(__, 2##name##_rd)(__WW_T a) {                    \
        return __ww::to_integer<type>(__ww::floor(static_cast<float>(a))); \
    }                                                                      \
    __WW_BOTH type __WW_F(__, 2##name##_ru)(__WW_T a) {                    \
        return __ww::to_integer<type>(__ww::ceil(static_cast<float>(a)));  \
    }                                                                      \
    __WW_BOTH __WW_T __WW_F(__##name##2, _rn)(type a) {                    \
        return __WW_T(a);                                                  \
    }
__WW_TO(int, int)
__WW_TO(uint, unsigned int)
__WW_TO(short, short)
__WW_TO(ushort, unsigned short)
__WW_TO(ll, long long)
__WW_TO(ull, unsigned long long)
#undef __WW_TO
__WW_BOTH short __WW_F(__, _as_short)(__WW_T a) {
    return __ww_bit_cast<short>(a);
}
__WW_BOTH unsigned short __WW_F(__, _as_ushort)(__WW_T a) {
    return __ww_bit_cast<unsigned short>(a);
}
__WW_BOTH __WW_T __WW_F(__short_as_, )(short a) {
    return __ww_bit_cast<__WW_T>(a);
}
__WW_BOTH __WW_T __WW_F(__ushort_as_, )(unsigned short a) {
    return __ww_bit_cast<__WW_T>(a);
}

// Pairs from and to their halves.
__WW_BOTH __WW_T2 __WW_F2(__floats2, _rn)(float a, float b) {
    return __WW_T2(__WW_T(a), __WW_T(b));
}
__WW_BOTH __WW_T2 __WW_F2(__float2, _rn)(float a) {
    return __WW_T2(__WW_T(a), __WW_T(a));
}
__WW_BOTH __WW_T2 __WW_F2(__float22, _rn)(float2 a) {
    return __WW_T2(__WW_T(a.x), __WW_T(a.y));
}
__WW_BOTH float2 __WW_F2(__, 2float2)(__WW_T2 a) {
    return make_float2(static_cast<float>(a.x), static_cast<float>(a.y));
}
__WW_BOTH __WW_T2 __WW_F2(__halves2, )(__WW_T a, __WW_T b) {
    return __WW_T2(a, b);
}
__WW_BOTH __WW_T2 __WW_JOIN(__WW_F(__, 2), __WW_N2, )(__WW_T a) {
    return __WW_T2(a, a);
}
__WW_BOTH __WW_T __WW_F(__low2, )(__WW_T2 a) {
    return a.x;
}
__WW_BOTH __WW_T __WW_F(__high2, )(__WW_T2 a) {
    return a.y;
}
__WW_BOTH __WW_T2 __WW_F2(__low2, )(__WW_T2 a) {
    return __WW_T2(a.x, a.x);
}
__WW_BOTH __WW_T2 __WW_F2(__high2, )(__WW_T2 a) {
    return __WW_T2(a.y, a.y);
}
__WW_BOTH __WW_T2 __WW_F2(__lows2, )(__WW_T2 a, __WW_T2 b) {
    return __WW_T2(a.x, b.x);
}
__WW_BOTH __WW_T2 __WW_F2(__highs2, )(__WW_T2 a, __WW_T2 b) {
    return __WW_T2(a.y, b.y);
}
__WW_BOTH __WW_T2 __lowhigh2highlow(__WW_T2 a) {
    return __WW_T2(a.y, a.x);
}
__WW_BOTH float __low2float(__WW_T2 a) {
    return static_cast<float>(a.x);
}
__WW_BOTH float __high2float(__WW_T2 a) {
    return static_cast<float>(a.y);
}

// Arithmetic: functions and operators, of numbers and of pairs.
#define __WW_ARITHMETIC(name, op)                                      \
    __WW_BOTH __WW_T __h##name(__WW_T a, __WW_T b) {                   \
        return __WW_T(static_cast<float>(a) op static_cast<float>(b)); \
    }                                                                  \
    __WW_BOTH __WW_T2 __h##name##2(__WW_T2 a, __WW_T2 b) {             \
        return __WW_T2(__h##name(a.x, b.x), __h##name(a.y, b.y));      \
    }                                                                  \
    __WW_BOTH __WW_T __h##name##_rn(__WW_T a, __WW_T b) {              \
        return __h##name(a, b);                                        \
    }                                                                  \
    __WW_BOTH __WW_T2 __h##name##2_rn(__WW_T2 a, __WW_T2 b) {          \
        return __h##name##2(a, b);                                     \
    }                                                                  \
    __WW_BOTH __WW_T operator op(__WW_T a, __WW_T b) {                 \
        return __h##name(a, b);                                        \
    }                                                                  \
    __WW_BOTH __WW_T2 operator op(__WW_T2 a, __WW_T2 b) {              \
        return __h##name##2(a, b);                                     \
    }                                                                  \
    __WW_BOTH __WW_T& operator op##=(__WW_T & a, __WW_T b) {           \
        return a = __h##name(a, b);                                    \
    }                                                                  \
    __WW_BOTH __WW_T2& operator op##=(__WW_T2 & a, __WW_T2 b) {        \
        return a = __h##name##2(a, b);                                 \
    }
__WW_ARITHMETIC(add, +)
__WW_ARITHMETIC(sub, -)
__WW_ARITHMETIC(mul, *)
__WW_ARITHMETIC(div, /)
#undef __WW_ARITHMETIC
__WW_BOTH __WW_T2 __h2div(__WW_T2 a, __WW_T2 b) {
    return __hdiv2(a, b);
}
// No wider type holds every sum, so that this is the instruction, which rounds once.
__WW_BOTH __WW_T __hfma(__WW_T a, __WW_T b, __WW_T c) {
    unsigned short bits;
    asm("fma.rn." __WW_PTX " %0, %1, %2, %3;"
        : "=h"(bits)
        : "h"(__ww_bit_cast<unsigned short>(a)), "h"(__ww_bit_cast<unsigned short>(b)),
          "h"(__ww_bit_cast<unsigned short>(c)));
    return __ww_bit_cast<__WW_T>(bits);
}
__WW_BOTH __WW_T2 __hfma2(__WW_T2 a, __WW_T2 b, __WW_T2 c) {
    return __WW_T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
__WW_BOTH __WW_T __hneg(__WW_T a) {
    return __WW_F(
        __ushort_as_, )(static_cast<unsigned short>(__ww_bit_cast<unsigned short>(a) ^ 0x8000u));
}
__WW_BOTH __WW_T __habs(__WW_T a) {
    return __WW_F(
        __ushort_as_, )(static_cast<unsigned short>(__ww_bit_cast<unsigned short>(a) & 0x7fffu));
}
__WW_BOTH __WW_T2 __hneg2(__WW_T2 a) {
    return __WW_T2(__hneg(a.x), __hneg(a.y));
}
__WW_BOTH __WW_T2 __habs2(__WW_T2 a) {
    return __WW_T2(__habs(a.x), __habs(a.y));
}
__WW_BOTH __WW_T operator-(__WW_T a) {
    return __hneg(a);
}
__WW_BOTH __WW_T operator+(__WW_T a) {
    return a;
}
__WW_BOTH __WW_T2 operator-(__WW_T2 a) {
    return __hneg2(a);
}
__WW_BOTH __WW_T& operator++(__WW_T& a) {
    return a = a + __WW_T(1.0f);
}
__WW_BOTH __WW_T& operator--(__WW_T& a) {
    return a = a - __WW_T(1.0f);
}

// Comparisons, none of which holds for NaN, inequality included: of pairs, each side gives 1 or 0,
// the "b" forms ask whether both hold.
#define __WW_COMPARISON(name, op, test)                                    \
    __WW_BOTH bool __h##name(__WW_T a, __WW_T b) {                         \
        float x = static_cast<float>(a), y = static_cast<float>(b);        \
        return test;                                                       \
    }                                                                      \
    __WW_BOTH __WW_T2 __h##name##2(__WW_T2 a, __WW_T2 b) {                 \
        return __WW_F2(__floats2, _rn)(__h##name(a.x, b.x) ? 1.0f : 0.0f,  \
                                       __h##name(a.y, b.y) ? 1.0f : 0.0f); \
    }                                                                      \
    __WW_BOTH bool __hb##name##2(__WW_T2 a, __WW_T2 b) {                   \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                 \
    }                                                                      \
    __WW_BOTH bool operator op(__WW_T a, __WW_T b) {                       \
        return __h##name(a, b);                                            \
    }                                                                      \
    __WW_BOTH bool operator op(__WW_T2 a, __WW_T2 b) {                     \
        return __hb##name##2(a, b);                                        \
    }
__WW_COMPARISON(eq, ==, x == y)
__WW_COMPARISON(ne, !=, x<y || x> y)
__WW_COMPARISON(lt, <, x < y)
__WW_COMPARISON(le, <=, x <= y)
__WW_COMPARISON(gt, >, x > y)
__WW_COMPARISON(ge, >=, x >= y)
#undef __WW_COMPARISON
__WW_BOTH bool __hisnan(__WW_T a) {
    return static_cast<float>(a) != static_cast<float>(a);
}
__WW_BOTH int __hisinf(__WW_T a) {
    float x = static_cast<float>(a);
    return x == __ww::infinity<float>() ? 1 : x == -__ww::infinity<float>() ? -1 : 0;
}
__WW_BOTH __WW_T __hmin(__WW_T a, __WW_T b) {
    return __WW_T(__ww::fmin(static_cast<float>(a), static_cast<float>(b)));
}
__WW_BOTH __WW_T __hmax(__WW_T a, __WW_T b) {
    return __WW_T(__ww::fmax(static_cast<float>(a), static_cast<float>(b)));
}
__WW_BOTH __WW_T2 __hmin2(__WW_T2 a, __WW_T2 b) {
    return __WW_T2(__hmin(a.x, b.x), __hmin(a.y, b.y));
}
__WW_BOTH __WW_T2 __hmax2(__WW_T2 a, __WW_T2 b) {
    return __WW_T2(__hmax(a.x, b.x), __hmax(a.y, b.y));
}

// Functions, by way of float.
#define __WW_FUNCTION(name)                               \
    __WW_BOTH __WW_T h##name(__WW_T a) {                  \
        return __WW_T(__ww::name(static_cast<float>(a))); \
    }                                                     \
    __WW_BOTH __WW_T2 h2##name(__WW_T2 a) {               \
        return __WW_T2(h##name(a.x), h##name(a.y));       \
    }
__WW_FUNCTION(sqrt)
__WW_FUNCTION(rsqrt)
__WW_FUNCTION(exp)
__WW_FUNCTION(exp2)
__WW_FUNCTION(exp10)
__WW_FUNCTION(log)
__WW_FUNCTION(log2)
__WW_FUNCTION(log10)
__WW_FUNCTION(sin)
__WW_FUNCTION(cos)
__WW_FUNCTION(tanh)
__WW_FUNCTION(floor)
__WW_FUNCTION(ceil)
__WW_FUNCTION(trunc)
__WW_FUNCTION(rint)
#undef __WW_FUNCTION
__WW_BOTH __WW_T hrcp(__WW_T a) {
    return __WW_T(1.0f / static_cast<float>(a));
}
__WW_BOTH __WW_T2 h2rcp(__WW_T2 a) {
    return __WW_T2(hrcp(a.x), hrcp(a.y));
}

// Exchange between lanes.
#define __WW_EXCHANGE(type, name, mode, operand_type)                                              \
    __WW_DEVICE type __##name##_sync(unsigned int mask, type value, operand_type operand,          \
                                     int width = 32) {                                             \
        return __ww_exchange<type>::shuffle(mode, mask, value, static_cast<unsigned int>(operand), \
                                            width);                                                \
    }
#define __WW_EXCHANGES(type)                                        \
    __WW_EXCHANGE(type, shfl, __WW_SHUFFLE_INDEX, int)              \
    __WW_EXCHANGE(type, shfl_up, __WW_SHUFFLE_UP, unsigned int)     \
    __WW_EXCHANGE(type, shfl_down, __WW_SHUFFLE_DOWN, unsigned int) \
    __WW_EXCHANGE(type, shfl_xor, __WW_SHUFFLE_XOR, int)
__WW_EXCHANGES(__WW_T)
__WW_EXCHANGES(__WW_T2)
#undef __WW_EXCHANGES
#undef __WW_EXCHANGE

// Atomic sums, by compare and exchange of the bits; of a pair, each half is atomic by itself.
#define __WW_ATOMIC_SUM(type, bits)                                                     \
    __WW_DEVICE type atomicAdd(type* address, type value) {                             \
        bits* word = reinterpret_cast<bits*>(address);                                  \
        bits seen = __atomic_load_n(word, __ATOMIC_RELAXED);                            \
        while (!__atomic_compare_exchange_n(                                            \
            word, &seen, __ww_bit_cast<bits>(__ww_bit_cast<type>(seen) + value), false, \
            __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {                                      \
        }                                                                               \
        return __ww_bit_cast<type>(seen);                                               \
    }
__WW_ATOMIC_SUM(__WW_T, unsigned short)
__WW_ATOMIC_SUM(__WW_T2, unsigned int)
#undef __WW_ATOMIC_SUM

#include "sixteen_bits_rare.cuh"

#undef __WW_JOIN_
#undef __WW_JOIN
#undef __WW_F
#undef __WW_F2
#undef __WW_RAW2
#undef __WW_T
#undef __WW_T2
#undef __WW_N
#undef __WW_N2
#undef __WW_PTX
