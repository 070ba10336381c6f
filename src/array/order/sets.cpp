// The elements of an array, or its rows, each once: sorted, marked where one differs from that
// before, compacted.
#include <array>
#include <utility>

#include "src/array/order/sorting.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_scans.hpp"
#include "warpwise/array_sorting.hpp"

namespace warpwise {
namespace {

Array part(const Array& array, std::int64_t first, std::int64_t end) {
    return array.at({Slice{first, end, std::nullopt}});
}

Array differences(const Array& before, const Array& after, bool equal_nan) {
    const Array differs = not_equal(before, after);
    const Kind kind = array::kind_of(before);
    if (!equal_nan || !(types::is_real_float(kind) || types::is_complex(kind))) return differs;
    return logical_and(differs, logical_not(logical_and(isnan(before), isnan(after))));
}

// True where an element differs from that before it.
Array marks(const Array& sorted, bool equal_nan) {
    const std::int64_t count = sorted.size();
    const Array result = array::empty_beside(sorted, Shape{count}, bool_);
    array::write_into(part(result, 0, 1), array::constant(Scalar(true), Kind::Bool, Shape{1},
                                                          array::context_of(sorted)));
    const Array before = part(sorted, 0, count - 1);
    const Array after = part(sorted, 1, count);
    const Array differs = differences(before, after, equal_nan);
    array::write_into(part(result, 1, count), differs);
    return result;
}

Array no_places(const Array& array, const Shape& shape) {
    return array::empty_beside(array, shape, int64);
}

Unique of_nothing(const Array& array, const UniqueOptions& options) {
    Unique result{array::empty_beside(array, Shape{0}, array.dtype()), {}, {}, {}};
    if (options.indices) result.indices = no_places(array, Shape{0});
    if (options.inverse) result.inverse = no_places(array, array.shape());
    if (options.counts) result.counts = no_places(array, Shape{0});
    return result;
}

// Rows in lexicographic order: stable sorts by each column, the last one first.
Array order_of_rows(const Array& rows) {
    const std::int64_t count = rows.shape()[0];
    Array order = arange(Scalar(std::int64_t{0}), Scalar(count), Scalar(std::int64_t{1}), int64,
                         rows.device());
    for (std::int64_t column = rows.shape()[1] - 1; column >= 0; --column) {
        const Array keys = take(rows.at({Ellipsis{}, column}), order, 0);
        order = take(order, argsort(keys, {.axis = 0}), 0);
    }
    return order;
}

// True where a row differs from that before it.
Array marks_of_rows(const Array& sorted, bool equal_nan) {
    const std::int64_t count = sorted.shape()[0];
    const Array before = part(sorted, 0, count - 1);
    const Array after = part(sorted, 1, count);
    const Array differs = differences(before, after, equal_nan);
    const Array result = array::empty_beside(sorted, Shape{count}, bool_);
    array::write_into(part(result, 0, 1), array::constant(Scalar(true), Kind::Bool, Shape{1},
                                                          array::context_of(sorted)));
    if (count > 1) array::write_into(part(result, 1, count), any(differs, {.axes = {{1}}}));
    return result;
}

// How many places there are from each to the next, the last of them at `count`.
Array counted(const Array& places, std::int64_t count) {
    const Array end = array::constant(Scalar(count).typed(Kind::Int64), Kind::Int64, Shape{1},
                                      array::context_of(places));
    const std::array<const Array*, 2> ends{&places, &end};
    return diff(concat(ends));
}

// What lies side by side along the axis is one element.
Unique unique_along(const Array& given, int axis, const UniqueOptions& options) {
    const int at = checked_axis(axis, given.ndim());
    const int first = 0;
    const Array moved = moveaxis(given, std::span(&at, 1), std::span(&first, 1));
    const std::int64_t count = moved.shape()[0];
    const std::int64_t width = count == 0 ? 0 : given.size() / count;
    const auto back = [&](const Array& rows) {
        Shape shape = moved.shape();
        shape[0] = rows.shape()[0];
        return moveaxis(rows.reshape(shape), std::span(&first, 1), std::span(&at, 1));
    };
    if (count == 0) {
        Unique result = of_nothing(given, options);
        result.values = array::empty_beside(given, given.shape(), given.dtype());
        if (options.inverse) result.inverse = no_places(given, Shape{0});
        return result;
    }
    const Array rows = ascontiguousarray(moved.reshape(Shape{count, width}));
    const Array order = order_of_rows(rows);
    const Array sorted = take(rows, order, 0);
    const Array mask = marks_of_rows(sorted, options.equal_nan);
    const Array places = flatnonzero(mask);
    Unique result{back(take(sorted, places, 0)), {}, {}, {}};
    if (options.indices) result.indices = take(order, places, 0);
    if (options.counts) result.counts = counted(places, count);
    if (options.inverse) {
        const Array inverse = array::empty_beside(given, Shape{count}, int64);
        array::scatter(inverse, order, subtract(cumulative_sum(mask), Scalar(1)));
        result.inverse = inverse;
    }
    return result;
}

}  // namespace

Unique unique(const Array& array, const UniqueOptions& options) {
    array::require_sortable(array, "unique");
    if (options.axis) return unique_along(array, *options.axis, options);
    if (array.size() == 0) return of_nothing(array, options);
    const array::Rows rows = array::rows_along(array.reshape(Shape{-1}), 0);
    const std::int64_t count = array.size();
    const bool has_places = options.indices || options.inverse;
    std::optional<Array> order;
    if (has_places) order = array::argsort_rows(rows, false);
    const Array sorted = order ? array::take_rows(rows, *order) : array::sort_rows(rows, false);
    const Array mask = marks(sorted, options.equal_nan);
    Unique result{compact(sorted, mask), {}, {}, {}};
    if (options.indices) result.indices = compact(*order, mask);
    if (options.counts) result.counts = counted(flatnonzero(mask), count);
    if (options.inverse) {
        const Array numbers = subtract(cumulative_sum(mask), Scalar(1));
        const Array inverse = array::empty_beside(array, Shape{count}, int64);
        array::scatter(inverse, *order, numbers);
        result.inverse = inverse.reshape(array.shape());
    }
    return result;
}

Array unique_values(const Array& array) {
    return unique(array, {.equal_nan = false}).values;
}

std::pair<Array, Array> unique_counts(const Array& array) {
    Unique result = unique(array, {.counts = true, .equal_nan = false});
    return {std::move(result.values), std::move(*result.counts)};
}

std::pair<Array, Array> unique_inverse(const Array& array) {
    Unique result = unique(array, {.inverse = true, .equal_nan = false});
    return {std::move(result.values), std::move(*result.inverse)};
}

Unique unique_all(const Array& array) {
    return unique(array, {.indices = true, .inverse = true, .counts = true, .equal_nan = false});
}

}  // namespace warpwise
