// Numbers into a kernel's parameters: only values that fit are converted.
//
// Whole numbers and bool take a number that has exactly one of their values; floating-point types
// take the nearest, unless a finite value would become infinite.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "warpwise/dtype.hpp"
#include "warpwise/kernel.hpp"

namespace warpwise::runtime {

// Writes `number` (of form Bool, Int, UInt, Float or Complex) as a value of `dtype`; false, with
// nothing written, when it does not fit.
bool write_number(const Argument& number, const DType& dtype, std::byte* destination) noexcept;

// The same for the numbers that most launches pass, where nothing has to be converted but the size.
// False as well for a number that write_number() takes.
inline bool write_plain_number(const Argument& number, Kind kind, std::byte* destination) noexcept {
    const auto put = [destination](auto value) {
        std::memcpy(destination, &value, sizeof value);
        return true;
    };
    if (number.form() == Argument::Form::Int) {
        const std::int64_t value = number.as_int();
        switch (kind) {
            case Kind::Int32:
                return std::in_range<std::int32_t>(value) && put(static_cast<std::int32_t>(value));
            case Kind::UInt32:
                return std::in_range<std::uint32_t>(value) &&
                       put(static_cast<std::uint32_t>(value));
            case Kind::Int64:
                return put(value);
            case Kind::UInt64:
                return value >= 0 && put(value);
            default:
                return false;
        }
    }
    if (number.form() != Argument::Form::Float) return false;
    if (kind == Kind::Float64) return put(number.real());
    // NaN and what is near the limits or beyond goes the long way.
    return kind == Kind::Float32 && std::fabs(number.real()) < 1e38 &&
           put(static_cast<float>(number.real()));
}

// Writes `values` as the lanes of a vector or as the fields of a struct, in their order. Empty, or
// what is wrong, as the end of a message: "; it takes 4 numbers, not 3". Fields are numbers,
// vectors, arrays and structs of numbers. `is_dim3`: missing extents are 1.
std::string write_numbers(std::span<const Argument> values, const DType& dtype, bool is_dim3,
                          std::byte* destination);

// The type a number is passed as where a parameter has a size only: its own, where it has one.
DType type_for_size(const Argument& number, std::uint32_t size) noexcept;

}  // namespace warpwise::runtime
