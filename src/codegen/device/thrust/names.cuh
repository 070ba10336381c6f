// Thrust's names for what the standard library has: pairs, tuples, complex numbers, function
// objects; and pointers to device memory.
#pragma once
#include "../include/algorithm"
#include "../include/complex"
#include "../include/functional"
#include "../include/limits"
#include "../include/numeric"
#include "../include/tuple"
#include "../include/type_traits"
#include "../include/utility"

#define THRUST_VERSION 200301
#define THRUST_NAMESPACE_BEGIN namespace thrust {
#define THRUST_NAMESPACE_END }
#define THRUST_DEVICE_SYSTEM_CUDA 1
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CUDA

extern "C++" {

namespace thrust {

using std::complex;
using std::get;
using std::ignore;
using std::make_pair;
using std::make_tuple;
using std::max;
using std::min;
using std::pair;
using std::swap;
using std::tie;
using std::tuple;
using std::tuple_element;
using std::tuple_size;

using std::abs;
using std::arg;
using std::conj;
using std::cos;
using std::cosh;
using std::exp;
using std::log;
using std::log10;
using std::norm;
using std::polar;
using std::pow;
using std::sin;
using std::sinh;
using std::sqrt;
using std::tan;
using std::tanh;

using std::binary_function;
using std::bit_and;
using std::bit_or;
using std::bit_xor;
using std::divides;
using std::equal_to;
using std::greater;
using std::greater_equal;
using std::less;
using std::less_equal;
using std::logical_and;
using std::logical_not;
using std::logical_or;
using std::minus;
using std::modulus;
using std::multiplies;
using std::negate;
using std::not_equal_to;
using std::plus;
using std::unary_function;

template <class T = void>
struct maximum {
    __host__ __device__ constexpr T operator()(const T& a, const T& b) const {
        return a < b ? b : a;
    }
};
template <>
struct maximum<void> {
    template <class A, class B>
    __host__ __device__ constexpr auto operator()(const A& a, const B& b) const
        -> std::decay_t<decltype(a < b ? b : a)> {
        return a < b ? b : a;
    }
};
template <class T = void>
struct minimum {
    __host__ __device__ constexpr T operator()(const T& a, const T& b) const {
        return b < a ? b : a;
    }
};
template <>
struct minimum<void> {
    template <class A, class B>
    __host__ __device__ constexpr auto operator()(const A& a, const B& b) const
        -> std::decay_t<decltype(a < b ? b : a)> {
        return b < a ? b : a;
    }
};
template <class T = void>
struct identity {
    typedef T argument_type;
    typedef T result_type;
    __host__ __device__ constexpr const T& operator()(const T& a) const { return a; }
};
template <>
struct identity<void> {
    template <class A>
    __host__ __device__ constexpr A&& operator()(A&& a) const {
        return static_cast<A&&>(a);
    }
};
template <class T>
struct square {
    __host__ __device__ constexpr T operator()(const T& a) const { return a * a; }
};
template <class A, class B>
struct project1st {
    __host__ __device__ constexpr const A& operator()(const A& a, const B&) const { return a; }
};
template <class A, class B>
struct project2nd {
    __host__ __device__ constexpr const B& operator()(const A&, const B& b) const { return b; }
};
namespace placeholders {}

// A pointer like any other, of a type of its own.
template <class T>
struct device_ptr {
    typedef T value_type;
    typedef ptrdiff_t difference_type;
    typedef T* pointer;
    typedef T& reference;
    typedef std::random_access_iterator_tag iterator_category;
    __host__ __device__ constexpr device_ptr() : pointer_(nullptr) {}
    template <class U>
    __host__ __device__ constexpr explicit device_ptr(U* p) : pointer_(p) {}
    __host__ __device__ constexpr T* get() const { return pointer_; }
    __host__ __device__ constexpr T& operator*() const { return *pointer_; }
    __host__ __device__ constexpr T* operator->() const { return pointer_; }
    __host__ __device__ constexpr T& operator[](ptrdiff_t i) const { return pointer_[i]; }
    __host__ __device__ constexpr device_ptr operator+(ptrdiff_t n) const {
        return device_ptr(pointer_ + n);
    }
    __host__ __device__ constexpr device_ptr operator-(ptrdiff_t n) const {
        return device_ptr(pointer_ - n);
    }
    __host__ __device__ constexpr ptrdiff_t operator-(const device_ptr& other) const {
        return pointer_ - other.pointer_;
    }
    __host__ __device__ device_ptr& operator++() { return *this += 1; }
    __host__ __device__ device_ptr& operator--() { return *this += -1; }
    __host__ __device__ device_ptr operator++(int) {
        device_ptr before = *this;
        ++pointer_;
        return before;
    }
    __host__ __device__ device_ptr& operator+=(ptrdiff_t n) {
        pointer_ += n;
        return *this;
    }
    __host__ __device__ constexpr bool operator==(const device_ptr& other) const {
        return pointer_ == other.pointer_;
    }
    __host__ __device__ constexpr bool operator!=(const device_ptr& other) const {
        return pointer_ != other.pointer_;
    }
    __host__ __device__ constexpr bool operator<(const device_ptr& other) const {
        return pointer_ < other.pointer_;
    }

  private:
    T* pointer_;
};
template <class T>
__host__ __device__ constexpr device_ptr<T> device_pointer_cast(T* p) {
    return device_ptr<T>(p);
}
template <class T>
__host__ __device__ constexpr T* raw_pointer_cast(T* p) {
    return p;
}
template <class T>
__host__ __device__ constexpr T* raw_pointer_cast(device_ptr<T> p) {
    return p.get();
}
template <class T>
__host__ __device__ constexpr T& raw_reference_cast(T& reference) {
    return reference;
}

}  // namespace thrust

}  // extern "C++"
