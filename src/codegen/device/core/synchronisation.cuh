// Barriers of a block and memory fences. __syncthreads() itself is a builtin of clang.
#pragma once

__WW_DEVICE int __syncthreads_count(int predicate) {
    return __ww_barrier_reduce(__WW_BARRIER_COUNT, predicate);
}
__WW_DEVICE int __syncthreads_and(int predicate) {
    return __ww_barrier_reduce(__WW_BARRIER_AND, predicate);
}
__WW_DEVICE int __syncthreads_or(int predicate) {
    return __ww_barrier_reduce(__WW_BARRIER_OR, predicate);
}
__WW_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) {
    __ww_syncwarp(mask);
}

__WW_DEVICE void __threadfence_block() {
    __ww_fence_block();
}
__WW_DEVICE void __threadfence() {
    __ww_fence_device();
}
__WW_DEVICE void __threadfence_system() {
    __ww_fence_system();
}
