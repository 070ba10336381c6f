// Texels and surface elements of double precision and of complex numbers, which travel as two or
// four 32-bit integers.
#pragma once

#include <pycuda-complex.hpp>

extern "C++" {

typedef float fp_tex_float;
typedef int2 fp_tex_double;
typedef uint2 fp_tex_cfloat;
typedef int4 fp_tex_cdouble;

__device__ inline float fp_of_texel(float texel) {
    return texel;
}
__device__ inline double fp_of_texel(int2 texel) {
    return __hiloint2double(texel.y, texel.x);
}

__device__ inline pycuda::complex<float> fp_of_texel(uint2 texel) {
    return pycuda::complex<float>(__uint_as_float(texel.x), __uint_as_float(texel.y));
}
__device__ inline pycuda::complex<double> fp_of_texel(int4 texel) {
    return pycuda::complex<double>(__hiloint2double(texel.y, texel.x),
                                   __hiloint2double(texel.w, texel.z));
}

#define FP_TEXTURE_FUNCTION(name, type, parameters, arguments)                         \
    template <class _Tp, enum cudaTextureReadMode mode>                                \
    __device__ auto fp_##name(const texture<_Tp, type, mode>& tex, FP_LIST parameters) \
        ->decltype(fp_of_texel(_Tp())) {                                               \
        return fp_of_texel(name(tex, FP_LIST arguments));                              \
    }
#define FP_LIST(...) __VA_ARGS__
FP_TEXTURE_FUNCTION(tex1Dfetch, cudaTextureType1D, (int i), (i))
FP_TEXTURE_FUNCTION(tex2D, cudaTextureType2D, (float x, float y), (x, y))
FP_TEXTURE_FUNCTION(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer),
                    (x, y, layer))
FP_TEXTURE_FUNCTION(tex3D, cudaTextureType3D, (float x, float y, float z), (x, y, z))
#undef FP_TEXTURE_FUNCTION

// x counts elements, not bytes.
#define FP_SURFACE_FUNCTIONS(name, type, parameters, arguments)                               \
    template <class _Tp>                                                                      \
    __device__ void fp_##name##read(_Tp* value, const surface<void, type>& surf,              \
                                    FP_LIST parameters, enum cudaSurfaceBoundaryMode mode) {  \
        name##read(value, surf, FP_LIST arguments, mode);                                     \
    }                                                                                         \
    template <class _Tp>                                                                      \
    __device__ void fp_##name##write(_Tp value, const surface<void, type>& surf,              \
                                     FP_LIST parameters, enum cudaSurfaceBoundaryMode mode) { \
        name##write(value, surf, FP_LIST arguments, mode);                                    \
    }
FP_SURFACE_FUNCTIONS(surf2DLayered, cudaSurfaceType2DLayered, (int x, int y, int layer),
                     (x * static_cast<int>(sizeof(_Tp)), y, layer))
FP_SURFACE_FUNCTIONS(surf3D, cudaSurfaceType3D, (int x, int y, int z),
                     (x * static_cast<int>(sizeof(_Tp)), y, z))
#undef FP_SURFACE_FUNCTIONS
#undef FP_LIST

}  // extern "C++"
