// Conversions, as NumPy's astype: to bool whether not zero; integers wrap; floats to integers
// towards zero, outside of the range to its nearest end, NaN to 0.
#pragma once

#include "kinds.cuh"

template <class To>
struct __ww_to {
    template <class From>
    static __WW_FUNCTION To from(From a) {
        return (To)a;
    }
};
template <>
struct __ww_to<bool> {
    template <class From>
    static __WW_FUNCTION bool from(From a) {
        return a != From(0);
    }
};

// PTX's conversions saturate at 32 and 64 bits; NaN is 0 for some pairs of types only.
#define __WW_FROM_REAL(To, FromFloat, FromDouble)  \
    template <>                                    \
    struct __ww_to<To> {                           \
        template <class From>                      \
        static __WW_FUNCTION To from(From a) {     \
            return (To)a;                          \
        }                                          \
        static __WW_FUNCTION To from(float a) {    \
            return a != a ? (To)0 : FromFloat(a);  \
        }                                          \
        static __WW_FUNCTION To from(double a) {   \
            return a != a ? (To)0 : FromDouble(a); \
        }                                          \
    };
__WW_FROM_REAL(int, __float2int_rz, __double2int_rz)
__WW_FROM_REAL(unsigned int, __float2uint_rz, __double2uint_rz)
__WW_FROM_REAL(long long, __float2ll_rz, __double2ll_rz)
__WW_FROM_REAL(unsigned long long, __float2ull_rz, __double2ull_rz)
#undef __WW_FROM_REAL

// Narrow integers, by way of int.
#define __WW_FROM_REAL(To, Least, Most)                               \
    template <>                                                       \
    struct __ww_to<To> {                                              \
        template <class From>                                         \
        static __WW_FUNCTION To from(From a) {                        \
            return (To)a;                                             \
        }                                                             \
        static __WW_FUNCTION To cut(int a) {                          \
            return (To)(a<(Least) ? (Least) : a>(Most) ? (Most) : a); \
        }                                                             \
        static __WW_FUNCTION To from(float a) {                       \
            return cut(__ww_to<int>::from(a));                        \
        }                                                             \
        static __WW_FUNCTION To from(double a) {                      \
            return cut(__ww_to<int>::from(a));                        \
        }                                                             \
    };
__WW_FROM_REAL(signed char, -128, 127)
__WW_FROM_REAL(unsigned char, 0, 255)
__WW_FROM_REAL(short, -32768, 32767)
__WW_FROM_REAL(unsigned short, 0, 65535)
#undef __WW_FROM_REAL

template <class To, class From>
__WW_FUNCTION To __ww_cast(From a) {
    return __ww_to<To>::from(a);
}
