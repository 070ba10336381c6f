// The one switch between the two targets. Everything above calls __ww_NAME; with __WARPWISE_CPU__
// these are the run time's services (rows of device_calls.def, in its order), without it they are
// the GPU's own instructions.
#pragma once

// Modes and operations, as abi.hpp numbers them.
#define __WW_SHUFFLE_INDEX 0u
#define __WW_SHUFFLE_UP 1u
#define __WW_SHUFFLE_DOWN 2u
#define __WW_SHUFFLE_XOR 3u
#define __WW_REDUCE_ADD 0u
#define __WW_REDUCE_MIN_S 1u
#define __WW_REDUCE_MAX_S 2u
#define __WW_REDUCE_MIN_U 3u
#define __WW_REDUCE_MAX_U 4u
#define __WW_REDUCE_AND 5u
#define __WW_REDUCE_OR 6u
#define __WW_REDUCE_XOR 7u
#define __WW_BARRIER_COUNT 0u
#define __WW_BARRIER_AND 1u
#define __WW_BARRIER_OR 2u

// Mathematics from the host's libm. On a GPU these names are left to the linker.
#define __WW_LEAF extern "C" __host__ __device__ __attribute__((nothrow, const))
__WW_LEAF double __ww_tgamma(double x);
__WW_LEAF double __ww_lgamma(double x);
__WW_LEAF double __ww_j0(double x);
__WW_LEAF double __ww_j1(double x);
__WW_LEAF double __ww_jn(int32_t order, double x);
__WW_LEAF double __ww_y0(double x);
__WW_LEAF double __ww_y1(double x);
__WW_LEAF double __ww_yn(int32_t order, double x);
#undef __WW_LEAF

#ifdef __WARPWISE_CPU__

#define __WW_RENDEZVOUS extern "C" __device__ __attribute__((nothrow, convergent))
// Callable from __host__ functions of the source too, which are parsed and never run.
#define __WW_SERVICE extern "C" __host__ __device__ __attribute__((nothrow))

// What the front end puts into the body of a function that does not compile: the kernels that come
// to it are refused.
extern "C" __host__ __device__ void __ww_refused(uint32_t which);

__WW_RENDEZVOUS void __ww_barrier(uint32_t id, uint32_t count);
__WW_RENDEZVOUS void __ww_barrier_arrive(uint32_t id, uint32_t count);
__WW_RENDEZVOUS int32_t __ww_barrier_reduce(uint32_t op, int32_t predicate);
__WW_RENDEZVOUS void __ww_grid_sync();
__WW_RENDEZVOUS void __ww_syncwarp(uint32_t mask);
__WW_RENDEZVOUS uint32_t __ww_activemask();
__WW_RENDEZVOUS uint32_t __ww_ballot(uint32_t mask, int32_t predicate);
__WW_RENDEZVOUS uint32_t __ww_shuffle32(uint32_t mode, uint32_t mask, uint32_t value,
                                        uint32_t operand, uint32_t width);
__WW_RENDEZVOUS uint64_t __ww_shuffle64(uint32_t mode, uint32_t mask, uint64_t value,
                                        uint32_t operand, uint32_t width);
__WW_RENDEZVOUS uint32_t __ww_match_any(uint32_t mask, uint64_t value);
__WW_RENDEZVOUS uint32_t __ww_match_all(uint32_t mask, uint64_t value);
__WW_RENDEZVOUS uint32_t __ww_reduce(uint32_t op, uint32_t mask, uint32_t value);
__WW_SERVICE void __ww_assert_fail(const char* message, const char* file, uint32_t line,
                                   const char* function);
__WW_SERVICE void __ww_trap();
__WW_SERVICE void* __ww_malloc(uint64_t bytes);
__WW_SERVICE void __ww_free(void* pointer);
__WW_SERVICE void __ww_nanosleep(uint32_t nanoseconds);
__WW_SERVICE uint64_t __ww_clock64();
__WW_SERVICE uint64_t __ww_globaltimer();
__WW_SERVICE void __ww_image_fault(uint32_t what, uint64_t object, int32_t x, int32_t y, int32_t z);
// kernel<<<...>>>(...) in device code, what waits for such launches, and what the front end puts in
// the place of one that it cannot read.
__WW_SERVICE void __ww_nested_launch(const char* kernel, const void* record);
__WW_SERVICE void __ww_nested_wait();
__WW_SERVICE void __ww_nested_refusal(const char* kernel, uint32_t line);
// Sorts of elements of 4 or 8 bytes; 0 where the host has no vectors for it.
__WW_SERVICE int32_t __ww_sort_keys(const void* from, void* to, void* spare, uint64_t count,
                                    uint32_t bytes, uint32_t from_form, uint32_t to_form);
__WW_SERVICE int32_t __ww_split_keys(const void* from, void* to, void* spare, uint64_t count,
                                     const void* splitters, uint64_t buckets, void* starts,
                                     uint32_t bytes, uint32_t form);
__WW_SERVICE int32_t __ww_sort_key_pieces(const void* from, uint64_t pieces, uint64_t pieces_apart,
                                          const void* starts, uint64_t starts_apart, void* to,
                                          void* spare, uint64_t count, const void* pivot,
                                          uint32_t bytes, uint32_t form);

#undef __WW_RENDEZVOUS
#undef __WW_SERVICE

// A block stays on one thread of the host: only the compiler must keep the order.
__WW_DEVICE void __ww_fence_block() {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
__WW_DEVICE void __ww_fence_device() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
__WW_DEVICE void __ww_fence_system() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#else
#include "services_ptx.cuh"
#endif
