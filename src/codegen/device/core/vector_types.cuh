// CUDA's vector types and their make_ functions. Sizes and alignments are CUDA's: pairs and quads
// are aligned to their size up to 16 bytes (quads of 8-byte elements to 16), triples to an element.
#pragma once

#define __WW_VECTOR_TYPES(name, element, pair_alignment, quad_alignment)           \
    struct name##1 {                                                               \
        element x;                                                                 \
    };                                                                             \
    struct __attribute__((aligned(pair_alignment))) name##2 {                      \
        element x, y;                                                              \
    };                                                                             \
    struct name##3 {                                                               \
        element x, y, z;                                                           \
    };                                                                             \
    struct __attribute__((aligned(quad_alignment))) name##4 {                      \
        element x, y, z, w;                                                        \
    };                                                                             \
    __WW_BOTH name##1 make_##name##1(element x) {                                  \
        return name##1 {x};                                                        \
    }                                                                              \
    __WW_BOTH name##2 make_##name##2(element x, element y) {                       \
        return name##2 {x, y};                                                     \
    }                                                                              \
    __WW_BOTH name##3 make_##name##3(element x, element y, element z) {            \
        return name##3 {x, y, z};                                                  \
    }                                                                              \
    __WW_BOTH name##4 make_##name##4(element x, element y, element z, element w) { \
        return name##4 {x, y, z, w};                                               \
    }

__WW_VECTOR_TYPES(char, signed char, 2, 4)
__WW_VECTOR_TYPES(uchar, unsigned char, 2, 4)
__WW_VECTOR_TYPES(short, short, 4, 8)
__WW_VECTOR_TYPES(ushort, unsigned short, 4, 8)
__WW_VECTOR_TYPES(int, int, 8, 16)
__WW_VECTOR_TYPES(uint, unsigned int, 8, 16)
__WW_VECTOR_TYPES(long, long, 16, 16)
__WW_VECTOR_TYPES(ulong, unsigned long, 16, 16)
__WW_VECTOR_TYPES(longlong, long long, 16, 16)
__WW_VECTOR_TYPES(ulonglong, unsigned long long, 16, 16)
__WW_VECTOR_TYPES(float, float, 8, 16)
__WW_VECTOR_TYPES(double, double, 16, 16)
#undef __WW_VECTOR_TYPES

struct __ww_threadIdx_type;
struct __ww_blockIdx_type;
struct __ww_blockDim_type;
struct __ww_gridDim_type;

struct dim3 {
    unsigned int x, y, z;
    __host__ __device__ constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1,
                                       unsigned int z_ = 1)
        : x(x_), y(y_), z(z_) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
    __device__ dim3(const __ww_threadIdx_type& index);
    __device__ dim3(const __ww_blockIdx_type& index);
    __device__ dim3(const __ww_blockDim_type& size);
    __device__ dim3(const __ww_gridDim_type& size);
};
