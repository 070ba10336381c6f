// Lower bounds of whole numbers that conditions establish: under `if i > 0`, i - 1 is no negative
// index.
//
// Threading: used by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "src/script/typed.hpp"

namespace warpwise::script {

class Facts {
  public:
    // What follows where the condition is true, or false. Of variables that are assigned once only.
    void assume(const ExpressionRef& condition, bool holds);
    // The variable has a new value.
    void forget(const Variable& variable) { lower_.erase(&variable); }
    // Of whole numbers; empty: none is known.
    std::optional<std::int64_t> lower_bound(const ExpressionRef& value) const;

  private:
    void raise(const ExpressionRef& value, std::int64_t least);
    void compare(std::string_view op, const ExpressionRef& a, const ExpressionRef& b);

    std::map<const Variable*, std::int64_t> lower_;
};

// Whether a value of a loop's turn makes the variable grow by a factor, h = h * 33 + c: few turns
// then pass 2^63, from where it is negative.
bool grows(const ExpressionRef& value, const Variable& variable);

}  // namespace warpwise::script
