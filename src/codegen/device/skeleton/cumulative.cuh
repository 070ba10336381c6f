// Cumulative sums and products, as scans over arrays.
#pragma once

#include "scan_ahead.cuh"
#ifdef __WARPWISE_CPU__
#include "scan_vectors.cuh"
#endif

// Elements as memory has them: a bool is a byte, true where it is not 0.
template <class T>
struct __ww_memory {
    typedef T type;
    static __device__ __forceinline__ T read(T a) { return a; }
};
template <>
struct __ww_memory<bool> {
    typedef unsigned char type;
    static __device__ __forceinline__ bool read(unsigned char a) { return a != 0; }
};

struct __ww_joined_sum {
    template <class T>
    __device__ __forceinline__ T operator()(T a, T b) const {
        return __ww_add(a, b);
    }
#ifdef __WARPWISE_CPU__
    // Added to, -0 leaves the sign of a zero.
    template <class T>
    static __device__ __forceinline__ T neutral() {
        return (T)-0.0;
    }
    template <class V>
    static __device__ __forceinline__ V of_vectors(const V& a, const V& b) {
        return a + b;
    }
#endif
};
struct __ww_joined_product {
    template <class T>
    __device__ __forceinline__ T operator()(T a, T b) const {
        return __ww_multiply(a, b);
    }
#ifdef __WARPWISE_CPU__
    template <class T>
    static __device__ __forceinline__ T neutral() {
        return (T)1;
    }
    template <class V>
    static __device__ __forceinline__ V of_vectors(const V& a, const V& b) {
        return a * b;
    }
#endif
};

// The other functions that join neighbours in any grouping.
#define __WW_JOINED(name)                                         \
    struct __ww_joined_##name {                                   \
        template <class T>                                        \
        __device__ __forceinline__ T operator()(T a, T b) const { \
            return __ww_##name(a, b);                             \
        }                                                         \
    };
__WW_JOINED(maximum)
__WW_JOINED(minimum)
__WW_JOINED(fmax)
__WW_JOINED(fmin)
__WW_JOINED(logical_and)
__WW_JOINED(logical_or)
__WW_JOINED(logical_xor)
__WW_JOINED(bitwise_and)
__WW_JOINED(bitwise_or)
__WW_JOINED(bitwise_xor)
#undef __WW_JOINED

// Sums and products of a tile have an order of their own.
template <>
struct __ww_commutes<__ww_joined_sum> {
    enum { value = 1 };
};
template <>
struct __ww_commutes<__ww_joined_product> {
    enum { value = 1 };
};

#ifdef __WARPWISE_CPU__
#define __WW_VECTOR_JOIN(T, E)                                                                   \
    template <>                                                                                  \
    struct __ww_vector_join<T, __ww_joined_sum> : __ww_joined_vectors<T, E, __ww_joined_sum> {}; \
    template <>                                                                                  \
    struct __ww_vector_join<T, __ww_joined_product>                                              \
        : __ww_joined_vectors<T, E, __ww_joined_product> {};
__WW_VECTOR_JOIN(float, float)
__WW_VECTOR_JOIN(double, double)
__WW_VECTOR_JOIN(int, unsigned int)
__WW_VECTOR_JOIN(unsigned int, unsigned int)
__WW_VECTOR_JOIN(long long, unsigned long long)
__WW_VECTOR_JOIN(unsigned long long, unsigned long long)
#undef __WW_VECTOR_JOIN
#endif

// Whether elements lie in memory as they are joined.
template <class In, class Value, class T>
struct __ww_is_plain {
    enum { value = 0 };
};
template <class T>
struct __ww_is_plain<T, T, T> {
    enum { value = 1 };
};

// Rows of In, converted to Value, then to T, in which they are joined.
template <class In, class Value, class T>
struct __ww_cumulative_load {
    const typename __ww_memory<In>::type* in;
    long long stride;
    enum { is_plain = __ww_is_plain<In, Value, T>::value };
    __device__ __forceinline__ const void* place(long long row, long long i) const {
        return in + row * stride + i;
    }
    static __device__ __forceinline__ T converted(typename __ww_memory<In>::type element) {
        return __ww_cast<T>(__ww_cast<Value>(__ww_memory<In>::read(element)));
    }
    __device__ __forceinline__ T operator()(long long row, long long i) const {
        return converted(in[row * stride + i]);
    }
    template <int kPer>
    __device__ __forceinline__ bool is_aligned(long long row) const {
        return __ww_is_aligned<kPer>(in + row * stride);
    }
    template <bool kLast, int kPer>
    __device__ __forceinline__ void vector(long long row, long long i, T (&values)[kPer]) const {
        typename __ww_memory<In>::type elements[kPer];
        __ww_load_neighbours<kLast>(elements, in + row * stride + i);
#pragma unroll
        for (int j = 0; j < kPer; ++j) values[j] = converted(elements[j]);
    }
};
template <class Out, class T>
struct __ww_cumulative_store {
    typename __ww_memory<Out>::type* out;
    long long stride;
    enum { is_plain = __ww_is_plain<Out, Out, T>::value };
    __device__ __forceinline__ void* place(long long row, long long i) const {
        return out + row * stride + i;
    }
    __device__ __forceinline__ void operator()(long long row, long long i, const T& item, bool,
                                               const T&) const {
        out[row * stride + i] = __ww_cast<Out>(item);
    }
    __device__ __forceinline__ void operator()(long long row, long long i, const T& item) const {
        out[row * stride + i] = __ww_cast<Out>(item);
    }
    template <int kPer>
    __device__ __forceinline__ bool is_aligned(long long row) const {
        return __ww_is_aligned<kPer>(out + row * stride);
    }
    template <int kPer>
    __device__ __forceinline__ void vector(long long row, long long i,
                                           const T (&items)[kPer]) const {
        typename __ww_memory<Out>::type elements[kPer];
#pragma unroll
        for (int j = 0; j < kPer; ++j) elements[j] = __ww_cast<Out>(items[j]);
        __ww_store_last(elements, out + row * stride + i);
    }
};

// Several short rows a block: a thread each after the other, or a warp each.
template <class T, bool kSerial, class Load, class Store, class Join>
__device__ __forceinline__ void __ww_scan_short_rows(long long rows, long long length,
                                                     long long together, const Load& load,
                                                     const Store& store, const Join& join) {
    const long long first = blockIdx.x * together;
    const long long end = first + together < rows ? first + together : rows;
    if (kSerial) {
        for (long long row = first; row < end; ++row) {
            T item = load(row, 0);
            store(row, 0, item, false, item);
            for (long long i = 1; i < length; ++i) {
                item = join(item, load(row, i));
                store(row, i, item, true, item);
            }
        }
        return;
    }
    const int lane = (int)(threadIdx.x & 31);
    for (long long row = first + (threadIdx.x >> 5); row < end; row += blockDim.x >> 5) {
        T carry = load(row, 0);
        for (long long i = 0; i < length; i += 32) {
            const long long at = i + lane < length ? i + lane : length - 1;
            T item = __ww_scan_lanes(load(row, at), lane, join);
            if (i > 0) item = join(carry, item);
            carry = __ww_of_lane(item, 31);
            if (i + lane < length) store(row, at, item, true, item);
        }
    }
}

// A thread scans a column; neighbouring threads have neighbouring columns.
template <class In, class Value, class T, class Out, class Join>
__device__ __forceinline__ void __ww_scan_columns(const void* from, void* to, long long length,
                                                  long long inner, long long columns,
                                                  long long in_stride, long long out_stride,
                                                  const Join& join) {
    const long long column = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    const long long row = column / inner;
    const long long place = column - row * inner;
    const typename __ww_memory<In>::type* const in =
        (const typename __ww_memory<In>::type*)from + row * in_stride + place;
    typename __ww_memory<Out>::type* const out =
        (typename __ww_memory<Out>::type*)to + row * out_stride + place;
    T item = __ww_cast<T>(__ww_cast<Value>(__ww_memory<In>::read(in[0])));
    out[0] = __ww_cast<Out>(item);
    for (long long i = 1; i < length; ++i) {
        item = join(item, __ww_cast<T>(__ww_cast<Value>(__ww_memory<In>::read(in[i * inner]))));
        out[i * inner] = __ww_cast<Out>(item);
    }
}

// Each result joins the elements between its place and the next one, or is the element at its place
// where the next one is not behind it. `length` and `inner` of the input; a thread for each result.
template <class In, class Value, class T, class Out, class Join>
__device__ __forceinline__ void __ww_join_between(const void* from, const long long* places,
                                                  void* to, long long length, long long inner,
                                                  long long parts, long long results,
                                                  const Join& join) {
    const long long result = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (result >= results) return;
    const long long row = result / (parts * inner);
    const long long part = result / inner - row * parts;
    const typename __ww_memory<In>::type* const in =
        (const typename __ww_memory<In>::type*)from + row * length * inner + result % inner;
    const long long first = places[part];
    const long long end = part + 1 < parts ? places[part + 1] : length;
    T item = __ww_cast<T>(__ww_cast<Value>(__ww_memory<In>::read(in[first * inner])));
    for (long long i = first + 1; i < end; ++i) {
        item = join(item, __ww_cast<T>(__ww_cast<Value>(__ww_memory<In>::read(in[i * inner]))));
    }
    ((typename __ww_memory<Out>::type*)to)[result] = __ww_cast<Out>(item);
}

// Items of any size that are only moved.
template <int kBytes>
struct __ww_bytes_of {
    unsigned char byte[kBytes];
};
struct __ww_both_words {
    unsigned long long word[2];
};
