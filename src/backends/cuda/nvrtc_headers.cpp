// Texts.
#include "src/backends/cuda/nvrtc_headers.hpp"

#include "src/backends/cuda/printf_source.hpp"

namespace warpwise::cuda {
namespace {

constexpr std::string_view kNothing = "#pragma once\n";

constexpr std::string_view kIntegers = R"(#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef long intmax_t;
typedef unsigned long uintmax_t;
#define INT8_MIN (-128)
#define INT16_MIN (-32768)
#define INT32_MIN (-2147483647 - 1)
#define INT64_MIN (-9223372036854775807L - 1)
#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX 2147483647
#define INT64_MAX 9223372036854775807L
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295U
#define UINT64_MAX 18446744073709551615UL
#define SIZE_MAX 18446744073709551615UL
)";

constexpr std::string_view kLimits = R"(#pragma once
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN (-128)
#define CHAR_MAX 127
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-9223372036854775807L - 1)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL - 1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
)";

constexpr std::string_view kFloats = R"(#pragma once
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define FLT_MAX 3.402823466e+38F
#define FLT_MIN 1.175494351e-38F
#define FLT_EPSILON 1.192092896e-07F
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MIN_EXP (-1021)
#define DBL_MAX_EXP 1024
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
)";

constexpr std::string_view kMath = R"(#pragma once
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#ifndef HUGE_VAL
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000)
#define HUGE_VALF INFINITY
#endif
)";

constexpr std::string_view kPreludeText = R"(#pragma once
#include <limits.h>
#include <math.h>
#include <warpwise_printf.h>
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#define __WW_SHUFFLE(name, third)                                                          \
    template <class T>                                                                     \
    static __device__ __forceinline__ T name(T value, third lane, int width = warpSize) {  \
        return name##_sync(__activemask(), value, lane, width);                            \
    }
__WW_SHUFFLE(__shfl, int)
__WW_SHUFFLE(__shfl_up, unsigned int)
__WW_SHUFFLE(__shfl_down, unsigned int)
__WW_SHUFFLE(__shfl_xor, int)
#undef __WW_SHUFFLE
static __device__ __forceinline__ int __all(int p) { return __all_sync(__activemask(), p); }
static __device__ __forceinline__ int __any(int p) { return __any_sync(__activemask(), p); }
static __device__ __forceinline__ unsigned int __ballot(int p)
{
    return __ballot_sync(__activemask(), p);
}
)";

constexpr HeaderText kHeaders[] = {
    {kPrelude, kPreludeText},
    {kPrintfHeader, kPrintfText},
    {"new", kNothing},
    {"stdint.h", kIntegers},
    {"cstdint", kIntegers},
    {"inttypes.h", kIntegers},
    {"limits.h", kLimits},
    {"climits", kLimits},
    {"float.h", kFloats},
    {"cfloat", kFloats},
    {"math.h", kMath},
    {"cmath", kMath},
    {"stdio.h", kNothing},
    {"cstdio", kNothing},
    {"stdlib.h", kNothing},
    {"cstdlib", kNothing},
    {"string.h", kNothing},
    {"cstring", kNothing},
    {"stddef.h", kNothing},
    {"cstddef", kNothing},
    {"assert.h", kNothing},
    {"cassert", kNothing},
    {"time.h", kNothing},
    {"iostream", kNothing},
    {"cuda.h", kNothing},
    {"cuda_runtime.h", kNothing},
    {"cuda_runtime_api.h", kNothing},
    {"device_launch_parameters.h", kNothing},
    {"device_functions.h", kNothing},
    {"math_functions.h", kNothing},
    {"vector_types.h", kNothing},
    {"vector_functions.h", kNothing},
};

}  // namespace

std::span<const HeaderText> nvrtc_headers() noexcept {
    return kHeaders;
}

}  // namespace warpwise::cuda
