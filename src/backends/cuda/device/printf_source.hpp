// The device's side of PrintfRing: CUDA C++ for the prelude of every source. In a module whose ring
// is not bound, as in code that is loaded elsewhere, it calls the driver's printf.
#pragma once

#include <string_view>

namespace warpwise::cuda {

inline constexpr std::string_view kPrintfHeader = "warpwise_printf.h";
// The pointer to the ring, in modules that print.
inline constexpr const char* kPrintfVariable = "_Z13__ww_print_toI15__ww_print_ringE";

// Words of a line: its length and the number of arguments; grid; block; two bits an argument that
// its kind; the arguments; then the format and each text, as its bytes and their number.
inline constexpr std::string_view kPrintfText = R"(#pragma once
struct __ww_print_argument {
    unsigned long long value;
    unsigned long long kind;
    __device__ __ww_print_argument() : value(0), kind(0) {}
    __device__ __ww_print_argument(int v) : value((unsigned)v), kind(0) {}
    __device__ __ww_print_argument(unsigned v) : value(v), kind(0) {}
    __device__ __ww_print_argument(long v) : value(v), kind(1) {}
    __device__ __ww_print_argument(unsigned long v) : value(v), kind(1) {}
    __device__ __ww_print_argument(long long v) : value(v), kind(1) {}
    __device__ __ww_print_argument(unsigned long long v) : value(v), kind(1) {}
    __device__ __ww_print_argument(double v) : value(__double_as_longlong(v)), kind(1) {}
    __device__ __ww_print_argument(const void *v) : value((unsigned long long)v), kind(1) {}
    __device__ __ww_print_argument(const char *v) : value((unsigned long long)v), kind(2) {}
};
struct __ww_print_ring {
    unsigned long long head, capacity;
    volatile unsigned long long *words, *tail, *front, *lost;

    static __device__ unsigned long long size_of(const char *text)
    {
        unsigned long long bytes = 0;
        while (text && bytes < 4096 && text[bytes]) ++bytes;
        return bytes;
    }
    __device__ bool reserve(unsigned long long count, unsigned long long &at)
    {
        at = *(volatile unsigned long long *)&head;
        for (;;) {
            if (at + count - *tail > capacity) {
                *lost = 1;
                return false;
            }
            const unsigned long long seen = atomicCAS(&head, at, at + count);
            if (seen == at) break;
            at = seen;
        }
        *front = at + count;
        return true;
    }
    __device__ void put(unsigned long long &at, unsigned long long word)
    {
        words[at++ & (capacity - 1)] = word;
    }
    __device__ void put_text(unsigned long long &at, const char *text, unsigned long long bytes)
    {
        put(at, bytes);
        for (unsigned long long i = 0; i < bytes; i += 8) {
            unsigned long long word = 0;
            for (unsigned long long j = i; j < bytes && j < i + 8; ++j)
                word |= (unsigned long long)(unsigned char)text[j] << 8 * (j - i);
            put(at, word);
        }
    }
    __device__ __noinline__ int print(const char *format, const __ww_print_argument *list, int n)
    {
        unsigned long long kinds = 0, count = 5 + n + (size_of(format) + 7) / 8, at, grid;
        for (int i = 0; i < n; ++i) {
            kinds |= list[i].kind << 2 * i;
            if (list[i].kind == 2) count += 1 + (size_of((const char *)list[i].value) + 7) / 8;
        }
        if (!reserve(count, at)) return n;
        const unsigned long long first = at++;
        asm volatile("mov.u64 %0, %%gridid;" : "=l"(grid));
        put(at, grid);
        put(at, blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z));
        put(at, kinds);
        for (int i = 0; i < n; ++i) put(at, list[i].value);
        put_text(at, format, size_of(format));
        for (int i = 0; i < n; ++i) {
            const char *text = (const char *)list[i].value;
            if (list[i].kind == 2) put_text(at, text, size_of(text));
        }
        __threadfence_system();
        words[first & (capacity - 1)] = count | (unsigned long long)n << 32;
        return n;
    }
};
// Variables of templates are there only where they are used.
template <class T> __device__ T *__ww_print_to = nullptr;
template <class... A> __device__ int __ww_printf(const char *format, A... arguments)
{
    static_assert(sizeof...(A) <= 32, "printf takes at most 32 arguments on a GPU");
    // Volatile: nothing here ever sets it.
    __ww_print_ring *ring = *(__ww_print_ring *volatile *)&__ww_print_to<__ww_print_ring>;
    if (!ring) return printf(format, arguments...);
    if (!format) return -1;
    const __ww_print_argument list[sizeof...(A) + 1] = {__ww_print_argument(arguments)...};
    return ring->print(format, list, sizeof...(A));
}
namespace std { using ::__ww_printf; }
#define printf __ww_printf
)";

}  // namespace warpwise::cuda
