// How large whole numbers may be: whether the 64 bits that they are computed with hold them.
//
// `is_never_negative` is of the number that Python would have, which has any size. Where that
// number may have more than 63 bits, what is computed may be negative all the same: an index is out
// of range then either way, but //, %, >> and comparisons see the sign.
//
// Threading: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "src/script/typed.hpp"

namespace warpwise::script {

constexpr std::uint64_t kMostWhole = INT64_MAX;
constexpr std::uint64_t kAnyMagnitude = UINT64_MAX;

// The absolute value is not above it; kAnyMagnitude: nothing is known.
std::uint64_t magnitude(const ExpressionRef& value);
std::uint64_t magnitude_of_type(Type type, bool is_never_negative);

// Of the results of operators, and of conversions.
std::uint64_t magnitude_of_infix(std::string_view op, const ExpressionRef& a,
                                 const ExpressionRef& b, Type type);
std::uint64_t magnitude_of_cast(const ExpressionRef& value, Type type);

// Whether what is computed is never negative, not only the number that Python would have.
bool is_surely_natural(const ExpressionRef& value);

// Of the counter of range(start, stop, step).
std::uint64_t magnitude_of_range(const std::vector<ExpressionRef>& range);
// The same value with this bound.
ExpressionRef with_most(const ExpressionRef& value, std::optional<std::uint64_t> most);

// Whether a sum or product passes 64 bits by constants that no index has: i * 3_000_000_000 * i.
bool has_large_constants(const Expression& value);

// Whether the 64 bits of a sum or product go on from the other end where it passes them, as hashes
// do: C++ compilers take it for never negative else, because its operands are.
bool is_cut(const Expression& value);

// The number is assigned to the variable; true where the variable may be larger than before. Sums
// of a variable and of less than 2^32, and of numbers and such constants, need billions of turns to
// pass 2^62; no loop goes on to there while a condition bounds the variable.
bool enlarge(Variable& variable, const ExpressionRef& value, bool is_bounded);
bool enlarge(std::uint64_t& most, std::uint64_t to);

}  // namespace warpwise::script
