// CUDA's half precision: __half, __half2 and their everyday functions.
#pragma once

extern "C++" {

struct __half_raw {
    unsigned short x;
};

struct __half {
    __half() = default;
    __host__ __device__ __half(__half_raw raw) : bits_(__ww_bit_cast<_Float16>(raw.x)) {}
    __host__ __device__ __half(float x) : bits_(static_cast<_Float16>(x)) {}
    __host__ __device__ __half(double x) : bits_(static_cast<_Float16>(x)) {}
    // Integers of any size: the float or double in between is exact or far beyond the range.
    __host__ __device__ __half(short x) : bits_(static_cast<_Float16>(static_cast<float>(x))) {}
    __host__ __device__ __half(unsigned short x)
        : bits_(static_cast<_Float16>(static_cast<float>(x))) {}
    __host__ __device__ __half(int x) : bits_(static_cast<_Float16>(static_cast<double>(x))) {}
    __host__ __device__ __half(unsigned int x)
        : bits_(static_cast<_Float16>(static_cast<double>(x))) {}
    __host__ __device__ __half(long x) : bits_(static_cast<_Float16>(static_cast<double>(x))) {}
    __host__ __device__ __half(unsigned long x)
        : bits_(static_cast<_Float16>(static_cast<double>(x))) {}
    __host__ __device__ __half(long long x)
        : bits_(static_cast<_Float16>(static_cast<double>(x))) {}
    __host__ __device__ __half(unsigned long long x)
        : bits_(static_cast<_Float16>(static_cast<double>(x))) {}
    __host__ __device__ operator float() const { return static_cast<float>(bits_); }
    __WW_NARROW_CASTS
    __host__ __device__ operator __half_raw() const {
        return __half_raw{__ww_bit_cast<unsigned short>(bits_)};
    }

  private:
    _Float16 bits_;
};

#define __WW_T __half
#define __WW_T2 __half2
#define __WW_N half
#define __WW_N2 half2
#define __WW_PTX "f16"
#include "../core/sixteen_bits.cuh"

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;

}  // extern "C++"

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
