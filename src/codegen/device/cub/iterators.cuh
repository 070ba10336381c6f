// CUB's input iterators: sequences that are computed, not stored.
#pragma once
#include "operators.cuh"

extern "C++" {

namespace cub {

// Arithmetic of iterators over one offset; `Self` gives the value at an offset.
template <class Self, class T, class Offset>
struct __ww_iterator {
    typedef Self self_type;
    typedef Offset difference_type;
    typedef T value_type;
    typedef T* pointer;
    typedef T reference;
    __host__ __device__ __forceinline__ T operator*() const { return self().__ww_at(0); }
    __host__ __device__ __forceinline__ T operator[](Offset i) const { return self().__ww_at(i); }
    __host__ __device__ __forceinline__ Self operator+(Offset n) const {
        Self moved = self();
        moved.__ww_move(n);
        return moved;
    }
    __host__ __device__ __forceinline__ Self operator-(Offset n) const { return *this + -n; }
    __host__ __device__ __forceinline__ Self& operator+=(Offset n) {
        static_cast<Self*>(this)->__ww_move(n);
        return static_cast<Self&>(*this);
    }
    __host__ __device__ __forceinline__ Self& operator-=(Offset n) { return *this += -n; }
    __host__ __device__ __forceinline__ Self& operator++() { return *this += 1; }
    __host__ __device__ __forceinline__ Self operator++(int) {
        Self before = self();
        *this += 1;
        return before;
    }

  private:
    __host__ __device__ __forceinline__ const Self& self() const {
        return static_cast<const Self&>(*this);
    }
};

template <class T, class Offset = ptrdiff_t>
struct CountingInputIterator : __ww_iterator<CountingInputIterator<T, Offset>, T, Offset> {
    T value;
    __host__ __device__ __forceinline__ CountingInputIterator(const T& first) : value(first) {}
    __host__ __device__ __forceinline__ T __ww_at(Offset i) const {
        return static_cast<T>(value + static_cast<T>(i));
    }
    __host__ __device__ __forceinline__ void __ww_move(Offset n) { value = __ww_at(n); }
};
template <class T, class Offset = ptrdiff_t>
struct ConstantInputIterator : __ww_iterator<ConstantInputIterator<T, Offset>, T, Offset> {
    T value;
    Offset offset;
    __host__ __device__ __forceinline__ ConstantInputIterator(T v, Offset o = 0)
        : value(v), offset(o) {}
    __host__ __device__ __forceinline__ T __ww_at(Offset) const { return value; }
    __host__ __device__ __forceinline__ void __ww_move(Offset n) { offset += n; }
};
template <class T, class Op, class It, class Offset = ptrdiff_t>
struct TransformInputIterator
    : __ww_iterator<TransformInputIterator<T, Op, It, Offset>, T, Offset> {
    It input;
    Op op;
    __host__ __device__ __forceinline__ TransformInputIterator(It i, Op o) : input(i), op(o) {}
    __host__ __device__ __forceinline__ T __ww_at(Offset i) const {
        Op apply = op;
        return apply(input[i]);
    }
    __host__ __device__ __forceinline__ void __ww_move(Offset n) { input = input + n; }
};
template <CacheLoadModifier modifier, class T, class Offset = ptrdiff_t>
struct CacheModifiedInputIterator
    : __ww_iterator<CacheModifiedInputIterator<modifier, T, Offset>, T, Offset> {
    const T* place;
    __host__ __device__ __forceinline__ CacheModifiedInputIterator(const T* p) : place(p) {}
    __host__ __device__ __forceinline__ T __ww_at(Offset i) const { return place[i]; }
    __host__ __device__ __forceinline__ void __ww_move(Offset n) { place += n; }
};
template <class It, class Offset = ptrdiff_t, class T = int>
struct ArgIndexInputIterator
    : __ww_iterator<ArgIndexInputIterator<It, Offset, T>, KeyValuePair<Offset, T>, Offset> {
    It input;
    Offset offset;
    __host__ __device__ __forceinline__ ArgIndexInputIterator(It i, Offset o = 0)
        : input(i), offset(o) {}
    __host__ __device__ __forceinline__ KeyValuePair<Offset, T> __ww_at(Offset i) const {
        return KeyValuePair<Offset, T>(offset + i, input[offset + i]);
    }
    __host__ __device__ __forceinline__ void __ww_move(Offset n) { offset += n; }
};

}  // namespace cub

}  // extern "C++"
