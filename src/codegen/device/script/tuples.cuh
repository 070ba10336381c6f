// Tuples as Python has them: made, sorted, and read at a number that is not known when compiled.
#pragma once

#include "numbers.cuh"

template <class... Items>
struct __ww_py_tuple {};
template <class Item, class... Rest>
struct __ww_py_tuple<Item, Rest...> {
    Item first;
    __ww_py_tuple<Rest...> rest;
};

// The arrays of a record in shared memory, whose addresses are no constants of the compiler's.
template <class Record, class... Fields>
__WW_PY Record __ww_py_record_of(Fields... fields) {
    return Record{fields...};
}

// Items of one type, sorted as Python does: equal ones stay in their order.
template <class T>
__WW_PY void __ww_py_put_items(T*, const __ww_py_tuple<>&) {}
template <class T, class... Rest>
__WW_PY void __ww_py_put_items(T* to, const __ww_py_tuple<T, Rest...>& tuple) {
    *to = tuple.first;
    __ww_py_put_items(to + 1, tuple.rest);
}
template <class T>
__WW_PY void __ww_py_take_items(const T*, __ww_py_tuple<>&) {}
template <class T, class... Rest>
__WW_PY void __ww_py_take_items(const T* from, __ww_py_tuple<T, Rest...>& tuple) {
    tuple.first = *from;
    __ww_py_take_items(from + 1, tuple.rest);
}
// 0: equal, 1: less, 2: neither. Tuples by the first items that differ.
template <class T>
__WW_PY int __ww_py_order(const T& a, const T& b) {
    return a == b ? 0 : a < b ? 1 : 2;
}
__WW_PY int __ww_py_order(const __ww_py_tuple<>&, const __ww_py_tuple<>&) {
    return 0;
}
template <class Item, class... Rest>
__WW_PY int __ww_py_order(const __ww_py_tuple<Item, Rest...>& a,
                          const __ww_py_tuple<Item, Rest...>& b) {
    const int first = __ww_py_order(a.first, b.first);
    return first != 0 ? first : __ww_py_order(a.rest, b.rest);
}
// Whether sorted() moves `a` before `b`, which stood there.
template <bool kIsReversed, class T>
__WW_PY bool __ww_py_goes_before(const T& a, const T& b) {
    return (kIsReversed ? __ww_py_order(b, a) : __ww_py_order(a, b)) == 1;
}
template <int kCount, bool kIsReversed, class Key, class... Keys, class T, class... Rest>
__WW_PY __ww_py_tuple<T, Rest...> __ww_py_sorted_by(const __ww_py_tuple<Key, Keys...>& by,
                                                    __ww_py_tuple<T, Rest...> tuple) {
    Key keys[kCount];
    T items[kCount];
    __ww_py_put_items(keys, by);
    __ww_py_put_items(items, tuple);
    for (int i = 1; i < kCount; ++i) {
        const Key key = keys[i];
        const T item = items[i];
        int at = i;
        for (; at > 0 && __ww_py_goes_before<kIsReversed>(key, keys[at - 1]); --at) {
            keys[at] = keys[at - 1];
            items[at] = items[at - 1];
        }
        keys[at] = key;
        items[at] = item;
    }
    __ww_py_take_items(items, tuple);
    return tuple;
}
template <int kCount, bool kIsReversed, class T, class... Rest>
__WW_PY __ww_py_tuple<T, Rest...> __ww_py_sorted(__ww_py_tuple<T, Rest...> tuple) {
    T items[kCount];
    __ww_py_put_items(items, tuple);
    for (int i = 1; i < kCount; ++i) {
        const T item = items[i];
        int at = i;
        for (; at > 0 && __ww_py_goes_before<kIsReversed>(item, items[at - 1]); --at) {
            items[at] = items[at - 1];
        }
        items[at] = item;
    }
    __ww_py_take_items(items, tuple);
    return tuple;
}

// An item by a number that is not known when compiled.
template <class T>
__WW_PY T __ww_py_item(const __ww_py_tuple<>&, long long) {
    return T();
}
template <class T, class Item, class... Rest>
__WW_PY T __ww_py_item(const __ww_py_tuple<Item, Rest...>& tuple, long long index) {
    return index == 0 ? tuple.first : __ww_py_item<T>(tuple.rest, index - 1);
}
