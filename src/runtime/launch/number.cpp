// Conversion is by value: a number's own type does not matter.
#include "src/runtime/launch/number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace warpwise::runtime {
namespace {

using Form = Argument::Form;

template <class T>
bool put(T value, std::byte* destination) noexcept {
    std::memcpy(destination, &value, sizeof value);
    return true;
}

template <class T>
bool put_integer(const Argument& number, std::byte* destination) noexcept {
    using Limits = std::numeric_limits<T>;
    switch (number.form()) {
        case Form::Bool:
        case Form::Int: {
            const std::int64_t value = number.as_int();
            return std::in_range<T>(value) && put(static_cast<T>(value), destination);
        }
        case Form::UInt: {
            const std::uint64_t value = number.as_uint();
            return std::in_range<T>(value) && put(static_cast<T>(value), destination);
        }
        case Form::Float: {
            const double value = number.real();
            // One past the largest value is a power of two, which a double holds exactly.
            const double end = std::ldexp(1.0, Limits::digits);
            const bool fits = std::trunc(value) == value && value < end &&
                              value >= static_cast<double>(Limits::min());
            return fits && put(static_cast<T>(value), destination);
        }
        default:
            return false;
    }
}

bool put_bool(const Argument& number, std::byte* destination) noexcept {
    std::uint8_t value = 0;
    std::byte* const bytes = reinterpret_cast<std::byte*>(&value);
    return put_integer<std::uint8_t>(number, bytes) && value <= 1 && put(value, destination);
}

std::optional<double> real_value(const Argument& number) noexcept {
    switch (number.form()) {
        case Form::Bool:
        case Form::Int:
            return static_cast<double>(number.as_int());
        case Form::UInt:
            return static_cast<double>(number.as_uint());
        case Form::Float:
            return number.real();
        default:
            return std::nullopt;
    }
}

bool put_float(double value, std::byte* destination) noexcept {
    const float rounded = static_cast<float>(value);
    if (std::isinf(rounded) && !std::isinf(value)) return false;
    return put(rounded, destination);
}

// A 16-bit format by the number of its mantissa bits and its smallest normal exponent.
bool put_small(double value, int mantissa_bits, int min_exponent, std::byte* destination) noexcept {
    const int exponent_bits = 15 - mantissa_bits;
    const unsigned infinity = ((1u << exponent_bits) - 1) << mantissa_bits;
    const unsigned sign = std::signbit(value) ? 0x8000u : 0u;
    if (std::isnan(value)) {
        return put(static_cast<std::uint16_t>(sign | infinity | 1u << (mantissa_bits - 1)),
                   destination);
    }
    if (std::isinf(value)) return put(static_cast<std::uint16_t>(sign | infinity), destination);
    if (value == 0) return put(static_cast<std::uint16_t>(sign), destination);
    int exponent = 0;
    std::frexp(value, &exponent);
    exponent = std::max(exponent - 1, min_exponent);
    // In units of the last place; a carry out of the mantissa raises the exponent by itself.
    const double units = std::nearbyint(std::ldexp(std::fabs(value), mantissa_bits - exponent));
    const unsigned biased = static_cast<unsigned>(exponent - min_exponent) << mantissa_bits;
    const unsigned bits = biased + static_cast<unsigned>(units);
    if (bits >= infinity) return false;
    return put(static_cast<std::uint16_t>(sign | bits), destination);
}

bool put_real(double value, Kind kind, std::byte* destination) noexcept {
    switch (kind) {
        case Kind::Float16:
            return put_small(value, 10, -14, destination);
        case Kind::BFloat16:
            return put_small(value, 7, -126, destination);
        case Kind::Float32:
            return put_float(value, destination);
        default:
            return put(value, destination);
    }
}

// Two numbers in a row: complex types take real numbers too, vectors only complex ones.
bool put_pair(const Argument& number, Kind kind, bool takes_real, std::byte* destination) noexcept {
    double real = 0;
    double imaginary = 0;
    if (number.form() == Form::Complex) {
        real = number.real();
        imaginary = number.imaginary();
    } else if (const auto value = real_value(number); value && takes_real) {
        real = *value;
    } else {
        return false;
    }
    const std::size_t size = kind == Kind::Float32 ? sizeof(float) : sizeof(double);
    std::byte pair[2 * sizeof(double)];
    if (!put_real(real, kind, pair) || !put_real(imaginary, kind, pair + size)) return false;
    std::memcpy(destination, pair, 2 * size);
    return true;
}

}  // namespace

bool write_number(const Argument& number, const DType& dtype, std::byte* destination) noexcept {
    const Kind kind = dtype.kind();
    if (dtype.lanes() == 2 && (kind == Kind::Float32 || kind == Kind::Float64)) {
        return put_pair(number, kind, false, destination);
    }
    if (dtype.lanes() != 1) return false;
    switch (kind) {
        case Kind::Bool:
            return put_bool(number, destination);
        case Kind::Int8:
            return put_integer<std::int8_t>(number, destination);
        case Kind::UInt8:
            return put_integer<std::uint8_t>(number, destination);
        case Kind::Int16:
            return put_integer<std::int16_t>(number, destination);
        case Kind::UInt16:
            return put_integer<std::uint16_t>(number, destination);
        case Kind::Int32:
            return put_integer<std::int32_t>(number, destination);
        case Kind::UInt32:
            return put_integer<std::uint32_t>(number, destination);
        case Kind::Int64:
            return put_integer<std::int64_t>(number, destination);
        case Kind::UInt64:
            return put_integer<std::uint64_t>(number, destination);
        case Kind::Complex64:
            return put_pair(number, Kind::Float32, true, destination);
        case Kind::Complex128:
            return put_pair(number, Kind::Float64, true, destination);
        case Kind::Float16:
        case Kind::BFloat16:
        case Kind::Float32:
        case Kind::Float64: {
            const auto value = real_value(number);
            return value && put_real(*value, kind, destination);
        }
        default:
            return false;
    }
}

namespace {

struct NumberPlace {
    DType dtype;
    std::size_t offset = 0;
};

// Where the numbers of a vector or struct lie; false for what holds something else.
bool find_places(const DType& dtype, std::size_t offset, std::vector<NumberPlace>& places) {
    if (dtype.kind() == Kind::Void || dtype.kind() == Kind::Pointer) return false;
    if (dtype.kind() != Kind::Struct) {
        const DType lane(dtype.kind());
        for (int i = 0; i < dtype.lanes(); ++i) {
            places.push_back({lane, offset + static_cast<std::size_t>(i) * lane.size()});
        }
        return true;
    }
    for (const StructField& field : dtype.fields()->fields) {
        for (std::size_t i = 0; i < field.count; ++i) {
            const std::size_t at = offset + field.offset + i * field.dtype.size();
            if (!find_places(field.dtype, at, places)) return false;
        }
    }
    return true;
}

}  // namespace

std::string write_numbers(std::span<const Argument> values, const DType& dtype, bool is_dim3,
                          std::byte* destination) {
    std::vector<NumberPlace> places;
    if (!find_places(dtype, 0, places)) {
        return "; it does not hold numbers alone: pass a value of its own type";
    }
    const bool may_be_short = is_dim3 && !values.empty() && values.size() <= places.size();
    if (values.size() != places.size() && !may_be_short) {
        return fmt::format("; it takes {} numbers, not {}",
                           is_dim3 ? "1 to 3" : fmt::to_string(places.size()), values.size());
    }
    const Argument one = Argument::python_int(1);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const Argument& value = i < values.size() ? values[i] : one;
        if (value.form() <= Form::Complex &&
            write_number(value, places[i].dtype, destination + places[i].offset)) {
            continue;
        }
        return fmt::format("; its number {} does not fit {}", i + 1, places[i].dtype.name());
    }
    return {};
}

DType type_for_size(const Argument& number, std::uint32_t size) noexcept {
    if (number.from().kind() != Kind::Void) return number.from();
    const bool is_real = number.form() == Form::Float;
    switch (size) {
        case 4:
            if (is_real) return float32;
            return number.form() == Form::UInt || number.as_int() > INT32_MAX ? uint32 : int32;
        case 8:
            if (is_real) return float64;
            return number.form() == Form::UInt ? uint64 : int64;
        case 2:
            return is_real ? DType(Kind::Float16) : int16;
        case 1:
            return int8;
        default:
            return number.from();
    }
}

}  // namespace warpwise::runtime
