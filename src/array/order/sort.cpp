// The functions that sort along an axis.
#include <utility>

#include "src/array/order/sorting.hpp"
#include "src/array/refuse.hpp"
#include "warpwise/array_sorting.hpp"

namespace warpwise {
namespace {

// The array and the axis to sort along: raveled where none is given.
std::pair<Array, int> along(const Array& array, const std::optional<int>& axis,
                            const char* function) {
    array::require_sortable(array, function);
    if (!axis) return {array.reshape(Shape{-1}), 0};
    if (array.ndim() == 0) {
        array::refuse_value("{} got an array without axes; give axis=None, or reshape it to (1,)",
                            function);
    }
    return {array, checked_axis(*axis, array.ndim())};
}

// From 0 on.
array::Wanted wanted_of(std::span<const std::int64_t> kth, std::int64_t extent,
                        const char* function) {
    array::Wanted wanted;
    for (const std::int64_t one : kth) {
        if (one < -extent || one >= extent) {
            array::refuse_value("{} got kth={} for an axis of {} elements", function, one, extent);
        }
        wanted.places.push_back(one < 0 ? one + extent : one);
    }
    return wanted;
}

}  // namespace

Array sort(const Array& array, const Sorting& options) {
    const auto [given, axis] = along(array, options.axis, "sort");
    return array::back_like(
        given, array::sort_rows(array::rows_along(given, axis), options.descending), axis);
}

Array argsort(const Array& array, const Sorting& options) {
    // As NumPy does it, a number is an array of one.
    if (array.ndim() == 0 && options.axis) return argsort(array.reshape(Shape{1}), options);
    const auto [given, axis] = along(array, options.axis, "argsort");
    return array::back_along(
        array::argsort_rows(array::rows_along(given, axis), options.descending), axis);
}

Array lexsort(std::span<const Array* const> keys, int axis) {
    if (keys.empty()) array::refuse_value("lexsort got no key; it sorts by one at least");
    for (const Array* const key : keys) {
        array::require_same_device(*keys[0], *key, "lexsort");
        if (key->shape() == keys[0]->shape()) continue;
        array::refuse_value("lexsort got keys of shapes {} and {}; all must have one shape",
                            text_of(keys[0]->shape()), text_of(key->shape()));
    }
    if (keys[0]->ndim() == 0) return argsort(*keys[0]).reshape(Shape{});
    // Each sort keeps the order of equal elements, so that the last one comes first.
    Array order = argsort(*keys[0], {.axis = axis});
    for (const Array* const key : keys.subspan(1)) {
        const Array lying = take_along_axis(*key, order, axis);
        order = take_along_axis(order, argsort(lying, {.axis = axis}), axis);
    }
    return order;
}

TopK topk(const Array& array, std::int64_t k, int axis, bool largest) {
    const auto [given, at] = along(array, axis, "topk");
    const std::int64_t extent = given.shape()[at];
    if (k < 0 || k > extent) {
        array::refuse_value("topk got k={} for an axis of {} elements", k, extent);
    }
    const array::Rows rows = array::rows_along(given, at);
    const Array order = array::argsort_rows(rows, largest, {.limit = k});
    const IndexItem first[] = {Ellipsis{}, Slice{0, k, std::nullopt}};
    const Array places = ascontiguousarray(order.at(first));
    return {array::back_along(array::take_rows(rows, places), at), array::back_along(places, at)};
}

Array partition(const Array& array, std::span<const std::int64_t> kth, std::optional<int> axis) {
    const auto [given, at] = along(array, axis, "partition");
    const array::Wanted wanted = wanted_of(kth, given.shape()[at], "partition");
    return array::back_like(given, array::sort_rows(array::rows_along(given, at), false, wanted),
                            at);
}

Array argpartition(const Array& array, std::span<const std::int64_t> kth, std::optional<int> axis) {
    const auto [given, at] = along(array, axis, "argpartition");
    const array::Wanted wanted = wanted_of(kth, given.shape()[at], "argpartition");
    return array::back_along(array::argsort_rows(array::rows_along(given, at), false, wanted), at);
}

}  // namespace warpwise
