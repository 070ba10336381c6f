// printf, assert, traps and hints to the compiler.
#pragma once

#include "../include/assert.h"

// Clang packs the arguments into a struct and calls vprintf(format, struct).
extern "C" __host__ __device__ int printf(const char* format, ...)
    __attribute__((format(printf, 1, 2)));
extern "C" __host__ __device__ int vprintf(const char* format, __builtin_va_list arguments);

__WW_BOTH void __trap() {
    __ww_trap();
}
__WW_DEVICE void __brkpt() {
    __ww_trap();
}
__WW_DEVICE void __prof_trigger(int) {}
[[noreturn]] __WW_BOTH void abort() {
    __ww_trap();
    __builtin_unreachable();
}

#define __assume(condition) __builtin_assume(condition)
#define __nv_assume(condition) __builtin_assume(condition)
