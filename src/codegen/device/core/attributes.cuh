// The keywords of CUDA C++ as clang spells them, and the macros that mark every function of ours.
// All names of ours begin with __ww or __WW.
#pragma once

// "inline __device__ __forceinline__" is everyday CUDA, and says inline twice.
#pragma clang diagnostic ignored "-Wduplicate-decl-specifier"

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// Memory is unified on a CPU, so a managed variable is a device variable.
#define __managed__ __attribute__((device))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(...)
// The front end turns an error that begins like this one into UnsupportedError.
// clang-format off
#define __cluster_dims__(...) \
    _Pragma("GCC error \"warpwise: '__cluster_dims__': thread block clusters are not part of this version\"")
// clang-format on
#define __grid_constant__
#define __noinline__ __attribute__((noinline))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__ __inline__
#define __nv_pure__ __attribute__((pure))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __thread__ __thread
#define __cudart_builtin__

// User code tests these to distinguish a run-time compiler from nvcc, and to avoid host headers.
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __CUDACC_RTC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 0
#define CUDART_VERSION 12080
#define CUDA_VERSION 12080
#define __WARPWISE__ 1

// Device function defined in a header: inlined always, or when the optimiser thinks so.
#define __WW_DEVICE static __device__ __forceinline__ __attribute__((nothrow))
#define __WW_DEVICE_LARGE static __device__ __inline__ __attribute__((nothrow))
// The same, callable from __host__ functions of the source too.
#define __WW_BOTH static __host__ __device__ __forceinline__ __attribute__((nothrow))
#define __WW_BOTH_LARGE static __host__ __device__ __inline__ __attribute__((nothrow))
