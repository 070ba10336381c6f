// Quantiles of elements that count as much as their weights: by the sums of sorted weights.
#include <limits>
#include <utility>

#include "src/array/numeric/quantile_methods.hpp"
#include "src/array/reduction.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_numeric.hpp"
#include "warpwise/array_scans.hpp"
#include "warpwise/array_sorting.hpp"

namespace warpwise {
namespace {

constexpr const char* kName = "quantile";

bool is_any(const Array& mask) {
    return any(mask).item().as_bool();
}

// Of the array's shape.
Array spread_weights(const Array& array, const Array& weights,
                     const std::optional<std::vector<int>>& axes) {
    array::require_same_device(array, weights, kName);
    array::require_numbers(weights, kName);
    if (types::is_complex(array::kind_of(weights))) {
        array::refuse_type("{} got weights of {}; give real ones", kName, weights.dtype().name());
    }
    if (is_any(less(weights, Scalar(0)))) {
        array::refuse_value("{} got negative weights; none may be below 0", kName);
    }
    const Array floats = array::converted(weights, Kind::Float64);
    if (weights.shape() == array.shape()) return floats;
    const bool is_of_axis = axes && axes->size() == 1 && weights.ndim() == 1;
    const int axis = is_of_axis ? checked_axis((*axes)[0], array.ndim()) : 0;
    if (!is_of_axis || weights.size() != array.shape()[axis]) {
        array::refuse_value(
            "{} got weights of shape {} for an array of shape {}; give that shape, or one weight "
            "for each element along the one axis",
            kName, text_of(weights.shape()), text_of(array.shape()));
    }
    Shape shape = Axes::filled(array.ndim(), 1);
    shape[axis] = weights.size();
    return floats.reshape(shape).broadcast_to(array.shape());
}

Array last_of(const Array& rows) {
    return rows.at({Ellipsis{}, Slice{-1, std::nullopt, std::nullopt}});
}

// Which part of its row's weights there is up to each element; below any q where there is none.
Array parts_of(const Array& weights) {
    const Array sums = cumulative_sum(weights, {.axis = -1});
    const Array total = last_of(sums);
    if (is_any(logical_not(logical_and(greater(total, Scalar(0)), isfinite(total))))) {
        array::refuse_value(
            "{} got weights whose sum is 0 or not finite; give finite ones, some above 0", kName);
    }
    const Array parts = divide(sums, total);
    return where(equal(parts, Scalar(0)), Scalar(-1.0), parts);
}

// Compares parts as `compared`.
Array quantiles(const Array& array, std::span<const double> q, const Array& weights,
                const std::optional<std::vector<int>>& axes, bool keepdims, Kind compared) {
    array::require_order(array, array::quantile_method("inverted_cdf", kName), kName);
    const array::ReducedAxes reduced(array, axes, kName);
    if (reduced.count == 0) {
        array::refuse_value("{} over no elements, of an array of shape {}, has no value", kName,
                            text_of(array.shape()));
    }
    for (const double one : q) array::require_quantile(one, kName);
    const Array elements = array::with_axes_last(array, axes, kName);
    const Array order = argsort(elements, {.axis = -1});
    const Array sorted = take_along_axis(elements, order, -1);
    const Array spread = array::with_axes_last(spread_weights(array, weights, axes), axes, kName);
    const Array parts = array::converted(parts_of(take_along_axis(spread, order, -1)), compared);
    const Array last = last_of(sorted);
    Shape shape{static_cast<std::int64_t>(q.size())};
    const Shape& one = keepdims ? reduced.kept : reduced.results;
    for (const std::int64_t extent : one) shape.push_back(extent);
    const Array result = empty(shape, array.dtype(), array.device());
    for (std::size_t i = 0; i < q.size(); ++i) {
        const Array before =
            sum(less(parts, Scalar(q[i]).typed(compared)), {.axes = {{-1}}, .keepdims = true});
        const Array place = minimum(before, Scalar(reduced.count - 1));
        const Array found = take_along_axis(sorted, place, -1);
        const Array known = where(equal(last, last), found, last);  // NaN is last
        result.at({static_cast<std::int64_t>(i)}).assign(known.reshape(one));
    }
    return result;
}

}  // namespace

Array quantile(const Array& array, double q, const Array& weights,
               const std::optional<std::vector<int>>& axes, bool keepdims) {
    const Kind kind = array::kind_of(array);
    const Kind compared = types::is_real_float(kind) ? kind : Kind::Float64;
    return quantiles(array, std::span(&q, 1), weights, axes, keepdims, compared)
        .at({std::int64_t{0}});
}

Array quantile(const Array& array, std::span<const double> q, const Array& weights,
               const std::optional<std::vector<int>>& axes, bool keepdims) {
    return quantiles(array, q, weights, axes, keepdims, Kind::Float64);
}

}  // namespace warpwise
