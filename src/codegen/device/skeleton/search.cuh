// Binary searches in sorted elements.
#pragma once

#include "sort_keys.cuh"

// The order of elements: NaN last, both zeros equal, complex numbers by real, then by imaginary
// parts, behind all others those with a NaN in either.
template <class T>
struct __ww_ordered {
    typedef typename __ww_sort_key<T>::memory memory;
    static __device__ __forceinline__ bool before(memory a, memory b) {
        return __ww_sort_key<T>::template of<true>(a) < __ww_sort_key<T>::template of<true>(b);
    }
};
// As memory has them.
template <class T>
struct __ww_two_parts {
    typename __ww_sort_key<T>::memory re, im;
};
template <class T>
struct __ww_complex_order {
    typedef __ww_two_parts<T> memory;
    typedef typename __ww_sort_key<T>::bits bits;
    static __device__ __forceinline__ bool before(memory a, memory b) {
        const bits x = __ww_sort_key<T>::template of<true>(a.re);
        const bits y = __ww_sort_key<T>::template of<true>(b.re);
        const bits u = __ww_sort_key<T>::template of<true>(a.im);
        const bits v = __ww_sort_key<T>::template of<true>(b.im);
        const bits nan = (bits) ~(bits)0;
        const bool a_has_nan = x == nan || u == nan;
        const bool b_has_nan = y == nan || v == nan;
        if (a_has_nan != b_has_nan) return b_has_nan;
        return x < y || (x == y && u < v);
    }
};

// How many of the sorted elements come before `value`, or (kRight) do not come after it. `sorter`
// (may be null): where the sorted elements are.
template <class Order, bool kRight>
__device__ __forceinline__ long long __ww_search(const void* sorted, const void* sorter,
                                                 long long count, typename Order::memory value) {
    const typename Order::memory* const elements = (const typename Order::memory*)sorted;
    long long first = 0;
    while (count > 0) {
        const long long half = count / 2;
        const long long middle = first + half;
        const typename Order::memory one =
            elements[sorter != nullptr ? ((const long long*)sorter)[middle] : middle];
        const bool is_behind = kRight ? !Order::before(value, one) : Order::before(one, value);
        first = is_behind ? middle + 1 : first;
        count = is_behind ? count - half - 1 : half;
    }
    return first;
}

template <class Order, bool kRight>
__device__ __forceinline__ void __ww_search_all(const void* sorted, const void* sorter,
                                                const void* values, void* result, long long count,
                                                long long queries) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= queries) return;
    ((long long*)result)[i] = __ww_search<Order, kRight>(
        sorted, sorter, count, ((const typename Order::memory*)values)[i]);
}

// Whether each value is among the sorted elements.
template <class Order>
__device__ __forceinline__ void __ww_find_all(const void* sorted, const void* values, void* result,
                                              long long count, long long queries) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= queries) return;
    const typename Order::memory value = ((const typename Order::memory*)values)[i];
    const long long at = __ww_search<Order, false>(sorted, nullptr, count, value);
    const bool is_found =
        at < count && !Order::before(value, ((const typename Order::memory*)sorted)[at]);
    ((unsigned char*)result)[i] = is_found;
}
