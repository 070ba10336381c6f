// Atomic functions with an order and a scope, nvcc's built-in ones since CUDA 12.8. Any scope is at
// least the whole process.
#pragma once

#define __NV_ATOMIC_RELAXED __ATOMIC_RELAXED
#define __NV_ATOMIC_CONSUME __ATOMIC_CONSUME
#define __NV_ATOMIC_ACQUIRE __ATOMIC_ACQUIRE
#define __NV_ATOMIC_RELEASE __ATOMIC_RELEASE
#define __NV_ATOMIC_ACQ_REL __ATOMIC_ACQ_REL
#define __NV_ATOMIC_SEQ_CST __ATOMIC_SEQ_CST
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

#define __WW_SCOPE int = __NV_THREAD_SCOPE_SYSTEM

template <class T>
struct __ww_same {  // keeps a parameter from taking part in the deduction of T
    typedef T type;
};
template <class T>
struct __ww_plain {
    typedef T type;
};
template <class T>
struct __ww_plain<const T> {
    typedef T type;
};
template <class T>
struct __ww_plain<volatile T> {
    typedef T type;
};
template <class T>
struct __ww_plain<const volatile T> {
    typedef T type;
};

template <class T>
__WW_DEVICE typename __ww_plain<T>::type __nv_atomic_load_n(T* place, int order, __WW_SCOPE) {
    typename __ww_plain<T>::type value;
    __atomic_load(const_cast<typename __ww_plain<T>::type*>(place), &value, order);
    return value;
}
template <class T>
__WW_DEVICE void __nv_atomic_load(T* place, typename __ww_plain<T>::type* value, int order,
                                  __WW_SCOPE) {
    *value = __nv_atomic_load_n(place, order);
}
template <class T>
__WW_DEVICE void __nv_atomic_store_n(T* place, typename __ww_plain<T>::type value, int order,
                                     __WW_SCOPE) {
    __atomic_store(const_cast<typename __ww_plain<T>::type*>(place), &value, order);
}
template <class T>
__WW_DEVICE void __nv_atomic_store(T* place, typename __ww_plain<T>::type* value, int order,
                                   __WW_SCOPE) {
    __nv_atomic_store_n(place, *value, order);
}
template <class T>
__WW_DEVICE T __nv_atomic_exchange_n(T* place, typename __ww_same<T>::type value, int order,
                                     __WW_SCOPE) {
    T old;
    __atomic_exchange(place, &value, &old, order);
    return old;
}
template <class T>
__WW_DEVICE void __nv_atomic_exchange(T* place, T* value, T* old, int order, __WW_SCOPE) {
    *old = __nv_atomic_exchange_n(place, *value, order);
}
template <class T>
__WW_DEVICE bool __nv_atomic_compare_exchange_n(T* place, T* expected,
                                                typename __ww_same<T>::type desired, bool, int, int,
                                                __WW_SCOPE) {
    return __atomic_compare_exchange(place, expected, &desired, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);
}
template <class T>
__WW_DEVICE bool __nv_atomic_compare_exchange(T* place, T* expected, T* desired, bool is_weak,
                                              int success, int failure, __WW_SCOPE) {
    return __nv_atomic_compare_exchange_n(place, expected, *desired, is_weak, success, failure);
}

#define __WW_ORDERED(operation)                                                              \
    template <class T>                                                                       \
    __WW_DEVICE T __nv_atomic_fetch_##operation(T* place, typename __ww_same<T>::type value, \
                                                int order, __WW_SCOPE) {                     \
        return __atomic_fetch_##operation(place, value, order);                              \
    }                                                                                        \
    template <class T>                                                                       \
    __WW_DEVICE void __nv_atomic_##operation(T* place, typename __ww_same<T>::type value,    \
                                             int order, __WW_SCOPE) {                        \
        __atomic_fetch_##operation(place, value, order);                                     \
    }
__WW_ORDERED(add)
__WW_ORDERED(sub)
__WW_ORDERED(and)
__WW_ORDERED(or)
__WW_ORDERED(xor)
__WW_ORDERED(min)
__WW_ORDERED(max)
#undef __WW_ORDERED

__WW_DEVICE void __nv_atomic_thread_fence(int, int scope) {
    if (scope <= __NV_THREAD_SCOPE_BLOCK) {
        __ww_fence_block();
    } else {
        __ww_fence_device();
    }
}
#undef __WW_SCOPE
