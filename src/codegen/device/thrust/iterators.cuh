// Thrust's iterators over what is computed: counting, constant, transformed, permuted, zipped.
#pragma once
#include "../cub/iterators.cuh"
#include "names.cuh"

extern "C++" {

namespace thrust {

using std::advance;
using std::distance;
using std::iterator_traits;
using std::next;
using std::prev;

// `Self` has __ww_at(i) and __ww_move(n); see cub/iterators.cuh.
template <class Self, class T>
struct __ww_iterator : cub::__ww_iterator<Self, T, ptrdiff_t> {
    typedef std::random_access_iterator_tag iterator_category;
};

template <class T>
struct counting_iterator : __ww_iterator<counting_iterator<T>, T> {
    T value;
    __host__ __device__ counting_iterator(T first = T()) : value(first) {}
    __host__ __device__ T __ww_at(ptrdiff_t i) const { return static_cast<T>(value + i); }
    __host__ __device__ void __ww_move(ptrdiff_t n) { value = __ww_at(n); }
    using __ww_iterator<counting_iterator<T>, T>::operator-;
    __host__ __device__ ptrdiff_t operator-(const counting_iterator& other) const {
        return static_cast<ptrdiff_t>(value - other.value);
    }
    __host__ __device__ bool operator==(const counting_iterator& other) const {
        return value == other.value;
    }
    __host__ __device__ bool operator!=(const counting_iterator& other) const {
        return !(value == other.value);
    }
};
template <class T>
__host__ __device__ inline counting_iterator<T> make_counting_iterator(T first) {
    return counting_iterator<T>(first);
}

template <class T>
struct constant_iterator : __ww_iterator<constant_iterator<T>, T> {
    T value;
    __host__ __device__ constant_iterator(T v) : value(v) {}
    __host__ __device__ T __ww_at(ptrdiff_t) const { return value; }
    __host__ __device__ void __ww_move(ptrdiff_t) {}
};
template <class T>
__host__ __device__ inline constant_iterator<T> make_constant_iterator(T value) {
    return constant_iterator<T>(value);
}

template <class Op, class It>
using __ww_transformed = std::decay_t<decltype(std::declval<Op&>()(*std::declval<It&>()))>;
template <class Op, class It, class T = __ww_transformed<Op, It>>
struct transform_iterator : __ww_iterator<transform_iterator<Op, It, T>, T> {
    It input;
    Op op;
    __host__ __device__ transform_iterator(It i, Op o) : input(i), op(o) {}
    __host__ __device__ T __ww_at(ptrdiff_t i) const {
        Op apply = op;
        return apply(input[i]);
    }
    __host__ __device__ void __ww_move(ptrdiff_t n) { input = input + n; }
    __host__ __device__ bool operator==(const transform_iterator& other) const {
        return input == other.input;
    }
    __host__ __device__ bool operator!=(const transform_iterator& other) const {
        return !(input == other.input);
    }
};
template <class Op, class It>
__host__ __device__ inline transform_iterator<Op, It> make_transform_iterator(It input, Op op) {
    return transform_iterator<Op, It>(input, op);
}

// Writes through: what * gives is the element.
template <class It, class Map>
struct permutation_iterator {
    It elements;
    Map map;
    __host__ __device__ permutation_iterator(It e, Map m) : elements(e), map(m) {}
    __host__ __device__ auto operator*() const -> decltype(elements[*map]) {
        return elements[*map];
    }
    __host__ __device__ auto operator[](ptrdiff_t i) const -> decltype(elements[map[i]]) {
        return elements[map[i]];
    }
    __host__ __device__ permutation_iterator operator+(ptrdiff_t n) const {
        return permutation_iterator(elements, map + n);
    }
    __host__ __device__ permutation_iterator& operator++() {
        ++map;
        return *this;
    }
    __host__ __device__ bool operator!=(const permutation_iterator& other) const {
        return map != other.map;
    }
};
template <class It, class Map>
__host__ __device__ inline permutation_iterator<It, Map> make_permutation_iterator(It e, Map m) {
    return permutation_iterator<It, Map>(e, m);
}

template <class Tuple>
struct zip_iterator;
template <class... It>
struct zip_iterator<tuple<It...>> {
    typedef tuple<decltype(*std::declval<It&>())...> reference;
    tuple<It...> parts;
    __host__ __device__ zip_iterator(const tuple<It...>& p) : parts(p) {}
    __host__ __device__ reference operator*() const { return (*this)[0]; }
    __host__ __device__ reference operator[](ptrdiff_t n) const {
        return at(n, std::index_sequence_for<It...>());
    }
    __host__ __device__ zip_iterator operator+(ptrdiff_t n) const {
        return moved(n, std::index_sequence_for<It...>());
    }
    __host__ __device__ zip_iterator& operator++() { return *this = *this + 1; }
    __host__ __device__ const tuple<It...>& get_iterator_tuple() const { return parts; }
    __host__ __device__ bool operator!=(const zip_iterator& other) const {
        return std::get<0>(parts) != std::get<0>(other.parts);
    }

  private:
    template <size_t... i>
    __host__ __device__ reference at(ptrdiff_t n, std::index_sequence<i...>) const {
        return reference(std::get<i>(parts)[n]...);
    }
    template <size_t... i>
    __host__ __device__ zip_iterator moved(ptrdiff_t n, std::index_sequence<i...>) const {
        return zip_iterator(tuple<It...>((std::get<i>(parts) + n)...));
    }
};
template <class... It>
__host__ __device__ inline zip_iterator<tuple<It...>> make_zip_iterator(tuple<It...> parts) {
    return zip_iterator<tuple<It...>>(parts);
}

}  // namespace thrust

}  // extern "C++"
