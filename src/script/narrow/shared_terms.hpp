// The least or greatest of sums with a common term: max(x - g, y - g) is max(x, y) - g where no
// difference passes its type. One sum less, and a comparison that may need 32 bits alone.
//
// Threading: pure, as is `range_of`.
#pragma once

#include <functional>

#include "src/script/narrow/interval.hpp"
#include "src/script/typed.hpp"

namespace warpwise::script {

// Of a call of __ww_py_min or __ww_py_max of whole numbers, whose operands may be such calls too.
// Null where no two sums have a common term. `range_of`: all values of an expression.
ExpressionRef with_shared_term(const ExpressionRef& value,
                               const std::function<Interval(const ExpressionRef&)>& range_of);

}  // namespace warpwise::script
