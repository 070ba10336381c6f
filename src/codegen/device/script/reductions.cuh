// What NumPy makes of all elements of an array, in their order, by the calling thread.
#pragma once

#include "arrays.cuh"
#include "conversions.cuh"

template <class T, int N>
__WW_PY long long __ww_py_count(const __ww_py_array<T, N>& array) {
    long long count = 1;
    for (int axis = 0; axis < N; ++axis) count *= array.shape[axis];
    return count;
}

// fold.take(element) for each one.
template <class T, int N, class Fold>
__WW_PY void __ww_py_each(const __ww_py_array<T, N>& array, Fold& fold) {
    const long long count = __ww_py_count(array);
    for (long long i = 0; i < count; ++i) fold.take(__ww_py_loaded(array.data[i]));
}
template <int kAxis, class T, int N, class Fold>
__WW_PY void __ww_py_each_from(const __ww_py_strided<T, N>& array, long long bytes, Fold& fold) {
    for (long long i = 0; i < array.shape[kAxis]; ++i, bytes += array.strides[kAxis]) {
        if constexpr (kAxis + 1 < N) {
            __ww_py_each_from<kAxis + 1>(array, bytes, fold);
        } else {
            fold.take(__ww_py_loaded(array.at(bytes)));
        }
    }
}
template <class T, int N, class Fold>
__WW_PY void __ww_py_each(const __ww_py_strided<T, N>& array, Fold& fold) {
    __ww_py_each_from<0>(array, 0, fold);
}

template <class To>
struct __ww_py_sum {
    To value;
    template <class T>
    __WW_PY void take(T one) {
        value = value + __ww_py_to<To>(one);
    }
};
template <class To>
struct __ww_py_product {
    To value;
    template <class T>
    __WW_PY void take(T one) {
        value = value * __ww_py_to<To>(one);
    }
};
// Of the squares of distances from `mean`.
template <class To>
struct __ww_py_spread {
    To value, mean;
    template <class T>
    __WW_PY void take(T one) {
        const To distance = __ww_py_to<To>(one) - mean;
        value += distance * distance;
    }
};
template <class To>
struct __ww_py_squares {
    To value;
    template <class T>
    __WW_PY void take(T one) {
        value += __ww_py_to<To>(one) * __ww_py_to<To>(one);
    }
};
template <class To>
struct __ww_py_search {
    To wanted;
    bool value;
    template <class T>
    __WW_PY void take(T one) {
        value |= __ww_py_to<To>(one) == wanted;
    }
};
struct __ww_py_nonzero {
    long long value, seen;
    template <class T>
    __WW_PY void take(T one) {
        value += one != T{} ? 1 : 0;
        ++seen;
    }
};
// The first of the least, or of the greatest; the first NaN is both.
template <class To, bool kIsLeast>
struct __ww_py_extreme {
    To value;
    long long at, seen;
    template <class T>
    __WW_PY void take(T element) {
        const To one = __ww_py_to<To>(element);
        const bool is_better = kIsLeast ? one < value : value < one;
        if (seen == 0 || (value == value && (is_better || one != one))) {
            value = one;
            at = seen;
        }
        ++seen;
    }
};

template <class To, class Array>
__WW_PY To __ww_py_array_sum(const Array& array) {
    __ww_py_sum<To> fold{To{}};
    __ww_py_each(array, fold);
    return fold.value;
}
template <class To, class Array>
__WW_PY To __ww_py_array_prod(const Array& array) {
    __ww_py_product<To> fold{__ww_py_to<To>(1)};
    __ww_py_each(array, fold);
    return fold.value;
}
template <class To, class Array>
__WW_PY To __ww_py_array_mean(const Array& array, long long count) {
    return __ww_py_array_sum<To>(array) / __ww_py_to<To>(count);
}
template <class To, class Array>
__WW_PY To __ww_py_array_var(const Array& array, long long count) {
    __ww_py_spread<To> fold{To{}, __ww_py_array_mean<To>(array, count)};
    __ww_py_each(array, fold);
    return fold.value / (To)count;
}
template <class Array>
__WW_PY long long __ww_py_array_count_nonzero(const Array& array) {
    __ww_py_nonzero fold{};
    __ww_py_each(array, fold);
    return fold.value;
}
template <class To, bool kIsLeast, class Array>
__WW_PY To __ww_py_array_extreme(const Array& array, long long) {
    __ww_py_extreme<To, kIsLeast> fold{};
    __ww_py_each(array, fold);
    return fold.value;
}
template <class To, bool kIsLeast, class Array>
__WW_PY long long __ww_py_array_place(const Array& array, long long) {
    __ww_py_extreme<To, kIsLeast> fold{};
    __ww_py_each(array, fold);
    return fold.at;
}
template <class To, class Array>
__WW_PY To __ww_py_array_norm(const Array& array) {
    __ww_py_squares<To> fold{To{}};
    __ww_py_each(array, fold);
    return ::sqrt(fold.value);
}
template <class To, class Array>
__WW_PY bool __ww_py_array_contains(To wanted, const Array& array) {
    __ww_py_search<To> fold{wanted, false};
    __ww_py_each(array, fold);
    return fold.value;
}
template <class To, class A, class B>
__WW_PY To __ww_py_array_dot(const A& a, const B& b, long long count) {
    To result{};
    for (long long i = 0; i < count; ++i) {
        result =
            result + __ww_py_to<To>(__ww_py_loaded(a[i])) * __ww_py_to<To>(__ww_py_loaded(b[i]));
    }
    return result;
}
