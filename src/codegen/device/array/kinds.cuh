// The types of array elements by family, for the templates of functions.
#pragma once

// Integers: their unsigned counterpart, in which arithmetic wraps, at least 32 bits wide.
template <class T>
struct __ww_integer_kind {};
template <bool Signed, int Bits, class Unsigned, class Wide>
struct __ww_integer_of {
    enum { is_signed = Signed, bits = Bits };
    typedef Unsigned unsigned_type;
    typedef Wide wide_type;
    typedef int yes;
};
template <>
struct __ww_integer_kind<signed char> : __ww_integer_of<true, 8, unsigned char, unsigned int> {};
template <>
struct __ww_integer_kind<unsigned char> : __ww_integer_of<false, 8, unsigned char, unsigned int> {};
template <>
struct __ww_integer_kind<short> : __ww_integer_of<true, 16, unsigned short, unsigned int> {};
template <>
struct __ww_integer_kind<unsigned short>
    : __ww_integer_of<false, 16, unsigned short, unsigned int> {};
template <>
struct __ww_integer_kind<int> : __ww_integer_of<true, 32, unsigned int, unsigned int> {};
template <>
struct __ww_integer_kind<unsigned int> : __ww_integer_of<false, 32, unsigned int, unsigned int> {};
template <>
struct __ww_integer_kind<long long>
    : __ww_integer_of<true, 64, unsigned long long, unsigned long long> {};
template <>
struct __ww_integer_kind<unsigned long long>
    : __ww_integer_of<false, 64, unsigned long long, unsigned long long> {};

// float and double.
template <class T>
struct __ww_real_kind {};
template <>
struct __ww_real_kind<float> {
    typedef int yes;
};
template <>
struct __ww_real_kind<double> {
    typedef int yes;
};

// The 16-bit floats, which sixteen_bits.cuh defines.
template <class T>
struct __ww_sixteen_kind {};

#define __WW_FUNCTION __device__ __forceinline__
#define __WW_INTEGER                                           \
    template <class T, typename __ww_integer_kind<T>::yes = 0> \
    __WW_FUNCTION
#define __WW_SIXTEEN                                           \
    template <class T, typename __ww_sixteen_kind<T>::yes = 0> \
    __WW_FUNCTION
#define __WW_REAL                                           \
    template <class T, typename __ww_real_kind<T>::yes = 0> \
    __WW_FUNCTION
