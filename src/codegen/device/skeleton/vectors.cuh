// Loads and stores of a few neighbouring elements at once: 16 bytes each, or all of them where they
// are fewer.
#pragma once

// As many elements as make up a power of two of bytes, 16 at most.
template <class T, int Count>
struct alignas(sizeof(T) * Count) __ww_vector {
    T of[Count];
};
template <class T, int Items>
struct __ww_vector_of {
    enum { count = sizeof(T) * Items <= 16 ? Items : 16 / (int)sizeof(T) };
    typedef __ww_vector<T, count> type;
};

template <int Items, class T>
__device__ __forceinline__ bool __ww_is_aligned(const T* place) {
    return (unsigned long long)place % sizeof(typename __ww_vector_of<T, Items>::type) == 0;
}

template <int Items, class T>
__device__ __forceinline__ void __ww_load(T (&values)[Items], const T* place) {
    typedef typename __ww_vector_of<T, Items>::type Vector;
    const int count = __ww_vector_of<T, Items>::count;
#pragma unroll
    for (int first = 0; first < Items; first += count) {
        const Vector vector = *(const Vector*)(place + first);
#pragma unroll
        for (int i = 0; i < count; ++i) values[first + i] = vector.of[i];
    }
}

template <int Items, class T>
__device__ __forceinline__ void __ww_store(const T (&values)[Items], T* place) {
    typedef typename __ww_vector_of<T, Items>::type Vector;
    const int count = __ww_vector_of<T, Items>::count;
#pragma unroll
    for (int first = 0; first < Items; first += count) {
        Vector vector;
#pragma unroll
        for (int i = 0; i < count; ++i) vector.of[i] = values[first + i];
        *(Vector*)(place + first) = vector;
    }
}
