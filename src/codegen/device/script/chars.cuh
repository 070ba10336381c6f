// NumPy's strings of a fixed size: bytes (S) or code points (U), with zeros behind the last one.
#pragma once

#include "conversions.cuh"

template <class T, int N>
struct __ww_py_chars {
    T at[N];
};

template <class T, int N, class... Codes>
__WW_PY __ww_py_chars<T, N> __ww_py_chars_of(Codes... codes) {
    return {{(T)codes...}};
}

// Shorter ones lose their last characters, as in assignments to NumPy's arrays.
template <class T, int N>
struct __ww_py_converter<__ww_py_chars<T, N>> {
    template <int M>
    static __WW_PY __ww_py_chars<T, N> from(const __ww_py_chars<T, M>& a) {
        __ww_py_chars<T, N> result;
        for (int i = 0; i < N; ++i) result.at[i] = i < M ? a.at[i] : (T)0;
        return result;
    }
};

template <class T, int N>
__WW_PY long long __ww_py_chars_length(const __ww_py_chars<T, N>& a) {
    int length = N;
    while (length > 0 && a.at[length - 1] == 0) --length;
    return length;
}

// < 0, 0 or > 0.
template <class T, int N, int M>
__WW_PY int __ww_py_chars_order(const __ww_py_chars<T, N>& a, const __ww_py_chars<T, M>& b) {
    for (int i = 0; i < (N > M ? N : M); ++i) {
        const T one = i < N ? a.at[i] : (T)0;
        const T other = i < M ? b.at[i] : (T)0;
        if (one != other) return one < other ? -1 : 1;
    }
    return 0;
}

template <class T, int N>
__WW_PY long long __ww_py_chars_code(const __ww_py_chars<T, N>& a, long long i) {
    return i < N ? a.at[i] : 0;
}
template <class T, int N>
__WW_PY __ww_py_chars<T, 1> __ww_py_chars_at(const __ww_py_chars<T, N>& a, long long i) {
    return {{(T)__ww_py_chars_code(a, i)}};
}

// a[start:stop], with the bounds as Python takes them.
template <class T, int N>
__WW_PY __ww_py_chars<T, N> __ww_py_chars_part(const __ww_py_chars<T, N>& a, long long start,
                                               long long stop) {
    const long long length = __ww_py_chars_length(a);
    if (start < 0) start = start + length < 0 ? 0 : start + length;
    if (stop < 0) stop += length;
    if (stop > length) stop = length;
    __ww_py_chars<T, N> result;
    for (int i = 0; i < N; ++i) result.at[i] = start + i < stop ? a.at[start + i] : (T)0;
    return result;
}

template <class T, int N, int M>
__WW_PY __ww_py_chars<T, N + M> __ww_py_chars_joined(const __ww_py_chars<T, N>& a,
                                                     const __ww_py_chars<T, M>& b) {
    const int length = (int)__ww_py_chars_length(a);
    __ww_py_chars<T, N + M> result;
    for (int i = 0; i < N + M; ++i) {
        result.at[i] = i < length ? a.at[i] : i - length < M ? b.at[i - length] : (T)0;
    }
    return result;
}

// Whether b stands in a from `at` on.
template <class T, int N, int M>
__WW_PY bool __ww_py_chars_stands(const __ww_py_chars<T, N>& a, const __ww_py_chars<T, M>& b,
                                  long long at) {
    const long long length = __ww_py_chars_length(a), wanted = __ww_py_chars_length(b);
    if (at < 0 || at + wanted > length) return false;
    for (int i = 0; i < wanted; ++i) {
        if (a.at[at + i] != b.at[i]) return false;
    }
    return true;
}
template <class T, int N, int M>
__WW_PY bool __ww_py_chars_ends(const __ww_py_chars<T, N>& a, const __ww_py_chars<T, M>& b) {
    return __ww_py_chars_stands(a, b, __ww_py_chars_length(a) - __ww_py_chars_length(b));
}
template <class T, int N, int M>
__WW_PY long long __ww_py_chars_find(const __ww_py_chars<T, N>& a, const __ww_py_chars<T, M>& b) {
    for (int i = 0; i <= N; ++i) {
        if (__ww_py_chars_stands(a, b, i)) return i;
    }
    return -1;
}

// Arrays of strings, from arrays of their characters, whose last axis is a string's.
template <class To>
struct __ww_py_chars_view;
template <class E, int N>
struct __ww_py_chars_view<__ww_py_array<E, N>> {
    template <class Array>
    static __WW_PY __ww_py_array<E, N> of(const Array& a) {
        __ww_py_array<E, N> view;
        view.data = (E*)a.data;
        if constexpr (N > 0) {
            for (int axis = 0; axis < N; ++axis) view.shape[axis] = a.shape[axis];
        }
        return view;
    }
};
template <class E, int N>
struct __ww_py_chars_view<__ww_py_strided<E, N>> {
    template <class Array>
    static __WW_PY __ww_py_strided<E, N> of(const Array& a) {
        __ww_py_strided<E, N> view;
        view.data = (E*)a.data;
        for (int axis = 0; axis < N; ++axis) {
            view.shape[axis] = a.shape[axis];
            view.strides[axis] = a.stride(axis);
        }
        return view;
    }
};
