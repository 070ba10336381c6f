// A 16-bit float with E exponent and M mantissa bits is the upper part of a double with a narrower
// exponent: both formats go through one function.
#include "src/types/half.hpp"

#include <cmath>

namespace warpwise::types {
namespace {

struct Format {
    int mantissa;  // bits stored
    int bias;      // of the exponent
};

constexpr Format kFloat16{.mantissa = 10, .bias = 15};
constexpr Format kBFloat16{.mantissa = 7, .bias = 127};

std::uint16_t rounded(double value, Format format) noexcept {
    const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
    const int largest_exponent = 2 * format.bias + 1;
    const auto infinity = static_cast<std::uint16_t>(largest_exponent << format.mantissa);
    if (std::isnan(value)) {
        return static_cast<std::uint16_t>(sign | infinity | (1 << (format.mantissa - 1)));
    }
    if (std::isinf(value)) return static_cast<std::uint16_t>(sign | infinity);
    const double magnitude = std::fabs(value);
    int exponent = 0;
    std::frexp(magnitude, &exponent);  // magnitude < 2^exponent
    // The place of the last bit: fixed below the least normal number. Rounding up to the next
    // power of two carries into the exponent bits by itself, as it should.
    const int least = 1 - format.bias;
    const int scale = (magnitude == 0 || exponent - 1 < least) ? least : exponent - 1;
    const double in_units = std::ldexp(magnitude, format.mantissa - scale);
    // The default rounding mode is to nearest even, and in_units is exact: it has 53 bits at most,
    // scaled by a power of two far from the limits of double.
    const double units = std::nearbyint(in_units);
    const std::int64_t bits = static_cast<std::int64_t>(units) +
                              (static_cast<std::int64_t>(scale - least) << format.mantissa);
    return static_cast<std::uint16_t>(sign | (bits > infinity ? infinity : bits));
}

double widened(std::uint16_t bits, Format format) noexcept {
    const int exponent = (bits & 0x7fff) >> format.mantissa;
    const int mantissa = bits & ((1 << format.mantissa) - 1);
    double magnitude = 0;
    if (exponent == 2 * format.bias + 1) {
        magnitude = mantissa == 0 ? HUGE_VAL : std::nan("");
    } else if (exponent == 0) {
        magnitude = std::ldexp(mantissa, 1 - format.bias - format.mantissa);
    } else {
        magnitude =
            std::ldexp(mantissa + (1 << format.mantissa), exponent - format.bias - format.mantissa);
    }
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace

std::uint16_t float16_bits(double value) noexcept {
    return rounded(value, kFloat16);
}

std::uint16_t bfloat16_bits(float value) noexcept {
    return rounded(static_cast<double>(value), kBFloat16);
}

double float16_value(std::uint16_t bits) noexcept {
    return widened(bits, kFloat16);
}

double bfloat16_value(std::uint16_t bits) noexcept {
    return widened(bits, kBFloat16);
}

}  // namespace warpwise::types
