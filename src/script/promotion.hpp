// The types that operators make of their operands: Numba's rules.
//
// Integers are computed with 64 bits, signed where one operand is; float32 stays float32 beside
// float32, small integers and bool, and becomes float64 beside others. A variable that is assigned
// several types is of the type that holds them all.
//
// Threading: pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "src/script/type.hpp"

namespace warpwise::script {

// The type of a variable that holds both; empty: there is none. Unknown gives way to anything.
std::optional<Type> unified(Type a, Type b);
// The same for numbers.
Kind unified(Kind a, Kind b) noexcept;

// Of "+", "-", "*", "//", "%", "/", "**", "&", "|", "^", "<<", ">>"; empty where there is no such
// operation on these kinds. Not for Unknown.
std::optional<Kind> binary_kind(std::string_view op, Kind a, Kind b) noexcept;
// Of "-", "+", "~".
std::optional<Kind> unary_kind(std::string_view op, Kind a) noexcept;
// The kind that functions of real numbers compute with: float32 and float16 as they are, all else
// float64.
Kind real_kind(Kind kind) noexcept;
// What sums and products of elements, or their mean, are computed in: NumPy's types, but of
// float16.
Type total_type(Type element, bool is_mean);

}  // namespace warpwise::script
