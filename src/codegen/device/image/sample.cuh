// From coordinates to a value, after the formulas of the CUDA C++ programming guide, appendix
// "Texture Fetching": the nearest texel, or a mean of 2, 4 or 8 with weights from fractions of 8
// bits. Fractions are rounded to nearest, as an H200 does.
//
// Written without branches on coordinates: modes and formats are the same for all threads, so that
// a fetch of many threads stays one stream of vector code. Everything is in single precision and
// in the order written.
#pragma once

namespace __ww {

// A coordinate in texels: unscaled, or normalised and then brought into one period. That of a
// mirror is twice the texture.
__WW_DEVICE float in_texels(const image* t, int axis, float x) {
    __WW_AS_WRITTEN
    if (t->mode[axis] == wrap_mode) x -= __builtin_floorf(x);
    if (t->mode[axis] == mirror_mode) x -= 2.0f * __builtin_floorf(x * 0.5f);
    return x * t->scale[axis];
}
// The last texel of a period.
__WW_DEVICE int32_t last_of(const image* t, int axis) {
    const int32_t extent = t->extent[axis];
    return (t->mode[axis] == mirror_mode ? 2 * extent : extent) - 1;
}

// The texel a point lies in.
struct nearest_place {
    int32_t index;
    bool inside;
};
__WW_DEVICE nearest_place nearest_on(const image* t, int axis, float x) {
    const float u = in_texels(t, axis, x);
    const int32_t last = last_of(t, axis);
    const float limit = static_cast<float>(last);
    bool inside = true;
    if (t->mode[axis] == border_mode) inside = u >= 0.0f && u < limit + 1.0f;
    float v = u > 0.0f ? u : 0.0f;  // a NaN gives 0
    v = v < limit ? v : limit;
    int32_t index = static_cast<int32_t>(v);
    if (t->mode[axis] == mirror_mode) index = index > last / 2 ? last - index : index;
    return nearest_place{index, inside};
}

// The two texels a point lies between, and how far it is from the lower.
struct linear_place {
    int32_t low, high;
    bool low_inside, high_inside;
    float fraction;
};
__WW_DEVICE linear_place linear_on(const image* t, int axis, float x) {
    __WW_AS_WRITTEN
    int32_t last = last_of(t, axis);
    float u = in_texels(t, axis, x);
    const float beyond = static_cast<float>(last + 2);
    u = u > -1.0f ? u : -1.0f;
    u = u < beyond ? u : beyond;
    // In 256ths of a texel, from the centre of the first.
    const int32_t fixed = static_cast<int32_t>(__builtin_floorf(u * 256.0f + 0.5f)) - 128;
    int32_t low = fixed >> 8, high = low + 1;
    linear_place place = {0, 0, true, true, static_cast<float>(fixed & 255) * 0.00390625f};
    if (t->mode[axis] == wrap_mode) {
        low = low < 0 ? last : low;
        high = high > last ? 0 : high;
    } else if (t->mode[axis] == border_mode) {
        place.low_inside = low >= 0 && low <= last;
        place.high_inside = high >= 0 && high <= last;
    } else if (t->mode[axis] == mirror_mode) {
        low = low > last / 2 ? last - low : low;
        high = high > last / 2 ? last - high : high;
        last = last / 2;
    }
    place.low = low < 0 ? 0 : low > last ? last : low;
    place.high = high < 0 ? 0 : high > last ? last : high;
    return place;
}

template <class Load>
__WW_DEVICE texel texel_or_border(const image* t, const Load& load, int32_t at, bool inside) {
    texel r = load(t, at);
    const texel b = load.border(t);
    r.x = inside ? r.x : b.x;
    if (Load::count > 1) r.y = inside ? r.y : b.y;
    if (Load::count > 2) r.z = inside ? r.z : b.z;
    if (Load::count > 3) r.w = inside ? r.w : b.w;
    return r;
}

// sum + weight * texel, channel by channel, each rounded once.
template <class Load>
__WW_DEVICE void add_weighted(float4& sum, float weight, const texel& t) {
    sum.x = fma(weight, from_bits(t.x), sum.x);
    if (Load::count > 1) sum.y = fma(weight, from_bits(t.y), sum.y);
    if (Load::count > 2) sum.z = fma(weight, from_bits(t.z), sum.z);
    if (Load::count > 3) sum.w = fma(weight, from_bits(t.w), sum.w);
}

// Two texels along x of the row that begins at `row`. Products of weights are exact: each has 8
// bits behind the point.
template <class Load>
__WW_DEVICE void add_row(float4& sum, const image* t, const Load& load, const linear_place& x,
                         int32_t row, bool inside, float weight) {
    __WW_AS_WRITTEN
    const texel low = texel_or_border(t, load, row + x.low, inside && x.low_inside);
    const texel high = texel_or_border(t, load, row + x.high, inside && x.high_inside);
    add_weighted<Load>(sum, weight * (1.0f - x.fraction), low);
    add_weighted<Load>(sum, weight * x.fraction, high);
}

template <class Load, int Axes>
__WW_DEVICE texel sample_linear(const image* t, const Load& load, float x, float y, float z,
                                int32_t start) {
    __WW_AS_WRITTEN
    float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
    const linear_place on_x = linear_on(t, 0, x);
    if (Axes == 1) {
        add_row(sum, t, load, on_x, start, true, 1.0f);
    } else {
        const linear_place on_y = linear_on(t, 1, y);
        const int32_t low = on_y.low * t->row_texels, high = on_y.high * t->row_texels;
        const float rest = 1.0f - on_y.fraction;
        if (Axes == 2) {
            add_row(sum, t, load, on_x, start + low, on_y.low_inside, rest);
            add_row(sum, t, load, on_x, start + high, on_y.high_inside, on_y.fraction);
        } else {
            const linear_place on_z = linear_on(t, 2, z);
            int32_t slice = start + on_z.low * t->slice_texels;
            bool inside = on_z.low_inside;
            float weight = 1.0f - on_z.fraction;
            add_row(sum, t, load, on_x, slice + low, inside && on_y.low_inside, weight * rest);
            add_row(sum, t, load, on_x, slice + high, inside && on_y.high_inside,
                    weight * on_y.fraction);
            slice = start + on_z.high * t->slice_texels;
            inside = on_z.high_inside;
            weight = on_z.fraction;
            add_row(sum, t, load, on_x, slice + low, inside && on_y.low_inside, weight * rest);
            add_row(sum, t, load, on_x, slice + high, inside && on_y.high_inside,
                    weight * on_y.fraction);
        }
    }
    return texel{to_bits(sum.x), to_bits(sum.y), to_bits(sum.z), to_bits(sum.w)};
}

template <class Load, int Axes>
__WW_DEVICE texel sample_nearest(const image* t, const Load& load, float x, float y, float z,
                                 int32_t start) {
    const nearest_place on_x = nearest_on(t, 0, x);
    int32_t at = start + on_x.index;
    bool inside = on_x.inside;
    if (Axes > 1) {
        const nearest_place on_y = nearest_on(t, 1, y);
        at += on_y.index * t->row_texels;
        inside = inside && on_y.inside;
    }
    if (Axes > 2) {
        const nearest_place on_z = nearest_on(t, 2, z);
        at += on_z.index * t->slice_texels;
        inside = inside && on_z.inside;
    }
    return texel_or_border(t, load, at, inside);
}

template <class Load, int Axes>
__WW_DEVICE texel sample_by(const image* t, const Load& load, float x, float y, float z,
                            int32_t start) {
    if (Load::may_filter && t->is_linear != 0) {
        return sample_linear<Load, Axes>(t, load, x, y, z, start);
    }
    return sample_nearest<Load, Axes>(t, load, x, y, z, start);
}

#define __WW_OUT_OF_LINE static __device__ __attribute__((noinline, pure, nothrow, unused))

template <int Axes>
__WW_DEVICE uint32_t base_channel(const image* t, float x, float y, float z, int32_t start,
                                  uint32_t channel);  // levels.cuh

// A call, so that kernels do not grow with formats they never use.
template <int Axes>
__WW_OUT_OF_LINE uint32_t rare_sample(const image* t, float x, float y, float z, int32_t start,
                                      uint32_t channel) {
    if (t->blends_base != 0) return base_channel<Axes>(t, x, y, z, start, channel);
    return sample_by<rare_texel, Axes>(t, rare_texel{channel}, x, y, z, start).x;
}
__WW_OUT_OF_LINE uint32_t rare_channel(const image* t, int32_t at, uint32_t channel) {
    return any_channel(t, at, channel);
}

template <class T, int Axes>
__WW_DEVICE T sample(const image* t, float x, float y, float z, int32_t start) {
    typedef common_texel<T> common;
    typedef image_value<T> value;
    texel r = {0, 0, 0, 0};
    if (common::covers(t)) {
        r = sample_by<common, Axes>(t, common(), x, y, z, start);
    } else {
        r.x = rare_sample<Axes>(t, x, y, z, start, 0);
        if (value::count > 1) r.y = rare_sample<Axes>(t, x, y, z, start, 1);
        if (value::count > 2) r.z = rare_sample<Axes>(t, x, y, z, start, 2);
        if (value::count > 3) r.w = rare_sample<Axes>(t, x, y, z, start, 3);
    }
    return value::make(r);
}

// The texel with this index, 0 outside: linear memory has no modes.
template <class T>
__WW_DEVICE T fetch(const image* t, int32_t at) {
    typedef common_texel<T> common;
    typedef image_value<T> value;
    texel r = {0, 0, 0, 0};
    if (static_cast<uint32_t>(at) < static_cast<uint32_t>(t->extent[0])) {
        if (common::covers(t)) {
            r = common()(t, at);
        } else {
            r.x = rare_channel(t, at, 0);
            if (value::count > 1) r.y = rare_channel(t, at, 1);
            if (value::count > 2) r.z = rare_channel(t, at, 2);
            if (value::count > 3) r.w = rare_channel(t, at, 3);
        }
    }
    return value::make(r);
}

// Where a layer begins. A layer out of range is the last one, a negative one too, as on a GPU.
__WW_DEVICE int32_t layer_start(const image* t, int32_t layer) {
    const uint32_t last = static_cast<uint32_t>(t->layers - 1);
    const uint32_t given = static_cast<uint32_t>(layer);
    return static_cast<int32_t>(given < last ? given : last) * t->slice_texels;
}

// A direction as the face numbered so has it.
struct cube_axes {
    float s, t, along;
};
__WW_DEVICE cube_axes axes_on(int32_t face, float x, float y, float z) {
    const bool on_z = face >= 4, on_y = face >= 2, is_negative = (face & 1) != 0;
    cube_axes axes;
    axes.along = on_z ? z : on_y ? y : x;
    axes.s = on_z ? (is_negative ? -x : x) : on_y ? x : is_negative ? z : -z;
    axes.t = on_z ? -y : on_y ? (is_negative ? -z : z) : -y;
    return axes;
}

// The face a direction points at, and the normalised coordinates there.
struct cube_place {
    float x, y;
    int32_t face;
};
__WW_DEVICE cube_place cube_at(float x, float y, float z) {
    __WW_AS_WRITTEN
    const float ax = fabs(x), ay = fabs(y), az = fabs(z);
    const bool on_z = az >= ax && az >= ay, on_y = ay >= ax;
    cube_place place;
    place.face = on_z ? 4 : on_y ? 2 : 0;
    place.face += (on_z ? z : on_y ? y : x) < 0.0f ? 1 : 0;
    const cube_axes axes = axes_on(place.face, x, y, z);
    const float m = fabs(axes.along);
    place.x = (axes.s / m + 1.0f) * 0.5f;
    place.y = (axes.t / m + 1.0f) * 0.5f;
    return place;
}
template <class T>
__WW_DEVICE T sample_cube(const image* t, float x, float y, float z, int32_t layer) {
    const cube_place place = cube_at(x, y, z);
    return sample<T, 2>(t, place.x, place.y, 0.0f, layer_start(t, layer * 6 + place.face));
}

// One component of the four texels that a linear fetch would mix, counter-clockwise from the one
// at the lower left (larger y is lower).
template <class T>
__WW_DEVICE T gather(const image* t, float x, float y, int32_t component) {
    typedef image_value<T> value;
    static_assert(value::count == 4, "tex2Dgather returns a vector of 4");
    const linear_place on_x = linear_on(t, 0, x), on_y = linear_on(t, 1, y);
    const int32_t low = on_y.low * t->row_texels, high = on_y.high * t->row_texels;
    const uint32_t c = static_cast<uint32_t>(component);
    const uint32_t b = t->border[c & 3u];
    texel r;
    r.x = on_x.low_inside && on_y.high_inside ? rare_channel(t, high + on_x.low, c) : b;
    r.y = on_x.high_inside && on_y.high_inside ? rare_channel(t, high + on_x.high, c) : b;
    r.z = on_x.high_inside && on_y.low_inside ? rare_channel(t, low + on_x.high, c) : b;
    r.w = on_x.low_inside && on_y.low_inside ? rare_channel(t, low + on_x.low, c) : b;
    return value::make(r);
}

}  // namespace __ww
