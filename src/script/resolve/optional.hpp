// What may be None: its syntax, and the types of results that may be.
//
// Threading: pure.
#pragma once

#include "src/script/syntax.hpp"
#include "src/script/typed.hpp"

namespace warpwise::script {

bool is_none_literal(const Syntax& node);
// A conditional expression of which a branch is None, or such an expression.
bool is_choice(const Syntax& node);

// Null where the type has none.
ExpressionRef zero_of(Type type);

// Of a function that returns a value or None: a tuple of the value and whether there is one.
bool is_optional(Type type);
Type optional_type(Type value);

}  // namespace warpwise::script
