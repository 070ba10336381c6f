// What reductions in generated kernels are made of: one struct a reducer, which takes elements and
// merges with its like. The order of merges is the generated kernel's.
#pragma once

template <class T>
struct __ww_sum {
    T value;
    __device__ void clear() { value = __ww_cast<T>(0); }
    __device__ void take(T element, long long) { value = __ww_add(value, element); }
    __device__ void merge(const __ww_sum& other) { value = __ww_add(value, other.value); }
    __device__ T result() const { return value; }
};

template <class T>
struct __ww_product {
    T value;
    __device__ void clear() { value = __ww_cast<T>(1); }
    __device__ void take(T element, long long) { value = __ww_multiply(value, element); }
    __device__ void merge(const __ww_product& other) { value = __ww_multiply(value, other.value); }
    __device__ T result() const { return value; }
};

// The least and the greatest value of a type, where it has constants for them.
template <class T>
struct __ww_ends {
    enum { are_known = false };
};
#define __WW_ENDS(T, Least, Greatest)    \
    template <>                          \
    struct __ww_ends<T> {                \
        enum { are_known = true };       \
        static __device__ T least() {    \
            return Least;                \
        }                                \
        static __device__ T greatest() { \
            return Greatest;             \
        }                                \
    };
__WW_ENDS(bool, false, true)
__WW_ENDS(signed char, -128, 127)
__WW_ENDS(unsigned char, 0, 255)
__WW_ENDS(short, -32768, 32767)
__WW_ENDS(unsigned short, 0, 65535)
__WW_ENDS(int, -2147483647 - 1, 2147483647)
__WW_ENDS(unsigned int, 0, 4294967295u)
__WW_ENDS(long long, -9223372036854775807LL - 1, 9223372036854775807LL)
__WW_ENDS(unsigned long long, 0, 18446744073709551615ull)
__WW_ENDS(float, __int_as_float(0xff800000), __int_as_float(0x7f800000))
__WW_ENDS(double, __longlong_as_double(0xfff0000000000000ull),
          __longlong_as_double(0x7ff0000000000000ull))
#undef __WW_ENDS

template <bool Least, class T>
__device__ __forceinline__ T __ww_limit_of(T a, T b) {
    return Least ? __ww_minimum(a, b) : __ww_maximum(a, b);
}

// Over nothing: the other end of the type, which the caller refuses to give out.
template <class T, bool Least, bool HasEnds = (bool)__ww_ends<T>::are_known>
struct __ww_limit {
    T value;
    __device__ void clear() { value = Least ? __ww_ends<T>::greatest() : __ww_ends<T>::least(); }
    __device__ void take(T element, long long) { value = __ww_limit_of<Least>(value, element); }
    __device__ void merge(const __ww_limit& other) {
        value = __ww_limit_of<Least>(value, other.value);
    }
    __device__ T result() const { return value; }
};

// Types without such constants begin with their first element.
template <class T, bool Least>
struct __ww_limit<T, Least, false> {
    T value;
    bool is_set;
    __device__ void clear() {
        value = __ww_cast<T>(0);
        is_set = false;
    }
    __device__ void take(T element, long long) {
        value = is_set ? __ww_limit_of<Least>(value, element) : element;
        is_set = true;
    }
    __device__ void merge(const __ww_limit& other) {
        const T joined = __ww_limit_of<Least>(value, other.value);
        value = !other.is_set ? value : is_set ? joined : other.value;
        is_set = is_set || other.is_set;
    }
    __device__ T result() const { return value; }
};

template <class T>
struct __ww_any {
    bool value;
    __device__ void clear() { value = false; }
    __device__ void take(T element, long long) { value = value || element; }
    __device__ void merge(const __ww_any& other) { value = value || other.value; }
    __device__ bool result() const { return value; }
};

template <class T>
struct __ww_all {
    bool value;
    __device__ void clear() { value = true; }
    __device__ void take(T element, long long) { value = value && element; }
    __device__ void merge(const __ww_all& other) { value = value && other.value; }
    __device__ bool result() const { return value; }
};

// What no value is worse than, where the type has such a constant.
template <class T, bool Least, bool HasEnds>
struct __ww_worst {
    static __device__ T value() { return Least ? __ww_ends<T>::greatest() : __ww_ends<T>::least(); }
};
template <class T, bool Least>
struct __ww_worst<T, Least, false> {
    static __device__ T value() { return __ww_cast<T>(0); }
};

// The place of the first least or greatest value; a NaN comes before every number.
template <class T, bool Least, class Index, bool HasEnds = (bool)__ww_ends<T>::are_known>
struct __ww_place {
    Index place;  // -1: none yet; with ends, or none better than the worst
    T value;
    __device__ void clear() {
        place = -1;
        value = __ww_worst<T, Least, HasEnds>::value();
    }
    // Less or greater, or the first NaN.
    __device__ static bool is_better(T a, T b) { return !(Least ? a >= b : a <= b) && b == b; }
    __device__ void choose(T other, Index at) {
        const bool wins = at >= 0 && (place < 0 || is_better(other, value) ||
                                      (at < place && !is_better(value, other)));
        value = wins ? other : value;
        place = wins ? at : place;
    }
    // Elements come in their order.
    __device__ void take(T element, long long at) {
        const bool wins = (!HasEnds && place < 0) || is_better(element, value);
        value = wins ? element : value;
        place = wins ? (Index)at : place;
    }
    __device__ void merge(const __ww_place& other) { choose(other.value, other.place); }
    // Where all are the worst, the first is the place.
    __device__ long long result() const { return place < 0 ? 0 : place; }
};

// The sum of squared distances from the mean: T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating
// Formulae and a Pairwise Algorithm for Computing Sample Variances", 1979.
template <class T, class Real, class Index = long long>
struct __ww_deviation {
    Index count;
    T mean;
    Real squares;
    __device__ void clear() {
        count = 0;
        mean = __ww_cast<T>(0);
        squares = 0;
    }
    __device__ static Real square(Real a) { return __ww_multiply(a, a); }
    __device__ void take(T element, long long) {
        ++count;
        const T before = __ww_subtract(element, mean);
        mean = __ww_add(mean, __ww_scale(before, Real(1) / Real(count)));
        squares = __ww_add(squares, __ww_inner(before, __ww_subtract(element, mean)));
    }
    __device__ void merge(const __ww_deviation& other) {
        if (other.count == 0) return;
        const Index total = count + other.count;
        const T apart = __ww_subtract(other.mean, mean);
        const Real share = Real(other.count) / Real(total);
        mean = __ww_add(mean, __ww_scale(apart, share));
        const Real between = __ww_multiply(__ww_inner(apart, apart), Real(count) * share);
        squares = __ww_add(__ww_add(squares, other.squares), between);
        count = total;
    }
    __device__ Real result() const { return squares; }
};
