// Views of arrays: one entry of an index for each axis it says something of; other shapes of the
// same memory; and whether two views share memory.
#pragma once

#include "arrays.cuh"

struct __ww_py_at {};   // a number: the axis goes
struct __ww_py_all {};  // :
template <int kHasStart, int kHasStop>
struct __ww_py_slice {};    // start:stop:step
struct __ww_py_natural {};  // the same, where 0 <= start <= stop and step > 0
struct __ww_py_within {};   // start, length and step of what lies within the axis

// Start and length of a slice as Python's slice.indices() has them.
struct __ww_py_extent {
    long long start, length;
};
__WW_PY __ww_py_extent __ww_py_slice_of(bool has_start, long long start, bool has_stop,
                                        long long stop, long long step, long long extent) {
    const long long least = step > 0 ? 0 : -1, most = step > 0 ? extent : extent - 1;
    if (!has_start) {
        start = step > 0 ? least : most;
    } else {
        if (start < 0) start += extent;
        start = start < least ? least : start > most ? most : start;
    }
    if (!has_stop) {
        stop = step > 0 ? most : least;
    } else {
        if (stop < 0) stop += extent;
        stop = stop < least ? least : stop > most ? most : stop;
    }
    return {start, __ww_py_range_length(start, stop, step)};
}

template <class T>
struct __ww_py_element_of;
template <class T, int N>
struct __ww_py_element_of<__ww_py_array<T, N>> {
    typedef T type;
    enum { rank = N, is_strided = false };
};
template <class T, int N>
struct __ww_py_element_of<__ww_py_strided<T, N>> {
    typedef T type;
    enum { rank = N, is_strided = true };
};

template <class T, int N>
__WW_PY void __ww_py_set_stride(__ww_py_array<T, N>&, int, long long) {}
template <class T, int N>
__WW_PY void __ww_py_set_stride(__ww_py_strided<T, N>& view, int axis, long long bytes) {
    view.strides[axis] = bytes;
}
template <class View, class Array>
__WW_PY void __ww_py_keep_axis(View& view, int to, const Array& array, int from) {
    view.shape[to] = array.shape[from];
    __ww_py_set_stride(view, to, array.stride(from));
}

// The axes that no entry is left for.
template <int kRank, class View, class Array>
__WW_PY void __ww_py_cut(View& view, long long, int to, const Array& array, int from) {
    for (; from < kRank; ++from, ++to) __ww_py_keep_axis(view, to, array, from);
}
template <int kRank, class View, class Array, class... Rest>
__WW_PY void __ww_py_cut(View& view, long long& bytes, int to, const Array& array, int from,
                         __ww_py_all, Rest... rest);
template <int kRank, class View, class Array, class... Rest>
__WW_PY void __ww_py_cut(View& view, long long& bytes, int to, const Array& array, int from,
                         __ww_py_at, long long index, Rest... rest);
template <int kRank, class View, class Array, class... Rest>
__WW_PY void __ww_py_cut(View& view, long long& bytes, int to, const Array& array, int from,
                         __ww_py_natural, long long start, long long stop, long long step,
                         Rest... rest);
template <int kRank, class View, class Array, class... Rest>
__WW_PY void __ww_py_cut(View& view, long long& bytes, int to, const Array& array, int from,
                         __ww_py_within, long long start, long long length, long long step,
                         Rest... rest);
template <int kRank, class View, class Array, int kStart, int kStop, class... Rest>
__WW_PY void __ww_py_cut(View& view, long long& bytes, int to, const Array& array, int from,
                         __ww_py_slice<kStart, kStop>, long long start, long long stop,
                         long long step, Rest... rest) {
    const __ww_py_extent part =
        __ww_py_slice_of(kStart, start, kStop, stop, step, array.shape[from]);
    view.shape[to] = part.length;
    __ww_py_set_stride(view, to, step * array.stride(from));
    if (part.length > 0) bytes += array.bytes_to(from, part.start);
    __ww_py_cut<kRank>(view, bytes, to + 1, array, from + 1, rest...);
}
template <int kRank, class View, class Array, class... Rest>
__WW_PY void __ww_py_cut(View& view, long long& bytes, int to, const Array& array, int from,
                         __ww_py_natural, long long start, long long stop, long long step,
                         Rest... rest) {
    const long long extent = array.shape[from];
    const long long first = start < extent ? start : extent;
    const long long count = (stop < extent ? stop : extent) - first;
    view.shape[to] = step == 1 ? count : (count + step - 1) / step;
    __ww_py_set_stride(view, to, step * array.stride(from));
    bytes += array.bytes_to(from, first);
    __ww_py_cut<kRank>(view, bytes, to + 1, array, from + 1, rest...);
}
template <int kRank, class View, class Array, class... Rest>
__WW_PY void __ww_py_cut(View& view, long long& bytes, int to, const Array& array, int from,
                         __ww_py_within, long long start, long long length, long long step,
                         Rest... rest) {
    view.shape[to] = length;
    __ww_py_set_stride(view, to, step * array.stride(from));
    bytes += array.bytes_to(from, start);
    __ww_py_cut<kRank>(view, bytes, to + 1, array, from + 1, rest...);
}
template <int kRank, class View, class Array, class... Rest>
__WW_PY void __ww_py_cut(View& view, long long& bytes, int to, const Array& array, int from,
                         __ww_py_all, Rest... rest) {
    __ww_py_keep_axis(view, to, array, from);
    __ww_py_cut<kRank>(view, bytes, to + 1, array, from + 1, rest...);
}
template <int kRank, class View, class Array, class... Rest>
__WW_PY void __ww_py_cut(View& view, long long& bytes, int to, const Array& array, int from,
                         __ww_py_at, long long index, Rest... rest) {
    bytes += array.bytes_to(from, index < 0 ? index + array.shape[from] : index);
    __ww_py_cut<kRank>(view, bytes, to, array, from + 1, rest...);
}

template <class View, class Array, class... Entries>
__WW_PY View __ww_py_view(const Array& array, Entries... entries) {
    View view{};
    long long bytes = 0;
    __ww_py_cut<__ww_py_element_of<Array>::rank>(view, bytes, 0, array, 0, entries...);
    view.data = (typename __ww_py_element_of<View>::type*)((char*)array.data + bytes);
    return view;
}

template <class View, class Array>
__WW_PY View __ww_py_transposed(const Array& array) {
    enum { kRank = __ww_py_element_of<Array>::rank };
    View view{};
    view.data = array.data;
    for (int axis = 0; axis < kRank; ++axis) {
        __ww_py_keep_axis(view, axis, array, kRank - 1 - axis);
    }
    return view;
}

// Axes of one item between those of an array: where a bit of kNew is set.
template <class View, unsigned kNew, class Array>
__WW_PY View __ww_py_with_axes(const Array& array) {
    View view{};
    view.data = array.data;
    for (int axis = 0, from = 0; axis < (int)__ww_py_element_of<View>::rank; ++axis) {
        if (kNew >> axis & 1) {
            view.shape[axis] = 1;
        } else {
            __ww_py_keep_axis(view, axis, array, from++);
        }
    }
    return view;
}

// Whether a part of an array lies behind another one of its shape and strides, in the order of the
// axes. Where both have elements in common, the nearest number of steps along an axis is right.
template <class Part, class Other>
__WW_PY bool __ww_py_lies_behind(const Part& part, const Other& other) {
    enum { kRank = __ww_py_element_of<Part>::rank };
    long long rest = (const char*)part.data - (const char*)other.data;
    long long steps[kRank] = {};
    bool is_done[kRank] = {};
    for (int turn = 0; turn < kRank; ++turn) {
        int axis = -1;  // of those left, the one with the longest stride
        long long size = -1;
        for (int one = 0; one < kRank; ++one) {
            const long long stride = part.stride(one);
            const long long bytes = stride < 0 ? -stride : stride;
            if (is_done[one] || bytes <= size) continue;
            axis = one;
            size = bytes;
        }
        is_done[axis] = true;
        if (part.shape[axis] < 2 || size == 0) continue;
        const long long count = (rest < 0 ? rest - size / 2 : rest + size / 2) / size;
        rest -= count * size;
        steps[axis] = part.stride(axis) < 0 ? -count : count;
    }
    for (int axis = 0; axis < kRank; ++axis) {
        if (steps[axis] != 0) return steps[axis] > 0;
    }
    return false;
}

// Where the elements of an array begin and end, in any order of its axes.
template <class Array>
__WW_PY void __ww_py_bounds(const Array& array, const char*& first, const char*& last) {
    first = (const char*)array.data;
    last = first + sizeof(typename __ww_py_element_of<Array>::type);
    for (int axis = 0; axis < (int)__ww_py_element_of<Array>::rank; ++axis) {
        const long long bytes = array.stride(axis) * (array.shape[axis] - 1);
        (bytes < 0 ? first : last) += bytes;
    }
}
// Whether an element may be read after it was written: of parts of other shapes that overlap.
template <class Part, class Other>
__WW_PY bool __ww_py_needs_copy(const Part& part, const Other& other) {
    bool differs = false;
    for (int axis = 0; axis < (int)__ww_py_element_of<Part>::rank; ++axis) {
        differs |= part.shape[axis] != other.shape[axis];
    }
    if (!differs) return false;
    const char *first, *last, *other_first, *other_last;
    __ww_py_bounds(part, first, last);
    __ww_py_bounds(other, other_first, other_last);
    return first < other_last && other_first < last;
}

// A contiguous array as one axis.
template <class View, class Array>
__WW_PY View __ww_py_flattened(const Array& array) {
    long long count = 1;
    for (int axis = 0; axis < (int)__ww_py_element_of<Array>::rank; ++axis) {
        count *= array.shape[axis];
    }
    return {array.data, {count}};
}

// An array without memory, of which the shape alone is read.
template <class... Extents>
__WW_PY __ww_py_array<unsigned char, sizeof...(Extents)> __ww_py_shape(Extents... extents) {
    return {nullptr, {(long long)extents...}};
}

// The product of the extents of a shape, but for -1.
template <class... Extents>
__WW_PY long long __ww_py_others(Extents... extents) {
    return (1LL * ... * (extents == -1 ? 1 : extents));
}
// Whether so many elements have the shape, of which one extent may be -1: what is left.
template <class... Extents>
__WW_PY bool __ww_py_fits(long long count, Extents... extents) {
    const int rests = (0 + ... + (extents == -1 ? 1 : 0));
    const long long others = __ww_py_others(extents...);
    if (rests > 1 || !((extents >= -1) && ...)) return false;
    return rests == 0 ? others == count : others > 0 && count % others == 0;
}
// A contiguous array with other axes, of as many elements.
template <class View, class Array, class... Extents>
__WW_PY View __ww_py_reshaped(const Array& array, long long count, Extents... extents) {
    const long long others = __ww_py_others(extents...);
    return {array.data, {(extents == -1 ? count / others : extents)...}};
}

// One of the two parts of each element, `bytes` behind its beginning.
template <class View, class Array>
__WW_PY View __ww_py_component(const Array& array, int bytes) {
    enum { kRank = __ww_py_element_of<Array>::rank };
    View view{};
    view.data = (typename __ww_py_element_of<View>::type*)((char*)array.data + bytes);
    for (int axis = 0; axis < kRank; ++axis) __ww_py_keep_axis(view, axis, array, axis);
    return view;
}

// The same bytes as elements of another type: the last axis has more or fewer of them.
template <class View, class Array>
__WW_PY View __ww_py_reinterpreted(const Array& array) {
    typedef typename __ww_py_element_of<View>::type To;
    enum { kRank = __ww_py_element_of<Array>::rank };
    View view{};
    view.data = (To*)array.data;
    for (int axis = 0; axis < kRank; ++axis) __ww_py_keep_axis(view, axis, array, axis);
    const long long from = sizeof(typename __ww_py_element_of<Array>::type), to = sizeof(To);
    view.shape[kRank - 1] = array.shape[kRank - 1] * from / to;
    return view;
}
