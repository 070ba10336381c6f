// Comparison with tolerances, and numbers taken apart and rounded.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "src/array/index/selection.hpp"
#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_numeric.hpp"

namespace warpwise {
namespace {

bool is_floating(Kind kind) {
    return types::is_real_float(kind) || types::is_complex(kind);
}

// The largest finite number of a kind of floats.
double largest(Kind kind) {
    switch (kind) {
        case Kind::Float16:
            return 65504.0;
        case Kind::BFloat16:
            return std::ldexp(1.9921875, 127);
        case Kind::Float32:
        case Kind::Complex64:
            return std::numeric_limits<float>::max();
        default:
            return std::numeric_limits<double>::max();
    }
}

// Whether `truth` holds everywhere; evaluates.
bool everywhere(const Array& truth) {
    return all(truth).item().as_bool();
}

Array finite_for(const Array& array, double nan, double positive, double negative) {
    const Scalar infinity(std::numeric_limits<double>::infinity());
    const Array above = where(equal(array, infinity), Scalar(positive), array);
    const Array below = where(equal(above, Scalar(-infinity.real())), Scalar(negative), above);
    return where(isnan(array), Scalar(nan), below);
}

// The kind that exponents are handled in: float64, exact for all narrower ones.
Array as_floats(const Array& array, const char* function) {
    array::require_numbers(array, function);
    const Kind kind = array::kind_of(array);
    if (types::is_complex(kind)) {
        array::refuse_type("{} got {}; give real numbers", function, array.dtype().name());
    }
    return array::converted(array, types::floating_kind(kind));
}

Array power_of_two(const Array& exponents) {
    return exp2(array::converted(exponents, Kind::Float64));
}

// wide * 2**exponents in float64, rounded once: all factors but the last are exact.
Array scaled(const Array& wide, const Array& exponents) {
    constexpr std::int64_t kStep = 1000;
    const Array all = minimum(maximum(exponents, Scalar(-3 * kStep)), Scalar(3 * kStep));
    const Array last = minimum(maximum(all, Scalar(-kStep)), Scalar(kStep));
    const Array rest = subtract(all, last);
    const Array second = minimum(maximum(rest, Scalar(-kStep)), Scalar(kStep));
    const Array first = subtract(rest, second);
    return multiply(multiply(multiply(wide, power_of_two(first)), power_of_two(second)),
                    power_of_two(last));
}

}  // namespace

Array isclose(const Operand& a, const Operand& b, double relative, double absolute,
              bool equal_nan) {
    const auto kind = [](const Operand& operand) {
        return operand.array() != nullptr ? array::kind_of(*operand.array())
                                          : operand.scalar().kind();
    };
    // Distances of integers are those of float64, as NumPy's.
    Operand second = b;
    std::optional<Array> wide;
    if (b.array() != nullptr && !is_floating(kind(b))) {
        wide = array::converted(*b.array(), Kind::Float64);
        second = *wide;
    } else if (b.array() == nullptr && !is_floating(b.scalar().kind())) {
        second = Scalar(b.scalar().real());
    }
    const Array distance = abs(subtract(a, second));
    const Array size = abs(second);
    const Array limit = add(multiply(size, Scalar(relative)), Scalar(absolute));
    Array close =
        logical_or(logical_and(less_equal(distance, limit), isfinite(second)), equal(a, second));
    if (equal_nan) close = logical_or(close, logical_and(isnan(a), isnan(second)));
    return close;
}

bool allclose(const Operand& a, const Operand& b, double relative, double absolute,
              bool equal_nan) {
    return everywhere(isclose(a, b, relative, absolute, equal_nan));
}

bool array_equal(const Array& a, const Array& b, bool equal_nan) {
    array::require_same_device(a, b, "array_equal");
    if (!(a.shape() == b.shape())) return false;
    Array same = equal(a, b);
    if (equal_nan) same = logical_or(same, logical_and(isnan(a), isnan(b)));
    return everywhere(same);
}

Array angle(const Array& array, bool degrees) {
    const bool is_complex = types::is_complex(array::kind_of(array));
    const Array result = is_complex ? atan2(imag(array), real(array)) : atan2(Scalar(0), array);
    return degrees ? multiply(result, Scalar(180.0 / std::numbers::pi)) : result;
}

Array sinc(const Array& array) {
    const Array at =
        multiply(where(equal(array, Scalar(0)), Scalar(1e-20), array), Scalar(std::numbers::pi));
    // float16 has no 1e-20: its limit is set.
    return where(equal(array, Scalar(0)), Scalar(1.0), divide(sin(at), at));
}

Array nan_to_num(const Array& array, double nan, std::optional<double> positive,
                 std::optional<double> negative) {
    const Kind kind = array::kind_of(array);
    array::require_numbers(array, "nan_to_num");
    if (!is_floating(kind)) return copy(array);
    const double high = positive.value_or(largest(kind));
    const double low = negative.value_or(-largest(kind));
    if (!types::is_complex(kind)) return finite_for(array, nan, high, low);
    const Array result = empty_like(array);
    result.real().assign(finite_for(array.real(), nan, high, low));
    result.imag().assign(finite_for(array.imag(), nan, high, low));
    return result;
}

Array round(const Array& array, int decimals) {
    array::require_numbers(array, "round");
    const Kind kind = array::kind_of(array);
    if (decimals == 0) return round(array);
    if (types::is_integer(kind) || types::is_bool(kind)) {
        if (decimals > 0) return copy(array);
        const Scalar unit(std::pow(10.0, -decimals));
        const Array tens = round(divide(array::converted(array, Kind::Float64), unit));
        return array::converted(multiply(tens, unit), kind);
    }
    const Scalar factor(std::pow(10.0, std::abs(decimals)));
    return decimals > 0 ? divide(round(multiply(array, factor)), factor)
                        : multiply(round(divide(array, factor)), factor);
}

Array fix(const Array& array) {
    return trunc(array);
}

std::pair<Array, Array> modf(const Array& array) {
    const Array x = as_floats(array, "modf");
    const Array whole = trunc(x);
    const Array rest = copysign(subtract(x, whole), x);
    return {where(isinf(x), copysign(Scalar(0.0), x), rest), whole};
}

std::pair<Array, Array> frexp(const Array& array) {
    const Array x = as_floats(array, "frexp");
    const Array wide = array::converted(x, Kind::Float64);
    const Array is_plain = logical_and(isfinite(wide), not_equal(wide, Scalar(0.0)));
    const Array is_tiny = less(abs(wide), Scalar(std::numeric_limits<double>::min()));
    const Array normal = where(is_tiny, multiply(wide, Scalar(std::ldexp(1.0, 54))), wide);
    // The bits of float64 are its exponent's: a view of what is stored.
    const Array bits = ascontiguousarray(normal).reshape(Shape{-1}).view(int64).reshape(x.shape());
    const Array field = bitwise_and(bitwise_right_shift(bits, Scalar(52)), Scalar(2047));
    const Array exponent =
        subtract(subtract(field, Scalar(1022)), where(is_tiny, Scalar(54), Scalar(0)));
    const Array known = where(is_plain, exponent, Scalar(0));
    const Array mantissa = where(is_plain, scaled(wide, negative(known)), wide);
    return {array::converted(mantissa, array::kind_of(x)), array::converted(known, Kind::Int32)};
}

Array ldexp(const Array& array, const Operand& exponents) {
    const Array x = as_floats(array, "ldexp");
    const Kind kind = exponents.array() != nullptr ? array::kind_of(*exponents.array())
                                                   : exponents.scalar().kind();
    if (!types::is_integer(kind) && !types::is_bool(kind)) {
        array::refuse_type("ldexp got exponents of {}; they must be integers", DType(kind).name());
    }
    const Array exponent =
        exponents.array() != nullptr
            ? array::converted(*exponents.array(), Kind::Int64)
            : array::constant(exponents.scalar(), Kind::Int64, Shape{}, array::context_of(array));
    return array::converted(scaled(array::converted(x, Kind::Float64), exponent),
                            array::kind_of(x));
}

Array select(std::span<const Array* const> conditions, std::span<const Array* const> choices,
             const Operand& otherwise) {
    if (conditions.size() != choices.size() || conditions.empty()) {
        array::refuse_value("select got {} conditions for {} choices; give one for each",
                            conditions.size(), choices.size());
    }
    for (const Array* condition : conditions) {
        if (array::kind_of(*condition) == Kind::Bool) continue;
        array::refuse_type("select got a condition of {}; it must be bool",
                           condition->dtype().name());
    }
    std::vector<Operand> operands{otherwise};
    for (const Array* choice : choices) operands.emplace_back(*choice);
    const Kind kind = result_type(operands).kind();
    std::optional<Array> result;
    for (std::size_t i = conditions.size(); i-- > 0;) {
        const Array choice = array::converted(*choices[i], kind);
        result = result ? where(*conditions[i], choice, *result)
                        : where(*conditions[i], choice, otherwise);
    }
    return *result;
}

Array choose(const Array& index, std::span<const Array* const> choices, std::string_view mode) {
    if (choices.empty()) array::refuse_value("choose got no choices; give at least one");
    if (!types::is_integer(array::kind_of(index)) && !types::is_bool(array::kind_of(index))) {
        array::refuse_type("choose got an index of {}; it must hold integers",
                           index.dtype().name());
    }
    std::vector<Operand> operands;
    std::vector<Shape> shapes{index.shape()};
    for (const Array* choice : choices) {
        array::require_same_device(index, *choice, "choose");
        operands.emplace_back(*choice);
        shapes.push_back(choice->shape());
    }
    broadcast_shapes(shapes);
    const Array whole = array::converted(index, Kind::Int64);
    const Array at = array::bounded(whole, static_cast<std::int64_t>(choices.size()),
                                    array::index_mode(mode, "choose"), 0, "choose");
    const Kind kind = result_type(operands).kind();
    Array result = array::converted(*choices[0], kind);
    for (std::size_t i = 1; i < choices.size(); ++i) {
        result = where(equal(at, Scalar(static_cast<std::int64_t>(i))), *choices[i], result);
    }
    return choices.size() == 1 ? where(equal(at, Scalar(0)), result, result) : result;
}

}  // namespace warpwise
