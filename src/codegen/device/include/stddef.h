// <stddef.h> for device code.
#pragma once

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef struct {
    long long __ww_integer __attribute__((aligned(__alignof__(long long))));
    double __ww_real __attribute__((aligned(16)));
} max_align_t;
namespace std {
typedef decltype(nullptr) nullptr_t;
using ::max_align_t;
using ::ptrdiff_t;
using ::size_t;
}  // namespace std
using std::nullptr_t;

#ifndef __WW_NVRTC__  // which knows them by itself
#undef NULL
#define NULL __null
#undef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
