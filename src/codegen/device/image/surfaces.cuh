// The functions that read and write surfaces: the bytes of an array as they are, x counted in
// bytes. What lies outside stops the kernel, counts as the nearest place inside, or reads as 0 and
// is not written, as the boundary mode says.
#pragma once

namespace __ww {

// Where an access of `bytes` bytes goes; null where nothing is to be read or written.
__WW_DEVICE int32_t within(int32_t at, int32_t last) {
    return at < 0 ? 0 : at > last ? last : at;
}
template <int32_t Bytes>
__WW_DEVICE char* surface_place(uint64_t object, const image* s, int32_t x, int32_t y, int32_t z,
                                int32_t planes, enum cudaSurfaceBoundaryMode mode) {
    const int32_t last_x = s->extent[0] * static_cast<int32_t>(s->texel_bytes) - Bytes;
    const int32_t last_y = s->extent[1] - 1, last_z = planes - 1;
    if (mode == cudaBoundaryModeClamp) {
        x = within(x, last_x);
        y = within(y, last_y);
        z = within(z, last_z);
    } else {
        const bool inside = x >= 0 && x <= last_x && y >= 0 && y <= last_y && z >= 0 && z <= last_z;
        if (!inside) {
            if (mode == cudaBoundaryModeZero) return nullptr;
            __ww_image_fault(outside_surface, object, x, y, z);
        }
    }
    if (x % Bytes != 0) __ww_image_fault(misaligned_surface, object, x, y, z);
    const int64_t texels = z * s->slice_texels + y * s->row_texels;
    char* data = static_cast<char*>(const_cast<void*>(s->data));
    return data + texels * static_cast<int64_t>(s->texel_bytes) + x;
}

template <class T>
__WW_DEVICE T surface_read(const char* place) {
    static_assert(
        sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16,
        "surfaces are read and written by 1, 2, 4, 8 or 16 bytes");
    T value;
    __builtin_memset(&value, 0, sizeof value);
    if (place != nullptr) value = *reinterpret_cast<const T*>(place);
    return value;
}
template <class T>
__WW_DEVICE void surface_write(char* place, T value) {
    static_assert(
        sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16,
        "surfaces are read and written by 1, 2, 4, 8 or 16 bytes");
    if (place != nullptr) *reinterpret_cast<T*>(place) = value;
}

}  // namespace __ww

// Each function for objects and for references. `y`, `z` and `planes` are written in the
// parameters and in s, the descriptor.
#define __WW_SURFACE_FORMS(name, handle, find, parameters, y, z, planes)                         \
    template <class T>                                                                           \
    __WW_DEVICE T name##read(handle, __WW_UNPACK parameters,                                     \
                             enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {         \
        find;                                                                                    \
        return __ww::surface_read<T>(                                                            \
            __ww::surface_place<sizeof(T)>(object, s, x, y, z, planes, mode));                   \
    }                                                                                            \
    template <class T>                                                                           \
    __WW_DEVICE void name##read(T* result, handle, __WW_UNPACK parameters,                       \
                                enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {      \
        find;                                                                                    \
        *result = __ww::surface_read<T>(                                                         \
            __ww::surface_place<sizeof(T)>(object, s, x, y, z, planes, mode));                   \
    }                                                                                            \
    template <class T>                                                                           \
    __WW_DEVICE void name##write(T value, handle, __WW_UNPACK parameters,                        \
                                 enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {     \
        find;                                                                                    \
        __ww::surface_write<T>(__ww::surface_place<sizeof(T)>(object, s, x, y, z, planes, mode), \
                               value);                                                           \
    }
#define __WW_SURFACE_FUNCTIONS(name, shape, parameters, y, z, planes)                             \
    __WW_SURFACE_FORMS(name, cudaSurfaceObject_t object,                                          \
                       const __ww::image* s = __ww::surface_of(object), parameters, y, z, planes) \
    __WW_SURFACE_FORMS(name, const __ww::surface_reference<shape>& reference,                     \
                       const uint64_t object = reference.object;                                  \
                       const __ww::image* s = __ww::surface_of(object, __ww::unbound_reference),  \
                       parameters, y, z, planes)

__WW_SURFACE_FUNCTIONS(surf1D, cudaSurfaceType1D, (int x), 0, 0, 1)
__WW_SURFACE_FUNCTIONS(surf2D, cudaSurfaceType2D, (int x, int y), y, 0, 1)
__WW_SURFACE_FUNCTIONS(surf3D, cudaSurfaceType3D, (int x, int y, int z), y, z, s->extent[2])
__WW_SURFACE_FUNCTIONS(surf1DLayered, cudaSurfaceType1DLayered, (int x, int layer), 0, layer,
                       s->layers)
__WW_SURFACE_FUNCTIONS(surf2DLayered, cudaSurfaceType2DLayered, (int x, int y, int layer), y, layer,
                       s->layers)
__WW_SURFACE_FUNCTIONS(surfCubemap, cudaSurfaceTypeCubemap, (int x, int y, int face), y, face,
                       s->layers)
__WW_SURFACE_FUNCTIONS(surfCubemapLayered, cudaSurfaceTypeCubemapLayered,
                       (int x, int y, int layerFace), y, layerFace, s->layers)
#undef __WW_SURFACE_FUNCTIONS
#undef __WW_SURFACE_FORMS
#undef __WW_UNPACK
