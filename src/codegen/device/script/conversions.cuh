// Conversions that C++ does not make by itself: to complex numbers, 16-bit floats, other layouts of
// arrays, tuples of other numbers.
#pragma once

#include "arrays.cuh"
#include "complex.cuh"
#include "tuples.cuh"

template <class To>
struct __ww_py_converter {
    template <class From>
    static __WW_PY To from(From a) {
        return (To)a;
    }
};
template <class To, class From>
__WW_PY To __ww_py_to(const From& a) {
    return __ww_py_converter<To>::from(a);
}

#ifdef __WW_PY_HALF  // the source includes cuda_fp16.h
template <>
struct __ww_py_converter<__half> {
    template <class From>
    static __WW_PY __half from(From a) {
        return __float2half((float)a);
    }
    static __WW_PY __half from(__half a) { return a; }
};
__WW_PY __half __ww_py_abs(__half a) {
    return __habs(a);
}
#endif
template <class T>
struct __ww_py_converter<__ww_py_complex<T>> {
    template <class From>
    static __WW_PY __ww_py_complex<T> from(From a) {
        return {(T)a, (T)0};
    }
    template <class From>
    static __WW_PY __ww_py_complex<T> from(__ww_py_complex<From> a) {
        return {(T)a.real, (T)a.imag};
    }
};
template <class T, int N>
struct __ww_py_converter<__ww_py_strided<T, N>> {
    template <class Array>
    static __WW_PY __ww_py_strided<T, N> from(const Array& a) {
        __ww_py_strided<T, N> view{};
        view.data = a.data;
        for (int axis = 0; axis < N; ++axis) {
            view.shape[axis] = a.shape[axis];
            view.strides[axis] = a.stride(axis);
        }
        return view;
    }
};
template <class T, int N>
struct __ww_py_converter<__ww_py_array<T, N>> {
    template <class Array>
    static __WW_PY __ww_py_array<T, N> from(const Array& a) {
        __ww_py_array<T, N> view{};
        view.data = a.data;
        for (int axis = 0; axis < N; ++axis) view.shape[axis] = a.shape[axis];
        return view;
    }
};
template <>
struct __ww_py_converter<__ww_py_tuple<>> {
    static __WW_PY __ww_py_tuple<> from(const __ww_py_tuple<>&) { return {}; }
};
template <class Item, class... Rest>
struct __ww_py_converter<__ww_py_tuple<Item, Rest...>> {
    template <class Other, class... Others>
    static __WW_PY __ww_py_tuple<Item, Rest...> from(const __ww_py_tuple<Other, Others...>& a) {
        return {__ww_py_to<Item>(a.first), __ww_py_to<__ww_py_tuple<Rest...>>(a.rest)};
    }
};

template <class T>
__WW_PY __ww_py_tuple<T, T> __ww_py_modf(T a) {
    const T whole = ::trunc(a);
    const T rest = __ww_py_isinf(a) ? ::copysign((T)0, a) : a - whole;
    return {::copysign(rest, a), {whole, {}}};
}
template <class T>
__WW_PY __ww_py_tuple<T, int> __ww_py_remquo(T a, T b) {
    int quotient = 0;
    const T rest = ::remquo(a, b, &quotient);
    return {rest, {quotient, {}}};
}
template <class T>
__WW_PY __ww_py_tuple<T, long long> __ww_py_frexp(T a) {
    int exponent = 0;
    const T fraction = ::frexp(a, &exponent);
    return {fraction, {(long long)exponent, {}}};
}
