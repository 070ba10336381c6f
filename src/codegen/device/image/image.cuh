// The descriptor behind a texture or surface object, and texels read through it.
//
// An object's 64-bit handle is the descriptor's address with 16 more bits on top: a count that
// distinguishes an object from an earlier one at the same place, and bit 63 for surfaces.
// Descriptors are never unmapped, so that a handle which has ended is found out by one comparison.
#pragma once

namespace __ww {

// As ImageRecord of src/backends/cpu/image/image_layout.hpp.
struct image {
    uint64_t handle;  // 0 when no object is here
    const void* data;
    int32_t extent[3];     // texels; 1 where there is no such axis
    int32_t layers;        // layers, or faces of a cube times layers; at least 1
    int32_t row_texels;    // from one row to the next
    int32_t slice_texels;  // from one slice or layer to the next
    uint32_t kind;         // image_kind()
    uint32_t is_linear;    // filters
    uint32_t mode[3];      // address modes, see below
    float scale[3];        // of coordinates: the extent when they are normalised, else 1
    uint32_t border[4];    // as registers
    uint32_t texel_bytes;
    const float* ratios;  // of bytes in sRGB; null: of all others
    // Of mipmaps: a descriptor for each level. This one is then that of the level which functions
    // without a level read.
    const image* levels;  // never null: itself where there is one level
    int32_t level_count;
    uint32_t blends_levels;  // the filter between levels is linear
    uint32_t blends_base;    // functions without a level read between two
    int32_t anisotropy;      // the most fetches along a derivative
    float level_bias, lowest_level, highest_level;
};

// Address modes. Those from wrap_mode on apply to normalised coordinates only; the host turns them
// to clamp_mode otherwise, as CUDA does.
enum : uint32_t { clamp_mode = 0, border_mode = 1, wrap_mode = 2, mirror_mode = 3 };

// What __ww_image_fault says was wrong.
enum : uint32_t {
    bad_texture = 0,
    bad_surface = 1,
    unbound_reference = 2,
    outside_surface = 3,
    misaligned_surface = 4
};

__WW_DEVICE const image* image_at(uint64_t handle) {
    return reinterpret_cast<const image*>(handle & 0x0000ffffffffffffull);
}
__WW_DEVICE const image* texture_of(uint64_t object, uint32_t fault = bad_texture) {
    const image* t = image_at(object);
    if (static_cast<int64_t>(object) <= 0 || t->handle != object) {
        __ww_image_fault(fault, object, 0, 0, 0);
    }
    return t;
}
__WW_DEVICE const image* surface_of(uint64_t object, uint32_t fault = bad_surface) {
    const image* t = image_at(object);
    if (static_cast<int64_t>(object) >= 0 || t->handle != object) {
        __ww_image_fault(fault, object, 0, 0, 0);
    }
    return t;
}

// Channel c of texel `at`. Memory is read in words, also for smaller elements: a word never
// crosses a page, and vectors of words can be gathered.
template <class E, uint32_t Channels>
__WW_DEVICE uint32_t channel_of(const void* data, int32_t at, uint32_t c) {
    constexpr int32_t bytes = sizeof(E), texel = bytes * Channels;
    const uint32_t* words = static_cast<const uint32_t*>(data);
    const int32_t byte = static_cast<int32_t>(c) * bytes;
    if (bytes == 4) return words[at * static_cast<int32_t>(Channels) + static_cast<int32_t>(c)];
    if (texel >= 4) {
        const uint32_t word = words[at * (texel / 4) + byte / 4];
        return image_element<E>::to(word >> (8 * (byte % 4)));
    }
    constexpr int32_t in_word = texel >= 4 ? 1 : 4 / texel;
    const uint32_t word = words[at / in_word];
    return image_element<E>::to(word >> (8 * texel * (at % in_word) + 8 * byte));
}

template <class E, uint32_t Channels>
__WW_DEVICE texel texel_of(const void* data, int32_t at) {
    texel t = {channel_of<E, Channels>(data, at, 0), 0, 0, 0};
    if (Channels > 1) t.y = channel_of<E, Channels>(data, at, 1);
    if (Channels > 2) t.z = channel_of<E, Channels>(data, at, 2);
    if (Channels > 3) t.w = channel_of<E, Channels>(data, at, 3);
    return t;
}

__WW_DEVICE uint32_t normalized(int32_t value, float largest) {
    __WW_AS_WRITTEN
    const float ratio = static_cast<float>(value) / largest;
    return to_bits(ratio > -1.0f ? ratio : -1.0f);
}
__WW_DEVICE uint32_t byte_ratio(uint32_t byte) {
    __WW_AS_WRITTEN
    return to_bits(static_cast<float>(static_cast<int32_t>(byte)) / 255.0f);
}

// A channel of any format: what a kernel's own type and the most frequent format do not cover.
__WW_DEVICE uint32_t any_channel(const image* t, int32_t at, uint32_t c) {
    const uint32_t element = t->kind & 15u;
    const bool is_ratio = (t->kind & 0x100u) != 0;
    if (c >= (t->kind >> 4 & 15u)) return 0;
    const char* p = static_cast<const char*>(t->data) + static_cast<int64_t>(at) * t->texel_bytes;
    switch (element) {
        case u8_element: {
            const int32_t value = reinterpret_cast<const uint8_t*>(p)[c];
            if (t->ratios != nullptr && c < 3) return to_bits(t->ratios[value]);
            return is_ratio ? normalized(value, 255.0f) : static_cast<uint32_t>(value);
        }
        case s8_element: {
            const int32_t value = reinterpret_cast<const int8_t*>(p)[c];
            return is_ratio ? normalized(value, 127.0f) : static_cast<uint32_t>(value);
        }
        case u16_element: {
            const int32_t value = reinterpret_cast<const uint16_t*>(p)[c];
            return is_ratio ? normalized(value, 65535.0f) : static_cast<uint32_t>(value);
        }
        case s16_element: {
            const int32_t value = reinterpret_cast<const int16_t*>(p)[c];
            return is_ratio ? normalized(value, 32767.0f) : static_cast<uint32_t>(value);
        }
        case f16_element:
            return to_bits(static_cast<float>(reinterpret_cast<const _Float16*>(p)[c]));
        default:
            return reinterpret_cast<const uint32_t*>(p)[c];
    }
}

// The texels of a fetch whose result is T: straight loads of T's own format, and for floats of
// halves and of bytes read as numbers from 0 to 1.
template <class T>
struct common_texel {
    typedef image_value<T> value;
    static constexpr uint32_t own = image_kind(value::code, value::count, false);
    static constexpr uint32_t bytes = image_kind(u8_element, value::count, true);
    static constexpr uint32_t halves = image_kind(f16_element, value::count, false);

    static __device__ __forceinline__ bool covers(const image* t) {
        return t->kind == own || (value::is_float && (t->kind == bytes || t->kind == halves));
    }
    __device__ __forceinline__ texel operator()(const image* t, int32_t at) const {
        if (!value::is_float || t->kind == own) {
            return texel_of<typename value::element, value::count>(t->data, at);
        }
        if (t->kind == halves) return texel_of<_Float16, value::count>(t->data, at);
        texel r = texel_of<unsigned char, value::count>(t->data, at);
        r.x = byte_ratio(r.x);
        if (value::count > 1) r.y = byte_ratio(r.y);
        if (value::count > 2) r.z = byte_ratio(r.z);
        if (value::count > 3) r.w = byte_ratio(r.w);
        return r;
    }
    __device__ __forceinline__ texel border(const image* t) const {
        return texel{t->border[0], t->border[1], t->border[2], t->border[3]};
    }
    static constexpr bool may_filter = value::is_float;
    static constexpr uint32_t count = value::count;
};

// One channel of any format, in x.
struct rare_texel {
    uint32_t channel;
    __device__ __forceinline__ texel operator()(const image* t, int32_t at) const {
        return texel{any_channel(t, at, channel), 0, 0, 0};
    }
    __device__ __forceinline__ texel border(const image* t) const {
        return texel{t->border[channel & 3u], 0, 0, 0};
    }
    static constexpr bool may_filter = true;
    static constexpr uint32_t count = 1;
};

}  // namespace __ww
