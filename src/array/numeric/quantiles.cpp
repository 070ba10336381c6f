// Medians and quantiles, of elements sorted along the reduced axes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "src/array/masked_reduction.hpp"
#include "src/array/reduction.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_numeric.hpp"
#include "warpwise/array_sorting.hpp"

namespace warpwise {
namespace {

// The places of sorted elements that some quantiles look at, and the last, where NaN is.
std::vector<std::int64_t> places_of(std::span<const double> q, std::int64_t count) {
    std::vector<std::int64_t> places{count - 1};
    for (const double one : q) {
        const double place = std::clamp(one, 0.0, 1.0) * static_cast<double>(count - 1);
        const auto lower = std::isnan(place) ? 0 : static_cast<std::int64_t>(place);
        places.push_back(lower);
        places.push_back(std::min(lower + 1, count - 1));
    }
    return places;
}

// More than this many quantiles are worth a whole sort.
constexpr std::size_t kFew = 16;

// The reduced axes as one, the last, sorted as far as the quantiles q look.
struct Sorted {
    Sorted(const Array& array, const std::optional<std::vector<int>>& axes, const char* function,
           std::span<const double> q)
        : Sorted(array, axes, function) {
        if (reduced.count == 0) return;
        values = q.size() <= kFew ? partition(values, places_of(q, reduced.count), -1)
                                  : sort(values, {.axis = -1});
    }
    // Not sorted yet.
    Sorted(const Array& array, const std::optional<std::vector<int>>& axes, const char* function)
        : reduced(array, axes, function), values(array) {
        const Kind kind = array::kind_of(array);
        std::vector<int> last(static_cast<std::size_t>(array.ndim()));
        std::iota(last.begin(), last.end(), 0);
        if (axes) last = array::checked_axes(*axes, array.ndim(), function);
        std::vector<int> order;
        for (int axis = 0; axis < array.ndim(); ++axis) {
            if (std::ranges::find(last, axis) == last.end()) order.push_back(axis);
        }
        Shape shape;
        for (const int axis : order) shape.push_back(array.shape()[axis]);
        shape.push_back(reduced.count);
        order.insert(order.end(), last.begin(), last.end());
        const bool is_whole = types::is_integer(kind) || types::is_bool(kind);
        const Array floats = is_whole ? array::converted(array, Kind::Float64) : array;
        values = floats.transpose(order).reshape(shape);
    }

    std::int64_t count() const { return reduced.count; }
    Array at(std::int64_t place) const { return values.at({Ellipsis{}, place}); }
    // NaN is last.
    Array unless_nan(const Array& result) const {
        return where(isnan(at(count() - 1)), Scalar(std::numeric_limits<double>::quiet_NaN()),
                     result);
    }

    array::ReducedAxes reduced;
    Array values;
};

void require_quantiles(const Array& array, std::string_view method, const char* function) {
    if (types::is_complex(array::kind_of(array))) {
        array::refuse_type("{} got {}; complex numbers have no order", function,
                           array.dtype().name());
    }
    const bool is_between = method == "linear" || method == "midpoint";
    if (types::is_bool(array::kind_of(array)) && is_between) {
        array::refuse_type(
            "{} got bool, which has nothing between two elements; use method 'lower', 'higher' or "
            "'nearest', or astype",
            function);
    }
}

void require_elements(const Sorted& sorted, const Array& array, const char* function) {
    if (sorted.count() > 0) return;
    array::refuse_value("{} over no elements, of an array of shape {}, has no value", function,
                        text_of(array.shape()));
}

// Of bool, one of the elements.
Array as_elements(const Array& result, const Array& array) {
    return types::is_bool(array::kind_of(array)) ? array::converted(result, Kind::Bool) : result;
}

// Where quantile q lies among `count` sorted elements: between two of them, at a fraction.
struct Position {
    std::int64_t lower = 0;
    std::int64_t upper = 0;
    double fraction = 0;
};

Position position_of(double q, std::int64_t count, std::string_view method, const char* function) {
    if (!(q >= 0 && q <= 1)) {
        array::refuse_value("{} got {} of the whole; quantiles are from 0 to 1, percentiles to 100",
                            function, q);
    }
    const double place = q * static_cast<double>(count - 1);
    const double below = std::floor(place);
    const auto lower = std::clamp<std::int64_t>(static_cast<std::int64_t>(below), 0, count - 1);
    const std::int64_t upper = std::min(lower + 1, count - 1);
    if (method == "linear") return {lower, upper, place - below};
    if (method == "lower") return {lower, lower, 0};
    const auto above =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(place)), 0, count - 1);
    if (method == "higher") return {above, above, 0};
    if (method == "midpoint") return {lower, above, above > lower ? 0.5 : 0.0};
    if (method == "nearest") {
        const auto near = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::nearbyint(place)),
                                                   0, count - 1);
        return {near, near, 0};
    }
    array::refuse_value(
        "{} got method '{}'; it is 'linear', 'lower', 'higher', 'midpoint' or "
        "'nearest'",
        function, method);
}

// As NumPy's lerp: from the nearer end.
Array between(const Array& a, const Array& b, double fraction) {
    if (fraction == 0) return a;
    const Array step = subtract(b, a);
    return fraction < 0.5 ? add(a, multiply(step, Scalar(fraction)))
                          : subtract(b, multiply(step, Scalar(1 - fraction)));
}

Array one_quantile(const Sorted& sorted, double q, std::string_view method, const char* function) {
    const Position at = position_of(q, sorted.count(), method, function);
    return sorted.unless_nan(between(sorted.at(at.lower), sorted.at(at.upper), at.fraction));
}

Array of_one(const Array& array, double q, const std::optional<std::vector<int>>& axes,
             std::string_view method, bool keepdims, const char* function) {
    require_quantiles(array, method, function);
    const Sorted sorted(array, axes, function, std::span(&q, 1));
    require_elements(sorted, array, function);
    const Array result = one_quantile(sorted, q, method, function);
    return as_elements(result, array)
        .reshape(keepdims ? sorted.reduced.kept : sorted.reduced.results);
}

// The results for each of q, one after the other.
template <class Function>
Array stacked(std::span<const double> q, const Shape& one, const Array& array,
              const Function& result_of) {
    Shape shape{static_cast<std::int64_t>(q.size())};
    for (const std::int64_t extent : one) shape.push_back(extent);
    const Array result = empty(shape, float64, array.device());
    for (std::size_t i = 0; i < q.size(); ++i) {
        result.at({static_cast<std::int64_t>(i)}).assign(result_of(q[i]).reshape(one));
    }
    return result;
}

Array of_several(const Array& array, std::span<const double> q,
                 const std::optional<std::vector<int>>& axes, std::string_view method,
                 bool keepdims, const char* function) {
    require_quantiles(array, method, function);
    const Sorted sorted(array, axes, function, q);
    require_elements(sorted, array, function);
    const Shape& one = keepdims ? sorted.reduced.kept : sorted.reduced.results;
    return as_elements(
        stacked(q, one, array,
                [&](double each) { return one_quantile(sorted, each, method, function); }),
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
        return take_along_axis(sorted.values, index, -1).at({Ellipsis{}, std::int64_t{0}});
    }
    Array nothing() const {
        return full(sorted.reduced.results, Scalar(std::numeric_limits<double>::quiet_NaN()),
                    sorted.values.dtype(), sorted.values.device());
    }

    Sorted sorted;
    Array last{sorted.values};  // float64: the place of the last number of each row
};

Array one_quantile(const Numbers& numbers, double q, std::string_view method,
                   const char* function) {
    // Refuses what is no quantile or no method.
    static_cast<void>(position_of(q, 1, method, function));
    if (numbers.sorted.count() == 0) return numbers.nothing();
    const Array place = multiply(numbers.last, Scalar(q));
    if (method == "lower") return numbers.at(floor(place));
    if (method == "higher") return numbers.at(ceil(place));
    if (method == "nearest") return numbers.at(round(place));
    const Array below = floor(place);
    const Array part = method == "linear" ? subtract(place, below)
                                          : multiply(subtract(ceil(place), below), Scalar(0.5));
    const Array a = numbers.at(below);
    const Array b = numbers.at(ceil(place));
    const Array fraction = array::converted(part, array::kind_of(a));
    const Array step = subtract(b, a);
    const Array near = where(less(fraction, Scalar(0.5)), add(a, multiply(step, fraction)),
                             subtract(b, multiply(step, subtract(Scalar(1.0), fraction))));
    // Between infinities there is no step.
    return where(equal(fraction, Scalar(0.0)), a, near);
}

Array nan_of_one(const Array& array, double q, const std::optional<std::vector<int>>& axes,
                 std::string_view method, bool keepdims, const char* function) {
    require_quantiles(array, method, function);
    const Numbers numbers(array, axes, function);
    const array::ReducedAxes& reduced = numbers.sorted.reduced;
    return as_elements(one_quantile(numbers, q, method, function), array)
        .reshape(keepdims ? reduced.kept : reduced.results);
}

Array nan_of_several(const Array& array, std::span<const double> q,
                     const std::optional<std::vector<int>>& axes, std::string_view method,
                     bool keepdims, const char* function) {
    require_quantiles(array, method, function);
    const Numbers numbers(array, axes, function);
    const array::ReducedAxes& reduced = numbers.sorted.reduced;
    return as_elements(
        stacked(q, keepdims ? reduced.kept : reduced.results, array,
                [&](double one) { return one_quantile(numbers, one, method, function); }),
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
    // (count - 1) / 2 and the place behind it: both middles.
    constexpr double kHalf = 0.5;
    const Sorted sorted(array, options.axes, "median", std::span(&kHalf, 1));
    const Array result =
        middle_of(sorted).reshape(options.keepdims ? sorted.reduced.kept : sorted.reduced.results);
    if (options.out == nullptr) return result;
    options.out->assign(result);
    return *options.out;
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
    if (options.out == nullptr) return result;
    options.out->assign(result);
    return *options.out;
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
