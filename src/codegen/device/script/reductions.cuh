// What NumPy makes of all elements of an array, in their order, by the calling thread.
#pragma once

#include "arrays.cuh"
#include "conversions.cuh"
#include "views.cuh"

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
__WW_PY To __ww_py_array_var(const Array& array, long long count, long long less) {
    __ww_py_spread<To> fold{To{}, __ww_py_array_mean<To>(array, count)};
    __ww_py_each(array, fold);
    return fold.value / (To)(count > less ? count - less : 0);
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

// math.fsum(): what is added so far as numbers that do not overlap, smallest first; rounded once.
template <class Array>
__WW_PY double __ww_py_array_fsum(const Array& array) {
    double parts[40];  // of 53 bits each: all exponents
    int count = 0;
    double special = 0;
    for (long long k = 0; k < array.shape[0]; ++k) {
        double value = __ww_py_to<double>(__ww_py_loaded(array[k]));
        if (!(value - value == 0)) {  // an infinity or NaN
            special += value;
            continue;
        }
        int kept = 0;
        for (int i = 0; i < count; ++i) {
            double part = parts[i];
            if (::fabs(value) < ::fabs(part)) {
                const double other = value;
                value = part;
                part = other;
            }
            const double high = value + part;
            const double low = part - (high - value);
            if (low != 0) parts[kept++] = low;
            value = high;
        }
        parts[kept++] = value;
        count = kept;
    }
    if (special != 0 || special != special) return special;
    if (count == 0) return 0;
    double high = parts[--count];
    double low = 0;
    while (count > 0) {
        const double value = high;
        const double part = parts[--count];
        high = value + part;
        low = part - (high - value);
        if (low != 0) break;
    }
    // Half way between two numbers, the next part decides.
    if (count > 0 && ((low < 0 && parts[count - 1] < 0) || (low > 0 && parts[count - 1] > 0))) {
        const double twice = low * 2;
        const double other = high + twice;
        if (twice == other - high) high = other;
    }
    return high;
}
// Whether finite numbers have no finite sum, or infinities have none.
template <class Array>
__WW_PY bool __ww_py_array_fsum_overflows(double sum, const Array& array) {
    if (sum - sum == 0) return false;
    bool has_infinity = false;
    for (long long k = 0; k < array.shape[0]; ++k) {
        const double value = __ww_py_to<double>(__ww_py_loaded(array[k]));
        if (value != value) return false;
        has_infinity |= !(value - value == 0);
    }
    return !has_infinity || sum != sum;
}

// --- Tables: numpy.searchsorted(), numpy.interp().

// NaN lies behind all numbers.
template <class T>
__WW_PY bool __ww_py_sorts_before(T a, T b) {
    return a < b || (b != b && a == a);
}
template <class To, bool kIsRight, class Array>
__WW_PY long long __ww_py_array_search(const Array& array, To wanted) {
    long long first = 0;
    long long last = array.shape[0];
    while (first < last) {
        const long long middle = first + ((last - first) >> 1);
        const To one = __ww_py_to<To>(__ww_py_loaded(array[middle]));
        const bool is_behind =
            kIsRight ? !__ww_py_sorts_before(wanted, one) : __ww_py_sorts_before(one, wanted);
        if (is_behind) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    return first;
}
template <class T>
__WW_PY double __ww_py_array_real(const T& element) {
    return __ww_py_to<double>(__ww_py_loaded(element));
}
template <class Array>
__WW_PY double __ww_py_array_last(const Array& array) {
    return __ww_py_array_real(array[array.shape[0] - 1]);
}
// `count`: of both arrays, at least 1.
template <class Xs, class Ys>
__WW_PY double __ww_py_array_interp(double x, const Xs& xs, const Ys& ys, double left, double right,
                                    long long count) {
    if (x != x && count > 1) return x;
    if (x > __ww_py_array_real(xs[count - 1])) return right;
    if (x < __ww_py_array_real(xs[0])) return left;
    // The last one that is not greater.
    long long first = 0;
    long long last = count;
    while (first < last) {
        const long long middle = first + ((last - first) >> 1);
        if (x >= __ww_py_array_real(xs[middle])) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    const long long at = first > 0 ? first - 1 : 0;
    const double x0 = __ww_py_array_real(xs[at]);
    const double y0 = __ww_py_array_real(ys[at]);
    if (at == count - 1 || x0 == x) return y0;
    const double x1 = __ww_py_array_real(xs[at + 1]);
    const double y1 = __ww_py_array_real(ys[at + 1]);
    const double slope = (y1 - y0) / (x1 - x0);
    double result = slope * (x - x0) + y0;
    if (result != result) {
        result = slope * (x - x1) + y1;
        if (result != result && y0 == y1) result = y0;
    }
    return result;
}

// --- Orders.

// Items from `at` on sink to their places in a heap of `count`.
template <class Array>
__WW_PY void __ww_py_sink(const Array& array, long long at, long long count) {
    const typename __ww_py_element_of<Array>::type item = array[at];
    for (long long child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && __ww_py_sorts_before(array[child], array[child + 1])) ++child;
        if (!__ww_py_sorts_before(item, array[child])) break;
        array[at] = array[child];
        at = child;
    }
    array[at] = item;
}
// In its place.
template <class Array>
__WW_PY Array __ww_py_array_sorted(const Array& array) {
    typedef typename __ww_py_element_of<Array>::type T;
    const long long count = array.shape[0];
    if (count <= 32) {
        for (long long i = 1; i < count; ++i) {
            const T item = array[i];
            long long at = i;
            for (; at > 0 && __ww_py_sorts_before(item, array[at - 1]); --at) {
                array[at] = array[at - 1];
            }
            array[at] = item;
        }
        return array;
    }
    for (long long at = count / 2; at-- > 0;) __ww_py_sink(array, at, count);
    for (long long end = count - 1; end > 0; --end) {
        const T last = array[end];
        array[end] = array[0];
        array[0] = last;
        __ww_py_sink(array, 0, end);
    }
    return array;
}
template <class Keys>
__WW_PY __ww_py_array<long long, 1> __ww_py_array_order(const __ww_py_array<long long, 1>& places,
                                                        const Keys& keys) {
    for (long long i = 0; i < places.shape[0]; ++i) {
        long long at = i;
        for (; at > 0 && __ww_py_sorts_before(keys[i], keys[places[at - 1]]); --at) {
            places[at] = places[at - 1];
        }
        places[at] = i;
    }
    return places;
}
template <class T>
__WW_PY T __ww_py_array_median(const __ww_py_array<T, 1>& array) {
    __ww_py_array_sorted(array);
    const long long count = array.shape[0];
    if (array[count - 1] != array[count - 1]) return array[count - 1];
    const T upper = array[count / 2];
    return count % 2 == 1 ? upper : (array[count / 2 - 1] + upper) / (T)2;
}
// Between two items as numpy.quantile() does.
template <class T>
__WW_PY T __ww_py_array_quantile(const __ww_py_array<T, 1>& array, T place) {
    __ww_py_array_sorted(array);
    const long long count = array.shape[0];
    if (array[count - 1] != array[count - 1]) return array[count - 1];
    const T at = place * (T)(count - 1);
    const long long lower = (long long)at;
    if (lower + 1 >= count) return array[count - 1];
    const T part = at - (T)lower;
    const T step = array[lower + 1] - array[lower];
    return part < (T)0.5 ? array[lower] + step * part : array[lower + 1] - step * ((T)1 - part);
}
