// CUDA's numbers of 8 bits: __nv_fp8_e4m3 (4 bits of exponent, no infinity, up to 448) and
// __nv_fp8_e5m2 (a half without its lower byte), pairs and fours of them.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"

extern "C++" {

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };

namespace __ww {

// To the nearest, ties to even. Every step is exact in double but the one that rounds.
__WW_BOTH_LARGE unsigned char to_fp8(double x, __nv_saturation_t saturation,
                                     __nv_fp8_interpretation_t kind) {
    const int mantissa = kind == __NV_E4M3 ? 3 : 2;
    const int least = kind == __NV_E4M3 ? -6 : -14;  // exponent of the smallest normal number
    const double most = kind == __NV_E4M3 ? 448.0 : 57344.0;
    const unsigned long long bits = __ww_bit_cast<unsigned long long>(x);
    const unsigned char sign = static_cast<unsigned char>(bits >> 56 & 0x80u);
    if (x != x) return 0x7f;
    const double size = __ww_bit_cast<double>(bits & 0x7fffffffffffffffull);
    int exponent = static_cast<int>(bits >> 52 & 0x7ffu) - 1023;
    if (exponent < least) exponent = least;
    // Adding and taking away a power of two leaves a whole number of last places.
    const double place = __ww_bit_cast<double>(
        static_cast<unsigned long long>(exponent - mantissa + 52 + 1023) << 52);
    const double rounded = (size + place) - place;
    unsigned int result;
    if (rounded > most) {
        const bool stops = saturation == __NV_SATFINITE;
        result = kind == __NV_E4M3 ? (stops ? 0x7eu : 0x7fu) : (stops ? 0x7bu : 0x7cu);
    } else {
        // Counted in last places of the smallest normal number's binade, or behind the point.
        const unsigned long long words = __ww_bit_cast<unsigned long long>(rounded);
        const int top = static_cast<int>(words >> 52 & 0x7ffu) - 1023;
        if (rounded == 0.0 || top < least) {
            const double unit = __ww_bit_cast<double>(
                static_cast<unsigned long long>(mantissa - least + 1023) << 52);
            result = static_cast<unsigned int>(rounded * unit);
        } else {
            result = static_cast<unsigned int>(top - least + 1) << mantissa |
                     static_cast<unsigned int>(words >> (52 - mantissa) & ((1u << mantissa) - 1u));
        }
    }
    return static_cast<unsigned char>(sign | result);
}
__WW_BOTH float from_fp8(unsigned char x, __nv_fp8_interpretation_t kind) {
    const unsigned int sign = static_cast<unsigned int>(x & 0x80u) << 24;
    const int mantissa = kind == __NV_E4M3 ? 3 : 2;
    const unsigned int exponent = (x & 0x7fu) >> mantissa;
    const unsigned int rest = x & ((1u << mantissa) - 1u);
    if (kind == __NV_E4M3 ? (x & 0x7fu) == 0x7fu : exponent == 31u && rest != 0u) {
        return __ww_bit_cast<float>(0x7fffffffu);
    }
    if (kind == __NV_E5M2 && exponent == 31u) return __ww_bit_cast<float>(sign | 0x7f800000u);
    if (exponent == 0u) {
        const float unit = kind == __NV_E4M3 ? 0.001953125f : 0.0000152587890625f;
        const float size = static_cast<float>(rest) * unit;
        return __ww_bit_cast<float>(sign | __ww_bit_cast<unsigned int>(size));
    }
    const unsigned int bias = kind == __NV_E4M3 ? 7u : 15u;
    return __ww_bit_cast<float>(sign | (exponent + 127u - bias) << 23 | rest << (23 - mantissa));
}

}  // namespace __ww

// Functions of storage.
#define __WW_FP8_ARGUMENTS __nv_saturation_t saturation, __nv_fp8_interpretation_t interpretation
__WW_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __WW_FP8_ARGUMENTS) {
    return __ww::to_fp8(x, saturation, interpretation);
}
__WW_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __WW_FP8_ARGUMENTS) {
    return __ww::to_fp8(static_cast<double>(x), saturation, interpretation);
}
__WW_BOTH __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __WW_FP8_ARGUMENTS) {
    return __nv_cvt_float_to_fp8(static_cast<float>(__half(x)), saturation, interpretation);
}
__WW_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __WW_FP8_ARGUMENTS) {
    return __nv_cvt_float_to_fp8(static_cast<float>(__nv_bfloat16(x)), saturation, interpretation);
}
#define __WW_FP8_PAIR(name, type, one)                                                      \
    __WW_BOTH __nv_fp8x2_storage_t __nv_cvt_##name##_to_fp8x2(type x, __WW_FP8_ARGUMENTS) { \
        return static_cast<__nv_fp8x2_storage_t>(                                           \
            __nv_cvt_##one##_to_fp8(x.x, saturation, interpretation) |                      \
            __nv_cvt_##one##_to_fp8(x.y, saturation, interpretation) << 8);                 \
    }
__WW_FP8_PAIR(double2, double2, double)
__WW_FP8_PAIR(float2, float2, float)
#undef __WW_FP8_PAIR
__WW_BOTH __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __WW_FP8_ARGUMENTS) {
    return static_cast<__nv_fp8x2_storage_t>(
        __nv_cvt_halfraw_to_fp8(__half_raw{x.x}, saturation, interpretation) |
        __nv_cvt_halfraw_to_fp8(__half_raw{x.y}, saturation, interpretation) << 8);
}
__WW_BOTH __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x,
                                                              __WW_FP8_ARGUMENTS) {
    return static_cast<__nv_fp8x2_storage_t>(
        __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{x.x}, saturation, interpretation) |
        __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{x.y}, saturation, interpretation) << 8);
}
#undef __WW_FP8_ARGUMENTS
__WW_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x,
                                             __nv_fp8_interpretation_t interpretation) {
    return static_cast<__half_raw>(__half(__ww::from_fp8(x, interpretation)));
}
__WW_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                 __nv_fp8_interpretation_t interpretation) {
    return __half2_raw{
        __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x), interpretation).x,
        __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x >> 8), interpretation).x};
}

// The types: from and to what they may be made of, by hand only.
#define __WW_FP8_FROM(name, type) \
    explicit __host__ __device__ name(type x) : name(static_cast<double>(x)) {}
#define __WW_FP8_TO(type, expression)                    \
    explicit __host__ __device__ operator type() const { \
        return expression;                               \
    }
#define __WW_FP8_INTEGER(type)                                                 \
    explicit __host__ __device__ operator type() const {                       \
        return __ww::to_integer<type>(__ww::trunc(static_cast<float>(*this))); \
    }
#define __WW_FP8(name, kind)                                                                \
    struct name {                                                                           \
        __nv_fp8_storage_t __x;                                                             \
        name() = default;                                                                   \
        explicit __host__ __device__ name(double x)                                         \
            : __x(__ww::to_fp8(x, __NV_SATFINITE, kind)) {}                                 \
        __WW_FP8_FROM(name, float)                                                          \
        __WW_FP8_FROM(name, short)                                                          \
        __WW_FP8_FROM(name, unsigned short)                                                 \
        __WW_FP8_FROM(name, int)                                                            \
        __WW_FP8_FROM(name, unsigned int)                                                   \
        __WW_FP8_FROM(name, long)                                                           \
        __WW_FP8_FROM(name, unsigned long)                                                  \
        __WW_FP8_FROM(name, long long)                                                      \
        __WW_FP8_FROM(name, unsigned long long)                                             \
        explicit __host__ __device__ name(__half x) : name(static_cast<float>(x)) {}        \
        explicit __host__ __device__ name(__nv_bfloat16 x) : name(static_cast<float>(x)) {} \
        __WW_FP8_TO(float, __ww::from_fp8(__x, kind))                                       \
        __WW_FP8_TO(double, static_cast<double>(static_cast<float>(*this)))                 \
        __WW_FP8_TO(__half, __half(static_cast<float>(*this)))                              \
        __WW_FP8_TO(__nv_bfloat16, __nv_bfloat16(static_cast<float>(*this)))                \
        __WW_FP8_TO(bool, (__x & 0x7fu) != 0)                                               \
        __WW_FP8_INTEGER(char)                                                              \
        __WW_FP8_INTEGER(signed char)                                                       \
        __WW_FP8_INTEGER(unsigned char)                                                     \
        __WW_FP8_INTEGER(short)                                                             \
        __WW_FP8_INTEGER(unsigned short)                                                    \
        __WW_FP8_INTEGER(int)                                                               \
        __WW_FP8_INTEGER(unsigned int)                                                      \
        __WW_FP8_INTEGER(long)                                                              \
        __WW_FP8_INTEGER(unsigned long)                                                     \
        __WW_FP8_INTEGER(long long)                                                         \
        __WW_FP8_INTEGER(unsigned long long)                                                \
    };
__WW_FP8(__nv_fp8_e4m3, __NV_E4M3)
__WW_FP8(__nv_fp8_e5m2, __NV_E5M2)
#undef __WW_FP8
#undef __WW_FP8_FROM
#undef __WW_FP8_TO
#undef __WW_FP8_INTEGER

#define __WW_FP8_SEVERAL(suffix, kind)                                                            \
    struct __nv_fp8x2_##suffix {                                                                  \
        __nv_fp8x2_storage_t __x;                                                                 \
        __nv_fp8x2_##suffix() = default;                                                          \
        explicit __host__ __device__ __nv_fp8x2_##suffix(float2 x)                                \
            : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, kind)) {}                           \
        explicit __host__ __device__ __nv_fp8x2_##suffix(double2 x)                               \
            : __x(__nv_cvt_double2_to_fp8x2(x, __NV_SATFINITE, kind)) {}                          \
        explicit __host__ __device__ __nv_fp8x2_##suffix(__half2 x)                               \
            : __nv_fp8x2_##suffix(__half22float2(x)) {}                                           \
        explicit __host__ __device__ __nv_fp8x2_##suffix(__nv_bfloat162 x)                        \
            : __nv_fp8x2_##suffix(__bfloat1622float2(x)) {}                                       \
        explicit __host__ __device__ operator float2() const {                                    \
            return float2{__ww::from_fp8(static_cast<unsigned char>(__x), kind),                  \
                          __ww::from_fp8(static_cast<unsigned char>(__x >> 8), kind)};            \
        }                                                                                         \
        explicit __host__ __device__ operator __half2() const {                                   \
            return __float22half2_rn(static_cast<float2>(*this));                                 \
        }                                                                                         \
    };                                                                                            \
    struct __nv_fp8x4_##suffix {                                                                  \
        __nv_fp8x4_storage_t __x;                                                                 \
        __nv_fp8x4_##suffix() = default;                                                          \
        explicit __host__ __device__ __nv_fp8x4_##suffix(float4 x)                                \
            : __x(joined(__nv_fp8x2_##suffix(float2{x.x, x.y}),                                   \
                         __nv_fp8x2_##suffix(float2{x.z, x.w}))) {}                               \
        explicit __host__ __device__ __nv_fp8x4_##suffix(double4 x)                               \
            : __x(joined(__nv_fp8x2_##suffix(double2{x.x, x.y}),                                  \
                         __nv_fp8x2_##suffix(double2{x.z, x.w}))) {}                              \
        explicit __host__ __device__ __nv_fp8x4_##suffix(__half2 low, __half2 high)               \
            : __x(joined(__nv_fp8x2_##suffix(low), __nv_fp8x2_##suffix(high))) {}                 \
        explicit __host__ __device__ __nv_fp8x4_##suffix(__nv_bfloat162 low, __nv_bfloat162 high) \
            : __x(joined(__nv_fp8x2_##suffix(low), __nv_fp8x2_##suffix(high))) {}                 \
        explicit __host__ __device__ operator float4() const {                                    \
            __nv_fp8x2_##suffix low, high;                                                        \
            low.__x = static_cast<__nv_fp8x2_storage_t>(__x);                                     \
            high.__x = static_cast<__nv_fp8x2_storage_t>(__x >> 16);                              \
            const float2 a = static_cast<float2>(low), b = static_cast<float2>(high);             \
            return float4{a.x, a.y, b.x, b.y};                                                    \
        }                                                                                         \
                                                                                                  \
      private:                                                                                    \
        static __host__ __device__ __nv_fp8x4_storage_t joined(__nv_fp8x2_##suffix low,           \
                                                               __nv_fp8x2_##suffix high) {        \
            return low.__x | static_cast<unsigned int>(high.__x) << 16;                           \
        }                                                                                         \
    };
__WW_FP8_SEVERAL(e4m3, __NV_E4M3)
__WW_FP8_SEVERAL(e5m2, __NV_E5M2)
#undef __WW_FP8_SEVERAL

}  // extern "C++"
