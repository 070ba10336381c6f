// See quantile_methods.hpp.
#include "src/array/numeric/quantile_methods.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_functions.hpp"

namespace warpwise::array {
namespace {

using Rounding = QuantileMethod::Rounding;

constexpr double kThird = 1.0 / 3.0;
constexpr double kThreeEighths = 3.0 / 8.0;
constexpr std::array kMethods = {
    QuantileMethod{"linear"},
    QuantileMethod{"lower", Rounding::Lower},
    QuantileMethod{"higher", Rounding::Higher},
    QuantileMethod{"midpoint", Rounding::Midpoint},
    QuantileMethod{"nearest", Rounding::Nearest},
    QuantileMethod{"inverted_cdf", Rounding::Inverted, 0, 1},
    QuantileMethod{"closest_observation", Rounding::Closest, 0, 1},
    QuantileMethod{"averaged_inverted_cdf", Rounding::Averaged, 0, 1},
    QuantileMethod{"interpolated_inverted_cdf", Rounding::None, 0, 1},
    QuantileMethod{"hazen", Rounding::None, 0.5, 0.5},
    QuantileMethod{"weibull", Rounding::None, 0, 0},
    QuantileMethod{"median_unbiased", Rounding::None, kThird, kThird},
    QuantileMethod{"normal_unbiased", Rounding::None, kThreeEighths, kThreeEighths},
};

// The arithmetic of one place and of an array of places.
double floor_of(double x) {
    return std::floor(x);
}
Array floor_of(const Array& x) {
    return floor(x);
}
double ceil_of(double x) {
    return std::ceil(x);
}
Array ceil_of(const Array& x) {
    return ceil(x);
}
double nearest_to(double x) {  // of halves the even one
    return std::nearbyint(x);
}
Array nearest_to(const Array& x) {
    return round(x);
}
bool is_equal(double a, double b) {
    return a == b;
}
Array is_equal(const Array& a, double b) {
    return equal(a, Scalar(b));
}
bool are_both(bool a, bool b) {
    return a && b;
}
Array are_both(const Array& a, const Array& b) {
    return logical_and(a, b);
}
double either(bool condition, double a, double b) {
    return condition ? a : b;
}
Array either(const Array& condition, const Operand& a, const Operand& b) {
    return where(condition, a, b);
}
double inside(double place, double last) {
    return std::clamp(place, 0.0, last);
}
Array inside(const Array& place, const Array& last) {
    return maximum(minimum(place, last), Scalar(0.0));
}

template <class Number>
Number continuous_place(double q, const Number& last, const QuantileMethod& method) {
    if (method.alpha == 1 && method.beta == 1) return last * q;
    return (last + 1.0) * q + (method.alpha + q * (1 - method.alpha - method.beta)) - 1.0;
}

// The element below `place`, or the next one, within the elements.
template <class Number, class Condition>
QuantilePlace<Number> one_of(const Number& below, const Condition& takes_below,
                             const Number& last) {
    const Number chosen = inside(either(takes_below, below, below + 1.0), last);
    return {chosen, chosen, chosen * 0.0};
}

template <class Number>
QuantilePlace<Number> place(double q, const Number& last, const QuantileMethod& method) {
    const Number exact = continuous_place(q, last, method);
    const Number below = floor_of(exact);
    const auto element = [&](const Number& chosen) {
        const Number held = inside(chosen, last);
        return QuantilePlace<Number>{held, held, held * 0.0};
    };
    Number fraction = exact - below;
    switch (method.rounding) {
        case Rounding::Lower:
            return element(below);
        case Rounding::Higher:
            return element(ceil_of(exact));
        case Rounding::Nearest:
            return element(nearest_to(exact));
        case Rounding::Inverted:
            return one_of(below, is_equal(fraction, 0), last);
        case Rounding::Closest: {
            // Of two elements as near, the even one, counted from 1.
            const Number shifted = exact - 0.5;
            const Number lower = floor_of(shifted);
            const Number half = lower * 0.5;
            const auto is_odd = is_equal(half - floor_of(half), 0.5);
            return one_of(lower, are_both(is_equal(shifted - lower, 0), is_odd), last);
        }
        case Rounding::Averaged:
            fraction = either(is_equal(fraction, 0), fraction * 0.0 + 0.5, fraction * 0.0 + 1.0);
            break;
        case Rounding::Midpoint:
            fraction = (ceil_of(exact) - below) * 0.5;
            break;
        case Rounding::None:
            break;
    }
    const Number lower = inside(below, last);
    const Number upper = inside(below + 1.0, last);
    return {lower, upper, fraction};
}

}  // namespace

bool QuantileMethod::gives_elements() const noexcept {
    return rounding != Rounding::None && rounding != Rounding::Midpoint &&
           rounding != Rounding::Averaged;
}

const QuantileMethod& quantile_method(std::string_view name, std::string_view function) {
    std::string names;
    for (const QuantileMethod& method : kMethods) {
        if (method.name == name) return method;
        names.append(names.empty() ? "'" : ", '").append(method.name).append("'");
    }
    refuse_value("{} got method '{}'; methods are {}", function, name, names);
}

void require_quantile(double q, std::string_view function) {
    if (q >= 0 && q <= 1) return;
    refuse_value("{} got {} of the whole; quantiles are from 0 to 1, percentiles to 100", function,
                 q);
}

QuantilePlace<double> place_of(double q, double last, const QuantileMethod& method) {
    QuantilePlace<double> result = place(q, last, method);
    if (result.lower == result.upper) result.fraction = 0;
    return result;
}

QuantilePlace<Array> place_of(double q, const Array& last, const QuantileMethod& method) {
    QuantilePlace<Array> result = place(q, last, method);
    result.fraction = where(equal(result.lower, result.upper), Scalar(0.0), result.fraction);
    return result;
}

void require_order(const Array& array, const QuantileMethod& method, std::string_view function) {
    if (types::is_complex(kind_of(array))) {
        refuse_type("{} got {}; complex numbers have no order", function, array.dtype().name());
    }
    if (types::is_bool(kind_of(array)) && !method.gives_elements()) {
        refuse_type(
            "{} got bool, which has nothing between two elements; use method 'lower', 'higher', "
            "'nearest', 'inverted_cdf' or 'closest_observation', or astype",
            function);
    }
}

Array with_axes_last(const Array& array, const std::optional<std::vector<int>>& axes,
                     std::string_view function) {
    std::vector<int> last(static_cast<std::size_t>(array.ndim()));
    std::iota(last.begin(), last.end(), 0);
    if (axes) last = checked_axes(*axes, array.ndim(), function);
    std::vector<int> order;
    Shape shape;
    for (int axis = 0; axis < array.ndim(); ++axis) {
        if (std::ranges::find(last, axis) != last.end()) continue;
        order.push_back(axis);
        shape.push_back(array.shape()[axis]);
    }
    std::int64_t count = 1;
    for (const int axis : last) count *= array.shape()[axis];
    shape.push_back(count);
    order.insert(order.end(), last.begin(), last.end());
    return array.transpose(order).reshape(shape);
}

}  // namespace warpwise::array
