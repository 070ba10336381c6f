// Texture and surface references, CUDA's way before objects: variables of a module, which the host
// binds by name. A reference holds the handle of the object that stands for its binding, 0 before.
// Its fields are where a .cu file's host code sets the modes; what they say when the module is
// loaded is what the host begins with.
#pragma once

namespace __ww {

// As ReferenceRecord of src/runtime/images.hpp. The host writes `object`.
struct reference {
    uint64_t object;
    uint32_t type;    // cudaTextureType...
    uint32_t format;  // image_kind() of the declaration; 0 for surfaces
};

template <class T, int Mode>
struct reference_value {
    typedef T type;
};
template <class T>
struct reference_value<T, cudaReadModeNormalizedFloat> {
    typedef typename image_value<T>::as_float type;
};

template <class T, int Mode>
struct gathered {
    typedef typename image_value<typename reference_value<T, Mode>::type>::element element;
    typedef typename vector_of_4<element>::of_type type;
};

}  // namespace __ww

struct textureReference {
    int normalized;
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureAddressMode addressMode[3];
    struct cudaChannelFormatDesc channelDesc;
    int sRGB;
    unsigned int maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization;
};
struct surfaceReference {
    struct cudaChannelFormatDesc channelDesc;
};

template <class T, int Type = cudaTextureType1D,
          enum cudaTextureReadMode Mode = cudaReadModeElementType>
struct texture : public __ww::reference, public textureReference {
    __host__ __device__ constexpr texture(
        int norm = 0, enum cudaTextureFilterMode filter = cudaFilterModePoint,
        enum cudaTextureAddressMode address = cudaAddressModeClamp,
        struct cudaChannelFormatDesc desc = cudaChannelFormatDesc{0, 0, 0, 0,
                                                                  cudaChannelFormatKindNone})
        : __ww::reference{0, Type,
                          __ww::image_kind(__ww::image_value<T>::code, __ww::image_value<T>::count,
                                           Mode == cudaReadModeNormalizedFloat)},
          textureReference{norm,
                           filter,
                           {address, address, address},
                           desc,
                           0,
                           0,
                           cudaFilterModePoint,
                           0.0f,
                           0.0f,
                           0.0f,
                           0} {}
};

template <class T, int Type = cudaSurfaceType1D>
struct surface : public __ww::reference, public surfaceReference {
    __host__ __device__ constexpr surface()
        : __ww::reference{0, Type, 0},
          surfaceReference{cudaChannelFormatDesc{0, 0, 0, 0, cudaChannelFormatKindNone}} {}
};

namespace __ww {
template <int Type>
using surface_reference = surface<void, Type>;
}
