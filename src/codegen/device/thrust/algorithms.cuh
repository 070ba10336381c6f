// Thrust's algorithms as device code calls them: one thread works through the whole range, whatever
// the execution policy in front of it says. Iterators are pointers or have their operators.
#pragma once
#include "names.cuh"

extern "C++" {

namespace thrust {

// Execution policies, by what they are derived from.
struct __ww_policy {
    template <class T>
    __host__ __device__ constexpr const __ww_policy& operator()(const T&) const {
        return *this;
    }
    template <class T>
    __host__ __device__ constexpr const __ww_policy& on(const T&) const {
        return *this;
    }
};
struct host_execution_policy : __ww_policy {};
struct device_execution_policy : __ww_policy {};
static constexpr device_execution_policy device = {};
static constexpr host_execution_policy host = {};
static constexpr device_execution_policy seq = {};
namespace cuda {
static constexpr device_execution_policy par = {};
static constexpr device_execution_policy par_nosync = {};
}  // namespace cuda
namespace system {
namespace cuda {
using thrust::cuda::par;
}
}  // namespace system

template <class T>
using __ww_if_policy = std::enable_if_t<std::is_base_of<__ww_policy, T>::value, int>;
template <class T>
using __ww_unless_policy = std::enable_if_t<!std::is_base_of<__ww_policy, T>::value, int>;
template <class It>
using __ww_value = std::decay_t<decltype(*std::declval<It&>())>;

// What is here alone; the rest is the standard library's.
namespace __ww_own {

template <class It>
__host__ __device__ inline void sequence(It first, It last) {
    std::iota(first, last, __ww_value<It>(0));
}
template <class It, class T>
__host__ __device__ inline void sequence(It first, It last, T value) {
    std::iota(first, last, value);
}
template <class It, class T>
__host__ __device__ inline void sequence(It first, It last, T value, T step) {
    for (; first != last; ++first, value = value + step) *first = value;
}
template <class It, class Out>
__host__ __device__ inline Out exclusive_scan(It first, It last, Out to) {
    return std::exclusive_scan(first, last, to, __ww_value<It>(0));
}
template <class It, class Out, class T>
__host__ __device__ inline Out exclusive_scan(It first, It last, Out to, T sum) {
    return std::exclusive_scan(first, last, to, sum);
}
template <class It, class Out, class T, class Op>
__host__ __device__ inline Out exclusive_scan(It first, It last, Out to, T sum, Op op) {
    return std::exclusive_scan(first, last, to, sum, op);
}
template <class It, class Change, class T, class Op>
__host__ __device__ inline T transform_reduce(It first, It last, Change change, T sum, Op op) {
    return std::transform_reduce(first, last, sum, op, change);
}
template <class It, class T>
__host__ __device__ inline void uninitialized_fill(It first, It last, const T& value) {
    std::fill(first, last, value);
}
template <class In, class Map, class Out>
__host__ __device__ inline void scatter(In first, In last, Map map, Out to) {
    for (; first != last; ++first, ++map) to[*map] = *first;
}
template <class Map, class In, class Out>
__host__ __device__ inline Out gather(Map first, Map last, In from, Out to) {
    for (; first != last; ++first, ++to) *to = from[*first];
    return to;
}
template <class It, class Change>
__host__ __device__ inline void tabulate(It first, It last, Change change) {
    for (ptrdiff_t i = 0; first != last; ++first, ++i) *first = change(i);
}

// Keys sorted in place by insertion, which is stable, while values follow.
template <class Keys, class Values, class Less>
__host__ __device__ inline void stable_sort_by_key(Keys first, Keys last, Values values,
                                                   Less less) {
    for (ptrdiff_t i = 1; i < last - first; ++i) {
        __ww_value<Keys> key = first[i];
        __ww_value<Values> value = values[i];
        ptrdiff_t at = i;
        for (; at > 0 && less(key, first[at - 1]); --at) {
            first[at] = first[at - 1];
            values[at] = values[at - 1];
        }
        first[at] = key;
        values[at] = value;
    }
}
template <class Keys, class Values>
__host__ __device__ inline void stable_sort_by_key(Keys first, Keys last, Values values) {
    __ww_own::stable_sort_by_key(first, last, values, std::less<>());
}
template <class Keys, class Values, class Less>
__host__ __device__ inline void sort_by_key(Keys first, Keys last, Values values, Less less) {
    __ww_own::stable_sort_by_key(first, last, values, less);
}
template <class Keys, class Values>
__host__ __device__ inline void sort_by_key(Keys first, Keys last, Values values) {
    __ww_own::stable_sort_by_key(first, last, values, std::less<>());
}
// Runs of equal keys: one key and the sum of the run's values each.
template <class Keys, class Values, class OutKeys, class OutValues, class Same, class Op>
__host__ __device__ inline pair<OutKeys, OutValues> reduce_by_key(Keys first, Keys last,
                                                                  Values values, OutKeys keys_to,
                                                                  OutValues values_to, Same same,
                                                                  Op op) {
    while (first != last) {
        __ww_value<Keys> key = *first;
        __ww_value<Values> sum = *values;
        for (++first, ++values; first != last && same(key, *first); ++first, ++values) {
            sum = op(sum, *values);
        }
        *keys_to++ = key;
        *values_to++ = sum;
    }
    return pair<OutKeys, OutValues>(keys_to, values_to);
}
template <class Keys, class Values, class OutKeys, class OutValues>
__host__ __device__ inline pair<OutKeys, OutValues> reduce_by_key(Keys first, Keys last,
                                                                  Values values, OutKeys keys_to,
                                                                  OutValues values_to) {
    return __ww_own::reduce_by_key(first, last, values, keys_to, values_to, std::equal_to<>(),
                                   std::plus<>());
}

// Scans that begin again where keys differ.
template <class Keys, class Values, class Out, class Same, class Op>
__host__ __device__ inline Out inclusive_scan_by_key(Keys first, Keys last, Values values, Out to,
                                                     Same same, Op op) {
    while (first != last) {
        __ww_value<Keys> key = *first;
        __ww_value<Values> sum = *values;
        *to++ = sum;
        for (++first, ++values; first != last && same(key, *first); ++first, ++values) {
            key = *first;
            sum = op(sum, *values);
            *to++ = sum;
        }
    }
    return to;
}
template <class Keys, class Values, class Out, class Same = std::equal_to<>>
__host__ __device__ inline Out inclusive_scan_by_key(Keys first, Keys last, Values values, Out to,
                                                     Same same = Same()) {
    return __ww_own::inclusive_scan_by_key(first, last, values, to, same, std::plus<>());
}
template <class Keys, class Values, class Out, class T, class Same = std::equal_to<>,
          class Op = std::plus<>>
__host__ __device__ inline Out exclusive_scan_by_key(Keys first, Keys last, Values values, Out to,
                                                     T start, Same same = Same(), Op op = Op()) {
    while (first != last) {
        __ww_value<Keys> key = *first;
        T sum = start;
        do {
            __ww_value<Values> value = *values;  // before the result takes its place
            *to++ = sum;
            sum = op(sum, value);
            key = *first;
            ++first, ++values;
        } while (first != last && same(key, *first));
    }
    return to;
}
template <class Keys, class Values, class Out>
__host__ __device__ inline Out exclusive_scan_by_key(Keys first, Keys last, Values values, Out to) {
    return __ww_own::exclusive_scan_by_key(first, last, values, to, __ww_value<Values>(0));
}
// The first of each run of equal keys, and its value.
template <class Keys, class Values>
__host__ __device__ inline pair<Keys, Values> unique_by_key(Keys first, Keys last, Values values) {
    Keys keys_to = first;
    Values values_to = values;
    while (first != last) {
        __ww_value<Keys> key = *first;
        *keys_to++ = key;
        *values_to++ = *values;
        for (++first, ++values; first != last && *first == key; ++first) ++values;
    }
    return pair<Keys, Values>(keys_to, values_to);
}
template <class In, class Out, class Change, class Wanted>
__host__ __device__ inline Out transform_if(In first, In last, Out to, Change change,
                                            Wanted wanted) {
    for (; first != last; ++first, ++to) {
        if (wanted(*first)) *to = change(*first);
    }
    return to;
}

// A number below `count`, each as likely: draws beyond the largest multiple of it are repeated.
template <class Engine>
__host__ __device__ inline unsigned long long below(unsigned long long count, Engine& engine) {
    const unsigned long long range =
        static_cast<unsigned long long>(Engine::max) - Engine::min + 1ull;
    unsigned long long all = range, drawn = engine() - Engine::min;
    while (all < count) {
        drawn = drawn * range + (engine() - Engine::min);
        all *= range;
    }
    const unsigned long long even = all - all % count;
    while (drawn >= even) {
        drawn = engine() - Engine::min;
        for (unsigned long long one = range; one < all; one *= range) {
            drawn = drawn * range + (engine() - Engine::min);
        }
    }
    return drawn % count;
}
template <class It, class Engine>
__host__ __device__ inline void shuffle(It first, It last, Engine& engine) {
    for (auto count = last - first; count > 1; --count) {
        const auto chosen = below(static_cast<unsigned long long>(count), engine);
        const __ww_value<It> moved = first[chosen];
        first[chosen] = first[count - 1];
        first[count - 1] = moved;
    }
}

}  // namespace __ww_own

// The engine goes on from where it is, so it is passed by reference.
template <class It, class Engine>
__host__ __device__ inline void shuffle(It first, It last, Engine&& engine) {
    __ww_own::shuffle(first, last, engine);
}
template <class Policy, class It, class Engine, __ww_if_policy<Policy> = 0>
__host__ __device__ inline void shuffle(const Policy&, It first, It last, Engine&& engine) {
    __ww_own::shuffle(first, last, engine);
}
template <class In, class Out, class Engine>
__host__ __device__ inline void shuffle_copy(In first, In last, Out to, Engine&& engine) {
    __ww_own::shuffle(to, std::copy(first, last, to), engine);
}
template <class Policy, class In, class Out, class Engine, __ww_if_policy<Policy> = 0>
__host__ __device__ inline void shuffle_copy(const Policy&, In first, In last, Out to,
                                             Engine&& engine) {
    __ww_own::shuffle(to, std::copy(first, last, to), engine);
}

// Each with and without a policy in front.
#define __WW_ALGORITHM(home, name)                                                              \
    template <class Policy, class... A, __ww_if_policy<Policy> = 0>                             \
    __host__ __device__ inline auto name(const Policy&, A... a) -> decltype(home::name(a...)) { \
        return home::name(a...);                                                                \
    }                                                                                           \
    template <class First, class... A, __ww_unless_policy<First> = 0>                           \
    __host__ __device__ inline auto name(First first, A... a)                                   \
        -> decltype(home::name(first, a...)) {                                                  \
        return home::name(first, a...);                                                         \
    }
__WW_ALGORITHM(std, adjacent_difference)
__WW_ALGORITHM(std, all_of)
__WW_ALGORITHM(std, any_of)
__WW_ALGORITHM(std, binary_search)
__WW_ALGORITHM(std, copy)
__WW_ALGORITHM(std, copy_if)
__WW_ALGORITHM(std, copy_n)
__WW_ALGORITHM(std, count)
__WW_ALGORITHM(std, count_if)
__WW_ALGORITHM(std, equal)
__WW_ALGORITHM(std, equal_range)
__WW_ALGORITHM(std, fill)
__WW_ALGORITHM(std, fill_n)
__WW_ALGORITHM(std, find)
__WW_ALGORITHM(std, find_if)
__WW_ALGORITHM(std, find_if_not)
__WW_ALGORITHM(std, for_each)
__WW_ALGORITHM(std, generate)
__WW_ALGORITHM(std, inclusive_scan)
__WW_ALGORITHM(std, inner_product)
__WW_ALGORITHM(std, is_sorted)
__WW_ALGORITHM(std, lower_bound)
__WW_ALGORITHM(std, max_element)
__WW_ALGORITHM(std, merge)
__WW_ALGORITHM(std, min_element)
__WW_ALGORITHM(std, minmax_element)
__WW_ALGORITHM(std, mismatch)
__WW_ALGORITHM(std, none_of)
__WW_ALGORITHM(std, partition)
__WW_ALGORITHM(std, reduce)
__WW_ALGORITHM(std, remove)
__WW_ALGORITHM(std, remove_if)
__WW_ALGORITHM(std, replace)
__WW_ALGORITHM(std, replace_if)
__WW_ALGORITHM(std, reverse)
__WW_ALGORITHM(std, set_intersection)
__WW_ALGORITHM(std, sort)
__WW_ALGORITHM(std, stable_sort)
__WW_ALGORITHM(std, swap_ranges)
__WW_ALGORITHM(std, transform)
__WW_ALGORITHM(std, unique)
__WW_ALGORITHM(std, unique_copy)
__WW_ALGORITHM(std, upper_bound)
__WW_ALGORITHM(__ww_own, exclusive_scan)
__WW_ALGORITHM(__ww_own, exclusive_scan_by_key)
__WW_ALGORITHM(__ww_own, gather)
__WW_ALGORITHM(__ww_own, inclusive_scan_by_key)
__WW_ALGORITHM(__ww_own, reduce_by_key)
__WW_ALGORITHM(__ww_own, scatter)
__WW_ALGORITHM(__ww_own, sequence)
__WW_ALGORITHM(__ww_own, sort_by_key)
__WW_ALGORITHM(__ww_own, stable_sort_by_key)
__WW_ALGORITHM(__ww_own, tabulate)
__WW_ALGORITHM(__ww_own, transform_if)
__WW_ALGORITHM(__ww_own, transform_reduce)
__WW_ALGORITHM(__ww_own, uninitialized_fill)
__WW_ALGORITHM(__ww_own, unique_by_key)
#undef __WW_ALGORITHM

}  // namespace thrust

}  // extern "C++"
