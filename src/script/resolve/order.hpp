// What follows from types alone, where what has the type acts: it is evaluated all the same.
//
// Threading: pure.
#pragma once

#include <optional>

#include "src/script/typed.hpp"

namespace warpwise::script {

// `known`, behind `value` where that acts.
ExpressionRef behind(const ExpressionRef& value, ExpressionRef known);
// The truth of a condition that behind() made; nothing for others.
std::optional<bool> truth_behind(const ExpressionRef& condition);

}  // namespace warpwise::script
