// Which type an operation on several types has: NumPy 2's rules (NEP 50), which extend the array
// API's. Pure functions.
#pragma once

#include <span>

#include "warpwise/dtype.hpp"
#include "warpwise/scalar.hpp"

namespace warpwise::types {

constexpr bool is_bool(Kind kind) {
    return kind == Kind::Bool;
}
constexpr bool is_signed(Kind kind) {
    return kind == Kind::Int8 || kind == Kind::Int16 || kind == Kind::Int32 || kind == Kind::Int64;
}
constexpr bool is_unsigned(Kind kind) {
    return kind == Kind::UInt8 || kind == Kind::UInt16 || kind == Kind::UInt32 ||
           kind == Kind::UInt64;
}
constexpr bool is_integer(Kind kind) {
    return is_signed(kind) || is_unsigned(kind);
}
constexpr bool is_real_float(Kind kind) {
    return kind == Kind::Float16 || kind == Kind::BFloat16 || kind == Kind::Float32 ||
           kind == Kind::Float64;
}
constexpr bool is_complex(Kind kind) {
    return kind == Kind::Complex64 || kind == Kind::Complex128;
}
// What arithmetic is defined for: neither void, struct nor pointer.
constexpr bool is_number(Kind kind) {
    return is_bool(kind) || is_integer(kind) || is_real_float(kind) || is_complex(kind);
}

// The smallest kind both convert to without loss of category: int8 with uint8 is int16, int64 with
// uint64 float64, float16 with bfloat16 float32. Both are numbers.
Kind promote(Kind a, Kind b) noexcept;
// The type of the weak scalar beside values of `kind`: `kind` where the scalar's category (bool <
// integer < real < complex) is at most that of `kind`, else the default kind of its category (an
// int beside bool is int64) or the complex or real kind of the same width (2.0 beside float16 is
// float16, 1j beside float32 is complex64). Throws ArgumentError where an integer does not fit the
// integer kind, as NumPy's OverflowError does.
Kind promote_weak(Kind kind, const Scalar& scalar);
// The kind of a weak scalar beside nothing but weak ones: bool, int64, float64, complex128.
Kind default_kind(const Scalar& scalar) noexcept;

// complex64 -> float32; real kinds themselves.
Kind real_kind(Kind kind) noexcept;
// float32 -> complex64; float16 and bfloat16 -> complex64; complex kinds themselves.
Kind complex_kind(Kind kind) noexcept;
// The floating kind of a function such as sin of this kind, as NumPy has it: bool, int8 and uint8
// float16; int16 and uint16 float32; wider integers float64; floats and complex themselves.
Kind floating_kind(Kind kind) noexcept;
// NumPy's can_cast(from, to, "same_kind").
bool can_cast_same_kind(Kind from, Kind to) noexcept;

}  // namespace warpwise::types
