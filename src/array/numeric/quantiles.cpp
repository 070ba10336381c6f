// Medians and quantiles, of elements sorted along the reduced axes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "src/array/masked_reduction.hpp"
#include "src/array/numeric/quantile_methods.hpp"
#include "src/array/reduction.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_numeric.hpp"
#include "warpwise/array_sorting.hpp"

namespace warpwise {
namespace {

// More than this many places are worth a whole sort.
constexpr std::size_t kFew = 33;

// The reduced axes as one, the last, not sorted yet.
struct Sorted {
    Sorted(const Array& array, const std::optional<std::vector<int>>& axes, const char* function)
        : reduced(array, axes, function), values(array) {
        const Kind kind = array::kind_of(array);
        const bool is_whole = types::is_integer(kind) || types::is_bool(kind);
        const Array floats = is_whole ? array::converted(array, Kind::Float64) : array;
        values = array::with_axes_last(floats, axes, function);
        result_kind = array::kind_of(values);
    }

    // Sorts as far as these places and the last one, where NaN is, need it.
    void sort_at(std::vector<std::int64_t> places) {
        if (reduced.count == 0) return;
        places.push_back(reduced.count - 1);
        values = places.size() <= kFew ? partition(values, places, -1) : sort(values, {.axis = -1});
    }
    std::int64_t count() const { return reduced.count; }
    Array at(std::int64_t place) const {
        return array::converted(values.at({Ellipsis{}, place}), result_kind);
    }
    // NaN is last.
    Array unless_nan(const Array& result) const {
        return where(isnan(at(count() - 1)), Scalar(std::numeric_limits<double>::quiet_NaN()),
                     result);
    }

    array::ReducedAxes reduced;
    Array values;
    Kind result_kind = Kind::Float64;  // what is between two elements is computed in it
};

void require_elements(const Sorted& sorted, const Array& array, const char* function) {
    if (sorted.count() > 0) return;
    array::refuse_value("{} over no elements, of an array of shape {}, has no value", function,
                        text_of(array.shape()));
}

// Of bool, one of the elements.
Array as_elements(const Array& result, const Array& array) {
    return types::is_bool(array::kind_of(array)) ? array::converted(result, Kind::Bool) : result;
}

// As NumPy's lerp: from the nearer end.
Array between(const Array& a, const Array& b, double fraction) {
    if (fraction == 0) return a;
    const Array step = subtract(b, a);
    return fraction < 0.5 ? add(a, multiply(step, Scalar(fraction)))
                          : subtract(b, multiply(step, Scalar(1 - fraction)));
}

using Place = array::QuantilePlace<double>;

std::int64_t index_of(double place) {
    return static_cast<std::int64_t>(place);
}

Array one_quantile(const Sorted& sorted, const Place& place) {
    const Array lower = sorted.at(index_of(place.lower));
    return sorted.unless_nan(between(lower, sorted.at(index_of(place.upper)), place.fraction));
}

// Sorts for them.
std::vector<Place> places_of(Sorted& sorted, std::span<const double> q,
                             const array::QuantileMethod& method, const char* function) {
    std::vector<Place> places;
    std::vector<std::int64_t> looked_at;
    for (const double one : q) {
        array::require_quantile(one, function);
        const auto last = static_cast<double>(sorted.count() - 1);
        places.push_back(array::place_of(one, last, method));
        looked_at.push_back(index_of(places.back().lower));
        looked_at.push_back(index_of(places.back().upper));
    }
    sorted.sort_at(std::move(looked_at));
    return places;
}

Array of_one(const Array& array, double q, const std::optional<std::vector<int>>& axes,
             std::string_view name, bool keepdims, const char* function) {
    const array::QuantileMethod& method = array::quantile_method(name, function);
    array::require_order(array, method, function);
    Sorted sorted(array, axes, function);
    require_elements(sorted, array, function);
    const Place place = places_of(sorted, std::span(&q, 1), method, function).front();
    return as_elements(one_quantile(sorted, place), array)
        .reshape(keepdims ? sorted.reduced.kept : sorted.reduced.results);
}

// The results for each of q, one after the other.
template <class Function>
Array stacked(std::size_t count, const Shape& one, const Array& array, const Function& result_of) {
    Shape shape{static_cast<std::int64_t>(count)};
    for (const std::int64_t extent : one) shape.push_back(extent);
    const Array result = empty(shape, float64, array.device());
    for (std::size_t i = 0; i < count; ++i) {
        result.at({static_cast<std::int64_t>(i)}).assign(result_of(i).reshape(one));
    }
    return result;
}

Array of_several(const Array& array, std::span<const double> q,
                 const std::optional<std::vector<int>>& axes, std::string_view name, bool keepdims,
                 const char* function) {
    const array::QuantileMethod& method = array::quantile_method(name, function);
    array::require_order(array, method, function);
    Sorted sorted(array, axes, function);
    sorted.result_kind = Kind::Float64;
    require_elements(sorted, array, function);
    const std::vector<Place> places = places_of(sorted, q, method, function);
    const Shape& one = keepdims ? sorted.reduced.kept : sorted.reduced.results;
    return as_elements(stacked(q.size(), one, array,
                               [&](std::size_t i) { return one_quantile(sorted, places[i]); }),
                       array);
}

// NaN where there are no elements.
Array middle_of(const Sorted& sorted) {
    if (sorted.count() == 0) {
        return full(sorted.reduced.results, Scalar(std::numeric_limits<double>::quiet_NaN()),
                    sorted.values.dtype(), sorted.values.device());
    }
    const std::int64_t middle = sorted.count() / 2;
    const Array upper = sorted.at(middle);
    if (sorted.count() % 2 != 0) return sorted.unless_nan(upper);
    return sorted.unless_nan(divide(add(sorted.at(middle - 1), upper), Scalar(2.0)));
}

// --- Among the elements that are not NaN: in each row of its own length, which NaN follows.
struct Numbers {
    Numbers(const Array& array, const std::optional<std::vector<int>>& axes, const char* function)
        : sorted(array, axes, function) {
        if (sorted.count() == 0) return;
        last = subtract(sum(logical_not(isnan(sorted.values)),
                            {.axes = std::vector<int>{-1}, .dtype = float64}),
                        Scalar(1.0));
        sorted.values = sort(sorted.values, {.axis = -1});
    }

    // By places of float64, one in each row; rows without numbers have NaN anywhere.
    Array at(const Array& places) const {
        const Array inside = maximum(minimum(places, last), Scalar(0.0));
        constexpr int kLast = -1;
        const Array index =
            expand_dims(array::converted(inside, Kind::Int64), std::span(&kLast, 1));
        return array::converted(
            take_along_axis(sorted.values, index, -1).at({Ellipsis{}, std::int64_t{0}}),
            sorted.result_kind);
    }
    Array nothing() const {
        return full(sorted.reduced.results, Scalar(std::numeric_limits<double>::quiet_NaN()),
                    sorted.values.dtype(), sorted.values.device());
    }

    Sorted sorted;
    Array last{sorted.values};  // float64: the place of the last number of each row
};

Array one_quantile(const Numbers& numbers, double q, const array::QuantileMethod& method,
                   const char* function) {
    array::require_quantile(q, function);
    if (numbers.sorted.count() == 0) return numbers.nothing();
    const array::QuantilePlace<Array> place = array::place_of(q, numbers.last, method);
    const Array a = numbers.at(place.lower);
    if (method.gives_elements()) return a;
    const Array b = numbers.at(place.upper);
    const Array fraction = array::converted(place.fraction, array::kind_of(a));
    const Array step = subtract(b, a);
    const Array near = where(less(fraction, Scalar(0.5)), add(a, multiply(step, fraction)),
                             subtract(b, multiply(step, subtract(Scalar(1.0), fraction))));
    // Between infinities there is no step.
    return where(equal(fraction, Scalar(0.0)), a, near);
}

Array nan_of_one(const Array& array, double q, const std::optional<std::vector<int>>& axes,
                 std::string_view name, bool keepdims, const char* function) {
    const array::QuantileMethod& method = array::quantile_method(name, function);
    array::require_order(array, method, function);
    const Numbers numbers(array, axes, function);
    const array::ReducedAxes& reduced = numbers.sorted.reduced;
    return as_elements(one_quantile(numbers, q, method, function), array)
        .reshape(keepdims ? reduced.kept : reduced.results);
}

Array nan_of_several(const Array& array, std::span<const double> q,
                     const std::optional<std::vector<int>>& axes, std::string_view name,
                     bool keepdims, const char* function) {
    const array::QuantileMethod& method = array::quantile_method(name, function);
    array::require_order(array, method, function);
    Numbers numbers(array, axes, function);
    numbers.sorted.result_kind = Kind::Float64;
    const array::ReducedAxes& reduced = numbers.sorted.reduced;
    const auto one = [&](std::size_t i) { return one_quantile(numbers, q[i], method, function); };
    return as_elements(stacked(q.size(), keepdims ? reduced.kept : reduced.results, array, one),
                       array);
}

std::vector<double> parts_of_hundred(std::span<const double> percents) {
    std::vector<double> parts;
    for (const double one : percents) parts.push_back(one / 100);
    return parts;
}

}  // namespace

Array median(const Array& array, const Reduction& options) {
    array::refuse_mask(options, "median");
    Sorted sorted(array, options.axes, "median");
    sorted.sort_at({std::max<std::int64_t>(sorted.count() - 1, 0) / 2, sorted.count() / 2});
    const Array result =
        middle_of(sorted).reshape(options.keepdims ? sorted.reduced.kept : sorted.reduced.results);
    return array::written(result, options, "median");
}

Array quantile(const Array& array, double q, const std::optional<std::vector<int>>& axes,
               std::string_view method, bool keepdims) {
    return of_one(array, q, axes, method, keepdims, "quantile");
}
Array percentile(const Array& array, double q, const std::optional<std::vector<int>>& axes,
                 std::string_view method, bool keepdims) {
    return of_one(array, q / 100, axes, method, keepdims, "percentile");
}
Array quantile(const Array& array, std::span<const double> q,
               const std::optional<std::vector<int>>& axes, std::string_view method,
               bool keepdims) {
    return of_several(array, q, axes, method, keepdims, "quantile");
}
Array percentile(const Array& array, std::span<const double> q,
                 const std::optional<std::vector<int>>& axes, std::string_view method,
                 bool keepdims) {
    return of_several(array, parts_of_hundred(q), axes, method, keepdims, "percentile");
}

Array nanmedian(const Array& array, const Reduction& options) {
    array::refuse_mask(options, "nanmedian");
    const auto result = [&] {
        if (types::is_complex(array::kind_of(array))) {
            array::refuse_type("nanmedian got {}; complex numbers have no order",
                               array.dtype().name());
        }
        const Numbers numbers(array, options.axes, "nanmedian");
        const array::ReducedAxes& reduced = numbers.sorted.reduced;
        const Shape& shape = options.keepdims ? reduced.kept : reduced.results;
        if (numbers.sorted.count() == 0) return numbers.nothing().reshape(shape);
        const Array middle = multiply(numbers.last, Scalar(0.5));
        const Array a = numbers.at(floor(middle));
        const Array b = numbers.at(ceil(middle));
        return where(equal(floor(middle), middle), a, divide(add(a, b), Scalar(2.0)))
            .reshape(shape);
    }();
    return array::written(result, options, "nanmedian");
}

Array nanquantile(const Array& array, double q, const std::optional<std::vector<int>>& axes,
                  std::string_view method, bool keepdims) {
    return nan_of_one(array, q, axes, method, keepdims, "nanquantile");
}
Array nanpercentile(const Array& array, double q, const std::optional<std::vector<int>>& axes,
                    std::string_view method, bool keepdims) {
    return nan_of_one(array, q / 100, axes, method, keepdims, "nanpercentile");
}
Array nanquantile(const Array& array, std::span<const double> q,
                  const std::optional<std::vector<int>>& axes, std::string_view method,
                  bool keepdims) {
    return nan_of_several(array, q, axes, method, keepdims, "nanquantile");
}
Array nanpercentile(const Array& array, std::span<const double> q,
                    const std::optional<std::vector<int>>& axes, std::string_view method,
                    bool keepdims) {
    return nan_of_several(array, parts_of_hundred(q), axes, method, keepdims, "nanpercentile");
}

}  // namespace warpwise
