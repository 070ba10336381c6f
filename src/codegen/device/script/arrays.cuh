// Arrays as kernels get them: an address, extents, and strides in bytes where they are not C's.
#pragma once

#include "numbers.cuh"

// Places of elements: in launches of small arrays, numbers of 32 bits. CPUs address with 64.
#if defined(__WW_PY_SMALL_LAUNCH) && !defined(__clang__)
typedef int __ww_py_place;
#else
typedef long long __ww_py_place;
#endif
// Rows before an element, and bytes from the beginning of an array to a view: on CPUs too, as each
// thread may have its own. A product of 64 bits takes several operations of vectors.
#if defined(__WW_PY_SMALL_LAUNCH)
typedef int __ww_py_rows;
typedef int __ww_py_bytes;
#else
typedef long long __ww_py_rows;
typedef long long __ww_py_bytes;
#endif

// In C order.
template <class T, int N>
struct __ww_py_array {
    T* data;
    long long shape[N];

    __WW_PY T& operator[](long long i) const { return data[i]; }
    __WW_PY T& operator()(__ww_py_place i, __ww_py_place j) const {
        return data[(__ww_py_rows)i * (__ww_py_rows)shape[1] + j];
    }
    __WW_PY T& operator()(__ww_py_place i, __ww_py_place j, __ww_py_place k) const {
        const __ww_py_rows row = (__ww_py_rows)i * (__ww_py_rows)shape[1] + (__ww_py_rows)j;
        return data[row * (__ww_py_rows)shape[2] + k];
    }
    template <class... More>
    __WW_PY T& operator()(__ww_py_place i, __ww_py_place j, __ww_py_place k, __ww_py_place l,
                          More... more) const {
        const __ww_py_place at[] = {i, j, k, l, (__ww_py_place)more...};
        __ww_py_rows row = (__ww_py_rows)at[0];
        for (int axis = 1; axis < N - 1; ++axis) {
            row = row * (__ww_py_rows)shape[axis] + (__ww_py_rows)at[axis];
        }
        return data[row * (__ww_py_rows)shape[N - 1] + at[N - 1]];
    }
    __WW_PY long long stride(int axis) const {
        long long bytes = sizeof(T);
        for (int other = N - 1; other > axis; --other) bytes *= shape[other];
        return bytes;
    }
    // Up to item `index` of the axis, which is there.
    __WW_PY __ww_py_bytes bytes_to(int axis, long long index) const {
        return (__ww_py_bytes)index * (__ww_py_bytes)stride(axis);
    }
};
template <class T>
struct __ww_py_array<T, 0> {
    T* data;
    __WW_PY T& operator()() const { return *data; }
};

// x[i, ...], the last axis there: of an array whose last axis is known to have so many items.
template <int kLength, class T, int N, class... More>
__WW_PY __ww_py_array<T, 1> __ww_py_row(const __ww_py_array<T, N>& array, long long i,
                                        More... more) {
    const long long at[] = {i, (long long)more...};
    long long place = at[0];
    for (int axis = 1; axis < N - 1; ++axis) place = place * array.shape[axis] + at[axis];
    return {array.data + place * kLength, {kLength}};
}

// The array, whose last axis is known to have so many items.
template <int kLength, class T, int N>
__WW_PY __ww_py_array<T, N> __ww_py_of_last(__ww_py_array<T, N> array) {
    array.shape[N - 1] = kLength;
    return array;
}

// Arrays that NumPy's functions make, in memory of the function's own.
template <class T, int N>
__WW_PY __ww_py_array<T, N> __ww_py_unfilled(const __ww_py_array<T, N>& array) {
    return array;
}
template <class T, int N>
__WW_PY __ww_py_array<T, N> __ww_py_filled(const __ww_py_array<T, N>& array, T value) {
    long long count = 1;
    for (int axis = 0; axis < N; ++axis) count *= array.shape[axis];
    for (long long i = 0; i < count; ++i) array.data[i] = value;
    return array;
}
template <class T, int N, class... Values>
__WW_PY __ww_py_array<T, N> __ww_py_stored(const __ww_py_array<T, N>& array, Values... values) {
    T* place = array.data;
    ((*place++ = (T)values), ...);
    return array;
}

// A list that grows: its memory and its length.
template <class T>
__WW_PY __ww_py_array<T, 1> __ww_py_first_of(const __ww_py_array<T, 1>& array, long long count) {
    return {array.data, {count}};
}
template <class T>
__WW_PY __ww_py_array<T, 1> __ww_py_longer(const __ww_py_array<T, 1>& array) {
    return {array.data, {array.shape[0] + 1}};
}

template <class T, int N>
struct __ww_py_strided {
    T* data;
    long long shape[N];
    long long strides[N];

    __WW_PY T& at(long long bytes) const { return *(T*)((char*)data + bytes); }
    __WW_PY T& operator[](long long i) const { return at(i * strides[0]); }
    __WW_PY T& operator()(long long i, long long j) const {
        return at(i * strides[0] + j * strides[1]);
    }
    __WW_PY T& operator()(long long i, long long j, long long k) const {
        return at(i * strides[0] + j * strides[1] + k * strides[2]);
    }
    template <class... More>
    __WW_PY T& operator()(long long i, long long j, long long k, long long l, More... more) const {
        const long long index[] = {i, j, k, l, (long long)more...};
        long long bytes = 0;
        for (int axis = 0; axis < N; ++axis) bytes += index[axis] * strides[axis];
        return at(bytes);
    }
    __WW_PY long long stride(int axis) const { return strides[axis]; }
    __WW_PY long long bytes_to(int axis, long long index) const { return index * strides[axis]; }
};

// An element that may lie at any address.
template <class T>
struct __ww_py_packed {
    unsigned char bytes[sizeof(T)];

    __WW_PY T get() const {
        T value;
        for (unsigned i = 0; i < sizeof(T); ++i) ((unsigned char*)&value)[i] = bytes[i];
        return value;
    }
    __WW_PY void operator=(T value) {
        for (unsigned i = 0; i < sizeof(T); ++i) bytes[i] = ((const unsigned char*)&value)[i];
    }
};

template <class T>
__WW_PY T __ww_py_loaded(const T& element) {
    return element;
}
template <class T>
__WW_PY T __ww_py_loaded(const __ww_py_packed<T>& element) {
    return element.get();
}

// A place in memory, as an array without axes.
template <class T>
__WW_PY __ww_py_array<T, 0> __ww_py_reference(T& place) {
    return {&place};
}
