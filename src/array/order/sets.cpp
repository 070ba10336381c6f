// The elements of an array, each once: sorted, marked where one differs from that before,
// compacted.
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

// True where an element differs from that before it.
Array marks(const Array& sorted, bool equal_nan) {
    const std::int64_t count = sorted.size();
    const Array result = array::empty_beside(sorted, Shape{count}, bool_);
    array::write_into(part(result, 0, 1), array::constant(Scalar(true), Kind::Bool, Shape{1},
                                                          array::context_of(sorted)));
    const Array before = part(sorted, 0, count - 1);
    const Array after = part(sorted, 1, count);
    Array differs = not_equal(before, after);
    const Kind kind = array::kind_of(sorted);
    if (equal_nan && (types::is_real_float(kind) || types::is_complex(kind))) {
        differs = logical_and(differs, logical_not(logical_and(isnan(before), isnan(after))));
    }
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

}  // namespace

Unique unique(const Array& array, const UniqueOptions& options) {
    array::require_sortable(array, "unique");
    if (array.size() == 0) return of_nothing(array, options);
    const array::Rows rows = array::rows_along(ravel(array), 0);
    const std::int64_t count = array.size();
    const bool has_places = options.indices || options.inverse;
    std::optional<Array> order;
    if (has_places) order = array::argsort_rows(rows, false);
    const Array sorted = order ? array::take_rows(rows, *order) : array::sort_rows(rows, false);
    const Array mask = marks(sorted, options.equal_nan);
    Unique result{compact(sorted, mask), {}, {}, {}};
    if (options.indices) result.indices = compact(*order, mask);
    if (options.counts) {
        const Array first = flatnonzero(mask);
        const Array end = array::constant(Scalar(count).typed(Kind::Int64), Kind::Int64, Shape{1},
                                          array::context_of(array));
        const std::array<const Array*, 2> ends{&first, &end};
        result.counts = diff(concat(ends));
    }
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
