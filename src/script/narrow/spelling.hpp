// Expressions with 32 bits in place of 64.
//
// Threading: pure functions.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "src/script/narrow/interval.hpp"
#include "src/script/typed.hpp"

namespace warpwise::script {

// A whole number of 64 bits.
bool is_wide(Type type);
bool fits(const Interval& range, Type type);
// The types of 32 bits, the one that is like it first.
std::array<Type, 2> narrow_types(Type type);

std::shared_ptr<Expression> with_range(const Expression& value, Type type, const Interval& range);
ExpressionRef with_operands(const ExpressionRef& value, std::vector<ExpressionRef> operands);
ExpressionRef conversion(const ExpressionRef& value, Type type, const Interval& range);
// To a type of 32 bits that has the range, the one that is like the type first; null: none has.
ExpressionRef narrow_conversion(const ExpressionRef& value, Type like, const Interval& range);

}  // namespace warpwise::script
