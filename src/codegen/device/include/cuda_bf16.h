// CUDA's bfloat16: __nv_bfloat16, __nv_bfloat162 and their everyday functions.
#pragma once

extern "C++" {

struct __nv_bfloat16_raw {
    unsigned short x;
};

// The upper half of a float.
struct __nv_bfloat16 {
    __nv_bfloat16() = default;
    __host__ __device__ __nv_bfloat16(__nv_bfloat16_raw raw) : bits_(raw.x) {}
    __host__ __device__ __nv_bfloat16(float x) : bits_(nearest(x)) {}
    __host__ __device__ __nv_bfloat16(double x) : bits_(nearest(odd(x))) {}
    __host__ __device__ __nv_bfloat16(short x) : bits_(nearest(static_cast<float>(x))) {}
    __host__ __device__ __nv_bfloat16(unsigned short x) : bits_(nearest(static_cast<float>(x))) {}
    __host__ __device__ __nv_bfloat16(int x) : bits_(nearest(odd(static_cast<double>(x)))) {}
    __host__ __device__ __nv_bfloat16(unsigned int x)
        : bits_(nearest(odd(static_cast<double>(x)))) {}
    __host__ __device__ __nv_bfloat16(long x) : bits_(nearest(odd(static_cast<double>(x)))) {}
    __host__ __device__ __nv_bfloat16(unsigned long x)
        : bits_(nearest(odd(static_cast<double>(x)))) {}
    __host__ __device__ __nv_bfloat16(long long x) : bits_(nearest(odd(static_cast<double>(x)))) {}
    __host__ __device__ __nv_bfloat16(unsigned long long x)
        : bits_(nearest(odd(static_cast<double>(x)))) {}
    __host__ __device__ operator float() const {
        return __ww_bit_cast<float>(static_cast<unsigned int>(bits_) << 16);
    }
    __WW_NARROW_CASTS
    __host__ __device__ operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{bits_}; }

  private:
    // To the nearest, ties to even; a NaN becomes the one with all bits set.
    static __host__ __device__ __forceinline__ unsigned short nearest(float x) {
        unsigned int bits = __ww_bit_cast<unsigned int>(x);
        unsigned int rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
        return static_cast<unsigned short>(x != x ? 0x7fffu : rounded);
    }
    // A float that keeps, in its last bit, whether anything was cut off: the second rounding then
    // falls as the only one would.
    static __host__ __device__ __forceinline__ float odd(double x) {
        float cut = __ww::directed_float(x, __ww::to_zero);
        bool exact = static_cast<double>(cut) == x || x != x;
        return exact ? cut : __ww_bit_cast<float>(__ww_bit_cast<unsigned int>(cut) | 1u);
    }
    unsigned short bits_;
};

#define __WW_T __nv_bfloat16
#define __WW_T2 __nv_bfloat162
#define __WW_N bfloat16
#define __WW_N2 bfloat162
#define __WW_PTX "bf16"
#include "../core/sixteen_bits.cuh"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

}  // extern "C++"

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)
