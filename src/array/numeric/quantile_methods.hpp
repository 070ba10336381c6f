// Where a quantile lies among sorted elements: NumPy's methods.
//
// Source: R. J. Hyndman and Y. Fan, "Sample Quantiles in Statistical Packages", The American
// Statistician 50 (1996); "lower", "higher", "midpoint" and "nearest" are NumPy's own.
//
// Threading: any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "warpwise/array.hpp"

namespace warpwise::array {

struct QuantileMethod {
    enum class Rounding { None, Lower, Higher, Midpoint, Nearest, Inverted, Closest, Averaged };

    std::string_view name;
    Rounding rounding = Rounding::None;
    // The place of quantile q among n elements is n q + alpha + q (1 - alpha - beta) - 1.
    double alpha = 1;
    double beta = 1;

    // Whether quantiles are elements, never between two of them.
    bool gives_elements() const noexcept;
};

// Throws ArgumentError, naming `function`, for a name that is no method's.
const QuantileMethod& quantile_method(std::string_view name, std::string_view function);
// The same for a q that is not in [0, 1].
void require_quantile(double q, std::string_view function);

// The same for complex numbers, and for bool by a method that takes values between two elements.
void require_order(const Array& array, const QuantileMethod& method, std::string_view function);
// The array with the reduced axes as one, the last.
Array with_axes_last(const Array& array, const std::optional<std::vector<int>>& axes,
                     std::string_view function);

// Between two elements at a fraction of the way; 0 where they are one.
template <class Number>
struct QuantilePlace {
    Number lower;
    Number upper;
    Number fraction;
};
// `last`: the place of the last element, from 0 on; of each row for an array of float64.
QuantilePlace<double> place_of(double q, double last, const QuantileMethod& method);
QuantilePlace<Array> place_of(double q, const Array& last, const QuantileMethod& method);

}  // namespace warpwise::array
