// The functions that read textures, through objects and through references.
#pragma once

#define __WW_UNPACK(...) __VA_ARGS__

// Three forms of one function: the value of an object, the same through a pointer, the value of a
// reference. `value` is written in T, the result, and t, the descriptor.
#define __WW_TEXTURE_OBJECT_FUNCTION(name, parameters, value)                              \
    template <class T>                                                                     \
    __WW_DEVICE T name(cudaTextureObject_t object, __WW_UNPACK parameters) {               \
        const __ww::image* t = __ww::texture_of(object);                                   \
        return value;                                                                      \
    }                                                                                      \
    template <class T>                                                                     \
    __WW_DEVICE void name(T* result, cudaTextureObject_t object, __WW_UNPACK parameters) { \
        const __ww::image* t = __ww::texture_of(object);                                   \
        *result = value;                                                                   \
    }
#define __WW_TEXTURE_FUNCTION(name, shape, parameters, value)                               \
    __WW_TEXTURE_OBJECT_FUNCTION(name, parameters, value)                                   \
    template <class U, enum cudaTextureReadMode Mode>                                       \
    __WW_DEVICE typename __ww::reference_value<U, Mode>::type name(                         \
        const texture<U, shape, Mode>& reference, __WW_UNPACK parameters) {                 \
        typedef typename __ww::reference_value<U, Mode>::type T;                            \
        const __ww::image* t = __ww::texture_of(reference.object, __ww::unbound_reference); \
        return value;                                                                       \
    }

__WW_TEXTURE_FUNCTION(tex1Dfetch, cudaTextureType1D, (int x), (__ww::fetch<T>(t, x)))
__WW_TEXTURE_FUNCTION(tex1D, cudaTextureType1D, (float x),
                      (__ww::sample<T, 1>(t, x, 0.0f, 0.0f, 0)))
__WW_TEXTURE_FUNCTION(tex2D, cudaTextureType2D, (float x, float y),
                      (__ww::sample<T, 2>(t, x, y, 0.0f, 0)))
__WW_TEXTURE_FUNCTION(tex3D, cudaTextureType3D, (float x, float y, float z),
                      (__ww::sample<T, 3>(t, x, y, z, 0)))
__WW_TEXTURE_FUNCTION(tex1DLayered, cudaTextureType1DLayered, (float x, int layer),
                      (__ww::sample<T, 1>(t, x, 0.0f, 0.0f, __ww::layer_start(t, layer))))
__WW_TEXTURE_FUNCTION(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer),
                      (__ww::sample<T, 2>(t, x, y, 0.0f, __ww::layer_start(t, layer))))
__WW_TEXTURE_FUNCTION(texCubemap, cudaTextureTypeCubemap, (float x, float y, float z),
                      (__ww::sample_cube<T>(t, x, y, z, 0)))
__WW_TEXTURE_FUNCTION(texCubemapLayered, cudaTextureTypeCubemapLayered,
                      (float x, float y, float z, int layer),
                      (__ww::sample_cube<T>(t, x, y, z, layer)))

#define __WW_TEXTURE_LEVELS(name, shape, parameters, derivative, lod, grad)             \
    __WW_TEXTURE_FUNCTION(name##Lod, shape, (__WW_UNPACK parameters, float level), lod) \
    __WW_TEXTURE_FUNCTION(name##Grad, shape,                                            \
                          (__WW_UNPACK parameters, derivative dx, derivative dy), grad)
__WW_TEXTURE_LEVELS(tex1D, cudaTextureType1D, (float x), float,
                    (__ww::sample_lod<T, 1>(t, x, 0.0f, 0.0f, 0, level)),
                    (__ww::sample_grad<T, 1>(t, x, 0.0f, 0.0f, 0, __ww::footprint_of(dx, dy))))
__WW_TEXTURE_LEVELS(tex2D, cudaTextureType2D, (float x, float y), float2,
                    (__ww::sample_lod<T, 2>(t, x, y, 0.0f, 0, level)),
                    (__ww::sample_grad<T, 2>(t, x, y, 0.0f, 0, __ww::footprint_of(dx, dy))))
__WW_TEXTURE_LEVELS(tex3D, cudaTextureType3D, (float x, float y, float z), float4,
                    (__ww::sample_lod<T, 3>(t, x, y, z, 0, level)),
                    (__ww::sample_grad<T, 3>(t, x, y, z, 0, __ww::footprint_of(dx, dy))))
__WW_TEXTURE_LEVELS(tex1DLayered, cudaTextureType1DLayered, (float x, int layer), float,
                    (__ww::sample_lod<T, 1>(t, x, 0.0f, 0.0f, layer, level)),
                    (__ww::sample_grad<T, 1>(t, x, 0.0f, 0.0f, layer, __ww::footprint_of(dx, dy))))
__WW_TEXTURE_LEVELS(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer), float2,
                    (__ww::sample_lod<T, 2>(t, x, y, 0.0f, layer, level)),
                    (__ww::sample_grad<T, 2>(t, x, y, 0.0f, layer, __ww::footprint_of(dx, dy))))
__WW_TEXTURE_LEVELS(texCubemap, cudaTextureTypeCubemap, (float x, float y, float z), float4,
                    (__ww::sample_cube_lod<T>(t, x, y, z, 0, level)),
                    (__ww::sample_cube_grad<T>(t, x, y, z, 0, dx, dy)))
__WW_TEXTURE_LEVELS(texCubemapLayered, cudaTextureTypeCubemapLayered,
                    (float x, float y, float z, int layer), float4,
                    (__ww::sample_cube_lod<T>(t, x, y, z, layer, level)),
                    (__ww::sample_cube_grad<T>(t, x, y, z, layer, dx, dy)))
#undef __WW_TEXTURE_LEVELS

__WW_TEXTURE_OBJECT_FUNCTION(tex2Dgather, (float x, float y, int component = 0),
                             (__ww::gather<T>(t, x, y, component)))
template <class U, enum cudaTextureReadMode Mode>
__WW_DEVICE typename __ww::gathered<U, Mode>::type tex2Dgather(
    const texture<U, cudaTextureType2D, Mode>& reference, float x, float y, int component = 0) {
    const __ww::image* t = __ww::texture_of(reference.object, __ww::unbound_reference);
    return __ww::gather<typename __ww::gathered<U, Mode>::type>(t, x, y, component);
}

// Every texel is resident.
#define __WW_RESIDENT(name, parameters, arguments)                                             \
    template <class T>                                                                         \
    __WW_DEVICE T name(cudaTextureObject_t object, __WW_UNPACK parameters, bool* isResident) { \
        *isResident = true;                                                                    \
        return name<T>(object, __WW_UNPACK arguments);                                         \
    }
__WW_RESIDENT(tex2D, (float x, float y), (x, y))
__WW_RESIDENT(tex3D, (float x, float y, float z), (x, y, z))
__WW_RESIDENT(tex2DLayered, (float x, float y, int layer), (x, y, layer))
#undef __WW_RESIDENT
#undef __WW_TEXTURE_FUNCTION
#undef __WW_TEXTURE_OBJECT_FUNCTION
