// What assignments, conditions and loops say of how far variables are apart, and what that says of
// sums and differences.
//
// Threading: used by one thread.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "src/script/narrow/linear.hpp"
#include "src/script/narrow/state.hpp"

namespace warpwise::script {

// In a state, which it does not change. Expressions are not visited for it: operands are known by
// their variables, constants and types.
class Relations {
  public:
    // Both outlive it.
    Relations(const Numbers& numbers, const State& state) : numbers_(numbers), state_(state) {}

    // Of a sum or difference with the interval `range`, of whose operands these are known.
    Interval of_sum(const ExpressionRef& value, const std::array<Interval, 2>& operands,
                    const Interval& range) const;
    // Where the variable is assigned the value, which is in the interval.
    std::vector<Difference> of_assignment(const Variable& variable, const ExpressionRef& value,
                                          const Interval& range) const;
    // Where the first is greater than the second by at least so much.
    std::optional<Difference> of_comparison(const ExpressionRef& greater, const ExpressionRef& less,
                                            Wide least) const;
    // Of the counter in the body of a loop that counts up (1) or down (-1), in the state before
    // it, where these variables change in the body.
    std::vector<Difference> of_counter(const Statement& loop, int direction,
                                       const std::set<const Variable*>& changing) const;

  private:
    struct Form {
        std::optional<Linear> linear;  // empty: no variables are known of it
        Interval range;                // of its value
    };

    Form form_of(const ExpressionRef& value, int depth) const;
    Form infix_form(const ExpressionRef& value, int depth) const;
    static Linear term(const Form& form);
    Wide apart_from(std::size_t variable, const ExpressionRef& value, bool is_less) const;
    std::set<std::size_t> relatives(const ExpressionRef& value) const;
    void add_variables(std::set<std::size_t>& to, const ExpressionRef& value, int depth) const;

    const Numbers& numbers_;
    const State& state_;
};

}  // namespace warpwise::script
