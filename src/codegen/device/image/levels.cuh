// Mip levels: from a level of detail, or from derivatives, to a value.
//
// Definitions, where CUDA's guide says only that levels exist: the Vulkan specification 1.3,
// "Image Operations" (scale factor, LOD operation, mip level selection), which is OpenGL's of the
// same names.
//  - A level of detail is that of the function plus the texture's bias, or 0 for functions that
//  have
//    none, brought into the texture's range and into the levels there are.
//  - Derivatives are of the coordinates that they stand beside; in texels of level 0 the longer of
//    the two has length rho, and the level is log2(rho).
//  - The point filter takes the nearest level, the upper of two equally near; the linear one weighs
//    the two levels around with a fraction of 8 bits, cut off there (both as on an H200).
//  - Anisotropy, in planes (GL_EXT_texture_filter_anisotropic): N fetches along the longer
//    derivative, N being the ratio of both rounded up and at most what the texture says, are
//    averaged at level log2(rho / N). A shorter derivative than a texel counts as one.
//
// Kept out of line: textures with one level, which most are, never come here.
#pragma once

namespace __ww {

// The derivatives of a fetch, as coordinates are given.
struct footprint {
    float dx[3], dy[3];
};

__WW_DEVICE float level_within(const image* t, float level) {
    __WW_AS_WRITTEN
    level = level > t->lowest_level ? level : t->lowest_level;  // a NaN gives the lowest
    return level < t->highest_level ? level : t->highest_level;
}

// One channel, in x, of one level, which is a descriptor of its own.
template <int Axes>
__WW_DEVICE uint32_t channel_on_level(const image* t, int32_t level, float x, float y, float z,
                                      int32_t layer, uint32_t channel) {
    const image* of = t->levels + level;
    return sample_by<rare_texel, Axes>(of, rare_texel{channel}, x, y, z, layer_start(of, layer)).x;
}

template <int Axes>
__WW_DEVICE uint32_t channel_at_level(const image* t, float level, float x, float y, float z,
                                      int32_t layer, uint32_t channel) {
    __WW_AS_WRITTEN
    if (t->blends_levels == 0) {
        const int32_t nearest = static_cast<int32_t>(__builtin_floorf(level + 0.5f));
        return channel_on_level<Axes>(t, nearest, x, y, z, layer, channel);
    }
    const int32_t fixed = static_cast<int32_t>(__builtin_floorf(level * 256.0f));
    const int32_t low = fixed >> 8;
    const float fraction = static_cast<float>(fixed & 255) * 0.00390625f;
    const uint32_t first = channel_on_level<Axes>(t, low, x, y, z, layer, channel);
    if (fraction == 0.0f) return first;
    const uint32_t second = channel_on_level<Axes>(t, low + 1, x, y, z, layer, channel);
    return to_bits(fma(fraction, from_bits(second), (1.0f - fraction) * from_bits(first)));
}

// What functions without a level read, where that is no single level.
template <int Axes>
__WW_DEVICE uint32_t base_channel(const image* t, float x, float y, float z, int32_t start,
                                  uint32_t channel) {
    return channel_at_level<Axes>(t, level_within(t, 0.0f), x, y, z, start / t->slice_texels,
                                  channel);
}

template <int Axes>
__WW_OUT_OF_LINE uint32_t lod_channel(const image* t, float level, float x, float y, float z,
                                      int32_t layer, uint32_t channel) {
    __WW_AS_WRITTEN
    return channel_at_level<Axes>(t, level_within(t, level + t->level_bias), x, y, z, layer,
                                  channel);
}

// The square of a derivative's length in texels of level 0.
template <int Axes>
__WW_DEVICE float squared_texels(const image* t, float x, float y, float z) {
    __WW_AS_WRITTEN
    const float* scale = t->levels->scale;
    float sum = x * scale[0] * (x * scale[0]);
    if (Axes > 1) sum = fma(y * scale[1], y * scale[1], sum);
    if (Axes > 2) sum = fma(z * scale[2], z * scale[2], sum);
    return sum;
}

// How many fetches an ellipse of these squared axes takes.
__WW_DEVICE int32_t fetches_along(const image* t, float longer, float shorter) {
    __WW_AS_WRITTEN
    const float least = shorter > 1.0f ? shorter : 1.0f;  // squared, too
    const float most = static_cast<float>(t->anisotropy);
    const float ratio = __builtin_ceilf(__ww::sqrt(longer / least));
    if (!(ratio > 1.0f)) return 1;
    return static_cast<int32_t>(ratio < most ? ratio : most);
}

template <int Axes>
__WW_OUT_OF_LINE uint32_t grad_channel(const image* t, float ax, float ay, float az, float bx,
                                       float by, float bz, float x, float y, float z, int32_t layer,
                                       uint32_t channel) {
    __WW_AS_WRITTEN
    const float a = squared_texels<Axes>(t, ax, ay, az), b = squared_texels<Axes>(t, bx, by, bz);
    const bool is_along_a = a >= b;
    const float longer = is_along_a ? a : b;
    int32_t count = 1;
    if (Axes == 2 && t->anisotropy > 1) count = fetches_along(t, longer, is_along_a ? b : a);
    const float fetches = static_cast<float>(count);
    // Derivatives of length 0, too, are finer than level 0.
    const float rho = longer > 0.0f ? longer : 1e-30f;
    const float detail = 0.5f * __ww::log2(rho) - __ww::log2(fetches);
    const float level = level_within(t, detail + t->level_bias);
    if (count == 1) return channel_at_level<Axes>(t, level, x, y, z, layer, channel);
    const float along_x = is_along_a ? ax : bx, along_y = is_along_a ? ay : by;
    float sum = 0.0f;
    for (int32_t i = 1; i <= count; ++i) {
        const float step = static_cast<float>(i) / (fetches + 1.0f) - 0.5f;
        sum += from_bits(channel_at_level<Axes>(t, level, fma(along_x, step, x),
                                                fma(along_y, step, y), z, layer, channel));
    }
    return to_bits(sum / fetches);
}

// Each channel is a call; what has one level and no anisotropy is sampled in place.
template <class T, int Axes>
__WW_DEVICE T sample_lod(const image* t, float x, float y, float z, int32_t layer, float level) {
    typedef image_value<T> value;
    if (t->level_count <= 1) return sample<T, Axes>(t, x, y, z, layer_start(t, layer));
    texel r = {0, 0, 0, 0};
    r.x = lod_channel<Axes>(t, level, x, y, z, layer, 0);
    if (value::count > 1) r.y = lod_channel<Axes>(t, level, x, y, z, layer, 1);
    if (value::count > 2) r.z = lod_channel<Axes>(t, level, x, y, z, layer, 2);
    if (value::count > 3) r.w = lod_channel<Axes>(t, level, x, y, z, layer, 3);
    return value::make(r);
}
template <class T, int Axes>
__WW_DEVICE T sample_grad(const image* t, float x, float y, float z, int32_t layer,
                          const footprint& f) {
    typedef image_value<T> value;
    if (t->level_count <= 1 && t->anisotropy <= 1) {
        return sample<T, Axes>(t, x, y, z, layer_start(t, layer));
    }
    texel r = {0, 0, 0, 0};
    const auto of = [&](uint32_t channel) {
        return grad_channel<Axes>(t, f.dx[0], f.dx[1], f.dx[2], f.dy[0], f.dy[1], f.dy[2], x, y, z,
                                  layer, channel);
    };
    r.x = of(0);
    if (value::count > 1) r.y = of(1);
    if (value::count > 2) r.z = of(2);
    if (value::count > 3) r.w = of(3);
    return value::make(r);
}

__WW_DEVICE footprint footprint_of(float dx, float dy) {
    return footprint{{dx, 0.0f, 0.0f}, {dy, 0.0f, 0.0f}};
}
__WW_DEVICE footprint footprint_of(float2 dx, float2 dy) {
    return footprint{{dx.x, dx.y, 0.0f}, {dy.x, dy.y, 0.0f}};
}
__WW_DEVICE footprint footprint_of(float4 dx, float4 dy) {
    return footprint{{dx.x, dx.y, dx.z}, {dy.x, dy.y, dy.z}};
}

// On cubes: the place on the face, and derivatives of a direction as seen there.
template <class T>
__WW_DEVICE T sample_cube_lod(const image* t, float x, float y, float z, int32_t layer,
                              float level) {
    const cube_place place = cube_at(x, y, z);
    return sample_lod<T, 2>(t, place.x, place.y, 0.0f, layer * 6 + place.face, level);
}
__WW_DEVICE float2 on_face(const cube_axes& at, const cube_axes& d) {
    __WW_AS_WRITTEN
    const float m = fabs(at.along);
    const float dm = at.along < 0.0f ? -d.along : d.along;
    float2 r;
    r.x = 0.5f * (d.s - at.s * dm / m) / m;
    r.y = 0.5f * (d.t - at.t * dm / m) / m;
    return r;
}
template <class T>
__WW_DEVICE T sample_cube_grad(const image* t, float x, float y, float z, int32_t layer, float4 dx,
                               float4 dy) {
    const cube_place place = cube_at(x, y, z);
    const cube_axes at = axes_on(place.face, x, y, z);
    const footprint f = footprint_of(on_face(at, axes_on(place.face, dx.x, dx.y, dx.z)),
                                     on_face(at, axes_on(place.face, dy.x, dy.y, dy.z)));
    return sample_grad<T, 2>(t, place.x, place.y, 0.0f, layer * 6 + place.face, f);
}

}  // namespace __ww
