// Integer intrinsics: counting, permuting, wide products, dot products and bit casts.
#pragma once

template <class To, class From>
__WW_BOTH To __ww_bit_cast(From value) {
    static_assert(sizeof(To) == sizeof(From), "a bit cast keeps the size");
    return __builtin_bit_cast(To, value);
}

__WW_BOTH int __popc(unsigned int x) {
    return __builtin_popcount(x);
}
__WW_BOTH int __popcll(unsigned long long x) {
    return __builtin_popcountll(x);
}
__WW_BOTH int __clz(int x) {
    return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x));
}
__WW_BOTH int __clzll(long long x) {
    return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
__WW_BOTH int __ffs(int x) {
    return __builtin_ffs(x);
}
__WW_BOTH int __ffsll(long long x) {
    return __builtin_ffsll(x);
}
__WW_BOTH unsigned int __brev(unsigned int x) {
    return __builtin_bitreverse32(x);
}
__WW_BOTH unsigned long long __brevll(unsigned long long x) {
    return __builtin_bitreverse64(x);
}

// Position of the n-th set bit of `mask`, counted from `base` upwards (n > 0), downwards (n < 0) or
// at `base` itself (n = 0); 0xffffffff when there is none.
__WW_BOTH_LARGE unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
    if (base > 31u) return 0xffffffffu;
    if (offset == 0) return (mask >> base) & 1u ? base : 0xffffffffu;
    // Counting downwards is counting upwards in the mirrored word.
    bool down = offset < 0;
    unsigned int left = down ? __brev(mask) >> (31u - base) : mask >> base;
    for (int skip = (down ? -offset : offset) - 1; skip > 0; --skip) left &= left - 1u;
    unsigned int found = static_cast<unsigned int>(__builtin_ffs(static_cast<int>(left))) - 1u;
    return left == 0u ? 0xffffffffu : down ? base - found : base + found;
}

__WW_BOTH unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
    unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
    unsigned int result = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        unsigned int source = (selector >> (4 * i)) & 7u;
        result |= static_cast<unsigned int>((bytes >> (8 * source)) & 0xffu) << (8 * i);
    }
    return result;
}

// Funnel shifts of the 64-bit value hi:lo; the plain ones take the shift modulo 32, the clamped
// ones stop at 32.
__WW_BOTH unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int shift) {
    unsigned long long value = static_cast<unsigned long long>(hi) << 32 | lo;
    return static_cast<unsigned int>((value << (shift & 31u)) >> 32);
}
__WW_BOTH unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int shift) {
    unsigned long long value = static_cast<unsigned long long>(hi) << 32 | lo;
    return static_cast<unsigned int>((value << (shift < 32u ? shift : 32u)) >> 32);
}
__WW_BOTH unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int shift) {
    unsigned long long value = static_cast<unsigned long long>(hi) << 32 | lo;
    return static_cast<unsigned int>(value >> (shift & 31u));
}
__WW_BOTH unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int shift) {
    unsigned long long value = static_cast<unsigned long long>(hi) << 32 | lo;
    return static_cast<unsigned int>(value >> (shift < 32u ? shift : 32u));
}

__WW_BOTH int __mul24(int x, int y) {
    int a = static_cast<int>(static_cast<unsigned int>(x) << 8) >> 8;
    int b = static_cast<int>(static_cast<unsigned int>(y) << 8) >> 8;
    return static_cast<int>(static_cast<unsigned int>(a) * static_cast<unsigned int>(b));
}
__WW_BOTH unsigned int __umul24(unsigned int x, unsigned int y) {
    return (x & 0xffffffu) * (y & 0xffffffu);
}
__WW_BOTH int __mulhi(int x, int y) {
    return static_cast<int>((static_cast<long long>(x) * y) >> 32);
}
__WW_BOTH unsigned int __umulhi(unsigned int x, unsigned int y) {
    return static_cast<unsigned int>((static_cast<unsigned long long>(x) * y) >> 32);
}
__WW_BOTH long long __mul64hi(long long x, long long y) {
    return static_cast<long long>((static_cast<__int128>(x) * y) >> 64);
}
__WW_BOTH unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return static_cast<unsigned long long>((static_cast<unsigned __int128>(x) * y) >> 64);
}

// Averages without overflow, and sums of absolute differences.
__WW_BOTH int __hadd(int x, int y) {
    return static_cast<int>((static_cast<long long>(x) + y) >> 1);
}
__WW_BOTH unsigned int __uhadd(unsigned int x, unsigned int y) {
    return (x & y) + ((x ^ y) >> 1);
}
__WW_BOTH int __rhadd(int x, int y) {
    return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1);
}
__WW_BOTH unsigned int __urhadd(unsigned int x, unsigned int y) {
    return (x | y) - ((x ^ y) >> 1);
}
__WW_BOTH unsigned int __sad(int x, int y, unsigned int z) {
    unsigned int a = static_cast<unsigned int>(x), b = static_cast<unsigned int>(y);
    return (x > y ? a - b : b - a) + z;
}
__WW_BOTH unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) {
    return (x > y ? x - y : y - x) + z;
}

// Dot products of packed integers, plus an accumulator.
template <class Element, class Word>
__WW_BOTH int __ww_byte(Word word, int i) {
    return static_cast<Element>(static_cast<unsigned int>(word) >> (8 * i));
}
template <class A, class B>
__WW_BOTH unsigned int __ww_dp4a(unsigned int a, unsigned int b, unsigned int sum) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        sum += static_cast<unsigned int>(__ww_byte<A>(a, i) * __ww_byte<B>(b, i));
    }
    return sum;
}
template <class A, class B>
__WW_BOTH unsigned int __ww_dp2a(unsigned int a, unsigned int b, unsigned int sum) {
    sum += static_cast<unsigned int>(static_cast<A>(a) * __ww_byte<B>(b, 0));
    return sum + static_cast<unsigned int>(static_cast<A>(a >> 16) * __ww_byte<B>(b, 1));
}
__WW_BOTH int __dp4a(int a, int b, int c) {
    return static_cast<int>(__ww_dp4a<signed char, signed char>(
        static_cast<unsigned int>(a), static_cast<unsigned int>(b), static_cast<unsigned int>(c)));
}
__WW_BOTH unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
    return __ww_dp4a<unsigned char, unsigned char>(a, b, c);
}
__WW_BOTH int __dp4a(char4 a, char4 b, int c) {
    return __dp4a(__ww_bit_cast<int>(a), __ww_bit_cast<int>(b), c);
}
__WW_BOTH unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
    return __dp4a(__ww_bit_cast<unsigned int>(a), __ww_bit_cast<unsigned int>(b), c);
}
__WW_BOTH int __dp2a_lo(int a, int b, int c) {
    return static_cast<int>(__ww_dp2a<short, signed char>(
        static_cast<unsigned int>(a), static_cast<unsigned int>(b), static_cast<unsigned int>(c)));
}
__WW_BOTH unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c) {
    return __ww_dp2a<unsigned short, unsigned char>(a, b, c);
}
__WW_BOTH int __dp2a_hi(int a, int b, int c) {
    return __dp2a_lo(a, static_cast<int>(static_cast<unsigned int>(b) >> 16), c);
}
__WW_BOTH unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c) {
    return __dp2a_lo(a, b >> 16, c);
}

__WW_BOTH int __float_as_int(float x) {
    return __ww_bit_cast<int>(x);
}
__WW_BOTH unsigned int __float_as_uint(float x) {
    return __ww_bit_cast<unsigned int>(x);
}
__WW_BOTH float __int_as_float(int x) {
    return __ww_bit_cast<float>(x);
}
__WW_BOTH float __uint_as_float(unsigned int x) {
    return __ww_bit_cast<float>(x);
}
__WW_BOTH long long __double_as_longlong(double x) {
    return __ww_bit_cast<long long>(x);
}
__WW_BOTH double __longlong_as_double(long long x) {
    return __ww_bit_cast<double>(x);
}
__WW_BOTH int __double2hiint(double x) {
    return static_cast<int>(__double_as_longlong(x) >> 32);
}
__WW_BOTH int __double2loint(double x) {
    return static_cast<int>(__double_as_longlong(x));
}
__WW_BOTH double __hiloint2double(int hi, int lo) {
    return __longlong_as_double(static_cast<long long>(
        static_cast<unsigned long long>(static_cast<unsigned int>(hi)) << 32 |
        static_cast<unsigned int>(lo)));
}
