// Functions that CUDA has dropped, that nvcc takes from the host's C library, and that our headers
// call by the names of clang or of our own mathematics.
#pragma once

extern "C++" {

// Shuffles and votes without _sync: among the threads that are there.
#define __WW_SHUFFLE(name, third)                                   \
    template <class T>                                              \
    __WW_DEVICE T name(T value, third lane, int width = warpSize) { \
        return name##_sync(__activemask(), value, lane, width);     \
    }
__WW_SHUFFLE(__shfl, int)
__WW_SHUFFLE(__shfl_up, unsigned int)
__WW_SHUFFLE(__shfl_down, unsigned int)
__WW_SHUFFLE(__shfl_xor, int)
#undef __WW_SHUFFLE
__WW_DEVICE int __all(int predicate) {
    return __all_sync(__activemask(), predicate);
}
__WW_DEVICE int __any(int predicate) {
    return __any_sync(__activemask(), predicate);
}
__WW_DEVICE unsigned int __ballot(int predicate) {
    return __ballot_sync(__activemask(), predicate);
}

__WW_DEVICE unsigned int __ww_lane() {
    unsigned int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
#define __WW_SHUFFLE_INDEX 0u
#define __WW_SHUFFLE_UP 1u
#define __WW_SHUFFLE_DOWN 2u
#define __WW_SHUFFLE_XOR 3u
// The mode is a constant at every call.
__WW_DEVICE unsigned int __ww_shuffle32(unsigned int mode, unsigned int mask, unsigned int value,
                                        unsigned int operand, unsigned int width) {
    const int segment = static_cast<int>(width);
    return mode == __WW_SHUFFLE_INDEX ? __shfl_sync(mask, value, static_cast<int>(operand), segment)
           : mode == __WW_SHUFFLE_UP  ? __shfl_up_sync(mask, value, operand, segment)
           : mode == __WW_SHUFFLE_DOWN
               ? __shfl_down_sync(mask, value, operand, segment)
               : __shfl_xor_sync(mask, value, static_cast<int>(operand), segment);
}
#define __WW_LANEMASK(which)                                    \
    __WW_DEVICE unsigned int __lanemask_##which() {             \
        unsigned int mask;                                      \
        asm("mov.u32 %0, %%lanemask_" #which ";" : "=r"(mask)); \
        return mask;                                            \
    }
__WW_LANEMASK(eq)
__WW_LANEMASK(lt)
__WW_LANEMASK(le)
__WW_LANEMASK(gt)
__WW_LANEMASK(ge)
#undef __WW_LANEMASK

template <class To, class From>
__WW_BOTH constexpr To __ww_bit_cast(const From& from) {
    return __builtin_bit_cast(To, from);
}

__WW_DEVICE void abort() {
    __trap();
}
__WW_DEVICE void* calloc(size_t count, size_t bytes) {
    if (bytes != 0 && count > SIZE_MAX / bytes) return nullptr;
    void* const pointer = malloc(count * bytes);
    return pointer == nullptr ? nullptr : memset(pointer, 0, count * bytes);
}
__WW_DEVICE void* memmove(void* to, const void* from, size_t bytes) {
    unsigned char* const p = static_cast<unsigned char*>(to);
    const unsigned char* const q = static_cast<const unsigned char*>(from);
    if (p <= q) {
        for (size_t i = 0; i < bytes; ++i) p[i] = q[i];
    } else {
        for (size_t i = bytes; i > 0; --i) p[i - 1] = q[i - 1];
    }
    return to;
}
__WW_BOTH bool isnormal(float x) {
    return isfinite(x) && ((__float_as_uint(x) << 1) >> 24) != 0;
}
__WW_BOTH bool isnormal(double x) {
    return isfinite(x) && ((__double_as_longlong(x) & 0x7ff0000000000000ll) != 0);
}

// Mathematics under the names of math/.
namespace __ww {
using ::exp;
using ::fabs;
using ::fma;
using ::hypot;
using ::log;
using ::sqrt;
using ::trunc;
}  // namespace __ww

// What <bit> counts, in constants too, where there are no instructions for it.
__WW_BOTH constexpr int __ww_popcount(unsigned long long x) {
    return !__builtin_is_constant_evaluated() ? __popcll(x)
           : x == 0                           ? 0
                                              : 1 + __ww_popcount(x & (x - 1));
}
__WW_BOTH constexpr int __ww_clz(unsigned long long x) {
    return !__builtin_is_constant_evaluated() ? __clzll(x) : x == 0 ? 64 : __ww_clz(x >> 1) - 1;
}
__WW_BOTH constexpr int __ww_ctz(unsigned long long x) {
    return __ww_popcount(~x & (x - 1));
}

}  // extern "C++"

typedef char* __ww_va_list;

// Clang's names. The numbers are constants.
#define __builtin_huge_val() __builtin_bit_cast(double, 0x7ff0000000000000ull)
#define __builtin_huge_valf() __builtin_bit_cast(float, 0x7f800000u)
#define __builtin_inf() __builtin_huge_val()
#define __builtin_inff() __builtin_huge_valf()
#define __builtin_nan(text) __builtin_bit_cast(double, 0x7ff8000000000000ull)
#define __builtin_nanf(text) __builtin_bit_cast(float, 0x7fc00000u)
#define __builtin_nans(text) __builtin_bit_cast(double, 0x7ff4000000000000ull)
#define __builtin_nansf(text) __builtin_bit_cast(float, 0x7fa00000u)
#define __builtin_popcount(x) __ww_popcount(x)
#define __builtin_popcountll(x) __ww_popcount(x)
#define __builtin_clzll(x) __ww_clz(x)
#define __builtin_ctz(x) __ww_ctz(x)
#define __builtin_ctzll(x) __ww_ctz(x)
#define __builtin_va_list __ww_va_list
#define __builtin_memcpy(to, from, bytes) memcpy(to, from, bytes)
#define __builtin_memset(to, value, bytes) memset(to, value, bytes)
#define __builtin_memmove(to, from, bytes) memmove(to, from, bytes)
