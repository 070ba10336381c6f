// Texture and surface references for NVRTC, which has none since CUDA 12: the classes of
// references.cuh, and CUDA's functions on them, which pass the object that is bound to NVRTC's own
// functions on objects.
//
// An object of 0 is none: nothing was bound, and the kernel stops.
#pragma once

// clang-format off
#include "value.cuh"
#include "references.cuh"
// clang-format on

namespace __ww {
__WW_DEVICE unsigned long long bound(const reference& variable) {
    if (variable.object == 0) __trap();
    return variable.object;
}

// What a surface moves for a value of so many bytes, whatever its type.
template <size_t Bytes>
struct surface_words {
    static_assert(Bytes == 1, "surfaces are read and written by 1, 2, 4, 8 or 16 bytes");
    typedef unsigned char type;
};
template <>
struct surface_words<2> {
    typedef unsigned short type;
};
template <>
struct surface_words<4> {
    typedef unsigned int type;
};
template <>
struct surface_words<8> {
    typedef uint2 type;
};
template <>
struct surface_words<16> {
    typedef uint4 type;
};
template <class To, class From>
__WW_DEVICE To same_bits(const From& from) {
    static_assert(sizeof(To) == sizeof(From), "as many bytes");
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
}
}  // namespace __ww

#define __WW_UNPACK(...) __VA_ARGS__
#define __WW_FETCH(name, shape, parameters, arguments)                     \
    template <class U, enum cudaTextureReadMode Mode>                      \
    __WW_DEVICE typename __ww::reference_value<U, Mode>::type name(        \
        const texture<U, shape, Mode>& variable, __WW_UNPACK parameters) { \
        typedef typename __ww::reference_value<U, Mode>::type T;           \
        return name<T>(__ww::bound(variable), __WW_UNPACK arguments);      \
    }
#define __WW_FETCHES(name, shape, parameters, arguments, derivative)                      \
    __WW_FETCH(name, shape, parameters, arguments)                                        \
    __WW_FETCH(name##Lod, shape, (__WW_UNPACK parameters, float level),                   \
               (__WW_UNPACK arguments, level))                                            \
    __WW_FETCH(name##Grad, shape, (__WW_UNPACK parameters, derivative dx, derivative dy), \
               (__WW_UNPACK arguments, dx, dy))

__WW_FETCH(tex1Dfetch, cudaTextureType1D, (int x), (x))
__WW_FETCHES(tex1D, cudaTextureType1D, (float x), (x), float)
__WW_FETCHES(tex2D, cudaTextureType2D, (float x, float y), (x, y), float2)
__WW_FETCHES(tex3D, cudaTextureType3D, (float x, float y, float z), (x, y, z), float4)
__WW_FETCHES(tex1DLayered, cudaTextureType1DLayered, (float x, int layer), (x, layer), float)
__WW_FETCHES(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer), (x, y, layer),
             float2)
__WW_FETCHES(texCubemap, cudaTextureTypeCubemap, (float x, float y, float z), (x, y, z), float4)
__WW_FETCHES(texCubemapLayered, cudaTextureTypeCubemapLayered,
             (float x, float y, float z, int layer), (x, y, z, layer), float4)
#undef __WW_FETCHES
#undef __WW_FETCH

template <class U, enum cudaTextureReadMode Mode>
__WW_DEVICE typename __ww::gathered<U, Mode>::type tex2Dgather(
    const texture<U, cudaTextureType2D, Mode>& variable, float x, float y, int component = 0) {
    return tex2Dgather<typename __ww::gathered<U, Mode>::type>(__ww::bound(variable), x, y,
                                                               component);
}

#define __WW_SURFACE(name, shape, parameters, arguments)                                     \
    template <class T>                                                                       \
    __WW_DEVICE T name##read(const __ww::surface_reference<shape>& variable,                 \
                             __WW_UNPACK parameters,                                         \
                             enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {     \
        typedef typename __ww::surface_words<sizeof(T)>::type words;                         \
        return __ww::same_bits<T>(                                                           \
            name##read<words>(__ww::bound(variable), __WW_UNPACK arguments, mode));          \
    }                                                                                        \
    template <class T>                                                                       \
    __WW_DEVICE void name##read(T* result, const __ww::surface_reference<shape>& variable,   \
                                __WW_UNPACK parameters,                                      \
                                enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {  \
        *result = name##read<T>(variable, __WW_UNPACK arguments, mode);                      \
    }                                                                                        \
    template <class T>                                                                       \
    __WW_DEVICE void name##write(T value, const __ww::surface_reference<shape>& variable,    \
                                 __WW_UNPACK parameters,                                     \
                                 enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
        typedef typename __ww::surface_words<sizeof(T)>::type words;                         \
        name##write<words>(__ww::same_bits<words>(value), __ww::bound(variable),             \
                           __WW_UNPACK arguments, mode);                                     \
    }

__WW_SURFACE(surf1D, cudaSurfaceType1D, (int x), (x))
__WW_SURFACE(surf2D, cudaSurfaceType2D, (int x, int y), (x, y))
__WW_SURFACE(surf3D, cudaSurfaceType3D, (int x, int y, int z), (x, y, z))
__WW_SURFACE(surf1DLayered, cudaSurfaceType1DLayered, (int x, int layer), (x, layer))
__WW_SURFACE(surf2DLayered, cudaSurfaceType2DLayered, (int x, int y, int layer), (x, y, layer))
__WW_SURFACE(surfCubemap, cudaSurfaceTypeCubemap, (int x, int y, int face), (x, y, face))
__WW_SURFACE(surfCubemapLayered, cudaSurfaceTypeCubemapLayered, (int x, int y, int layerFace),
             (x, y, layerFace))
#undef __WW_SURFACE
#undef __WW_UNPACK
#undef __WW_DEVICE
