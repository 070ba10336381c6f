// The device's side of PrintfRing: CUDA C++ for the prelude of every source. In a module whose ring
// is not bound, as in code that is loaded elsewhere, it calls the driver's printf. All names are
// reserved ones: options of the user define macros before it (-Dn=8).
#pragma once

#include <string_view>

namespace warpwise::cuda {

inline constexpr std::string_view kPrintfHeader = "warpwise_printf.h";
// The pointer to the ring, in modules that print.
inline constexpr const char* kPrintfVariable =
    "_ZZ13__ww_print_toI15__ww_print_ringEPVPT_vE6__ring";

// Words of a line: its length and the number of arguments; grid; block; two bits an argument that
// its kind; the arguments; then the format and each text, as its bytes and their number.
inline constexpr std::string_view kPrintfText = R"(#pragma once
struct __ww_print_argument {
    unsigned long long __value;
    unsigned long long __kind;
    __device__ __ww_print_argument() : __value(0), __kind(0) {}
    __device__ __ww_print_argument(int __v) : __value((unsigned)__v), __kind(0) {}
    __device__ __ww_print_argument(unsigned __v) : __value(__v), __kind(0) {}
    __device__ __ww_print_argument(long __v) : __value(__v), __kind(1) {}
    __device__ __ww_print_argument(unsigned long __v) : __value(__v), __kind(1) {}
    __device__ __ww_print_argument(long long __v) : __value(__v), __kind(1) {}
    __device__ __ww_print_argument(unsigned long long __v) : __value(__v), __kind(1) {}
    __device__ __ww_print_argument(double __v) : __value(__double_as_longlong(__v)), __kind(1) {}
    __device__ __ww_print_argument(const void *__v) : __value((unsigned long long)__v), __kind(1) {}
    __device__ __ww_print_argument(const char *__v) : __value((unsigned long long)__v), __kind(2) {}
};
struct __ww_print_ring {
    unsigned long long __head, __capacity;
    volatile unsigned long long *__words, *__tail, *__front, *__lost;

    static __device__ unsigned long long __size_of(const char *__text)
    {
        unsigned long long __bytes = 0;
        while (__text && __bytes < 4096 && __text[__bytes]) ++__bytes;
        return __bytes;
    }
    __device__ bool __reserve(unsigned long long __count, unsigned long long &__at)
    {
        __at = *(volatile unsigned long long *)&__head;
        for (;;) {
            if (__at + __count - *__tail > __capacity) {
                *__lost = 1;
                return false;
            }
            const unsigned long long __seen = atomicCAS(&__head, __at, __at + __count);
            if (__seen == __at) break;
            __at = __seen;
        }
        *__front = __at + __count;
        return true;
    }
    __device__ void __put(unsigned long long &__at, unsigned long long __word)
    {
        __words[__at++ & (__capacity - 1)] = __word;
    }
    __device__ void __put_text(unsigned long long &__at, const char *__text, unsigned long long __bytes)
    {
        __put(__at, __bytes);
        for (unsigned long long __i = 0; __i < __bytes; __i += 8) {
            unsigned long long __word = 0;
            for (unsigned long long __j = __i; __j < __bytes && __j < __i + 8; ++__j)
                __word |= (unsigned long long)(unsigned char)__text[__j] << 8 * (__j - __i);
            __put(__at, __word);
        }
    }
    __device__ __noinline__ int __print(const char *__format, const __ww_print_argument *__list, int __n)
    {
        unsigned long long __kinds = 0, __count = 5 + __n + (__size_of(__format) + 7) / 8, __at, __grid;
        for (int __i = 0; __i < __n; ++__i) {
            __kinds |= __list[__i].__kind << 2 * __i;
            if (__list[__i].__kind == 2) __count += 1 + (__size_of((const char *)__list[__i].__value) + 7) / 8;
        }
        if (!__reserve(__count, __at)) return __n;
        const unsigned long long __first = __at++;
        asm volatile("mov.u64 %0, %%gridid;" : "=l"(__grid));
        __put(__at, __grid);
        __put(__at, blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z));
        __put(__at, __kinds);
        for (int __i = 0; __i < __n; ++__i) __put(__at, __list[__i].__value);
        __put_text(__at, __format, __size_of(__format));
        for (int __i = 0; __i < __n; ++__i) {
            const char *__text = (const char *)__list[__i].__value;
            if (__list[__i].__kind == 2) __put_text(__at, __text, __size_of(__text));
        }
        __threadfence_system();
        __words[__first & (__capacity - 1)] = __count | (unsigned long long)__n << 32;
        return __n;
    }
};
// A variable of a template, which C++11 has in functions alone, is there only where it is used.
template <class __T> __device__ __T *volatile *__ww_print_to()
{
    static __device__ __T *__ring = nullptr;
    return (__T *volatile *)&__ring;
}
template <class... __A> __device__ int __ww_printf(const char *__format, __A... __arguments)
{
    static_assert(sizeof...(__A) <= 32, "printf takes at most 32 arguments on a GPU");
    // Volatile: nothing here ever sets it.
    __ww_print_ring *__ring = *__ww_print_to<__ww_print_ring>();
    if (!__ring) return printf(__format, __arguments...);
    if (!__format) return -1;
    const __ww_print_argument __list[sizeof...(__A) + 1] = {__ww_print_argument(__arguments)...};
    return __ring->__print(__format, __list, sizeof...(__A));
}
namespace std { using ::__ww_printf; }
#define printf __ww_printf
)";

}  // namespace warpwise::cuda
