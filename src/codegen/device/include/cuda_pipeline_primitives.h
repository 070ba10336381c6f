// __pipeline_memcpy_async and related functions: copies are made at once, waits have nothing to
// wait for.
#pragma once
#include "stddef.h"

__WW_DEVICE void __pipeline_memcpy_async(void* to, const void* from, size_t bytes,
                                         size_t zeros = 0) {
    char* target = static_cast<char*>(to);
    __builtin_memcpy(target, from, bytes - zeros);
    __builtin_memset(target + (bytes - zeros), 0, zeros);
}
__WW_DEVICE void __pipeline_commit() {}
__WW_DEVICE void __pipeline_wait_prior(size_t) {}
