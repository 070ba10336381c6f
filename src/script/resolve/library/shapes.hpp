// Shapes of arrays that are known when compiled.
//
// Threading: plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/script/typed.hpp"

namespace warpwise::script {

using Shape = std::vector<std::int64_t>;

// Of arrays that are made of their elements, each by an expression.
inline constexpr std::int64_t kMostWritten = 256;

std::int64_t count_of(const Shape& shape);
// The next place in the order of C; false behind the last.
bool advance(Shape& place, const Shape& shape);
// As Python writes it: "(3,)".
std::string text_of_shape(const Shape& shape);
// The numbers of a tuple, and of those in it, one after the other.
void add_numbers(const ExpressionRef& value, std::vector<ExpressionRef>& numbers);

}  // namespace warpwise::script
