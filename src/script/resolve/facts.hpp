// Lower bounds of whole numbers that conditions establish: under `if i > 0`, i - 1 is no negative
// index.
//
// Threading: used by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "src/script/typed.hpp"

namespace warpwise::script {

class Facts {
  public:
    // What follows where the condition is true, or false.
    void assume(const ExpressionRef& condition, bool holds);
    // The variable of a whole number has a new value, here and in what is behind, whichever way
    // leads there.
    void forget(const Variable& variable) { clock_->assigned[&variable] = ++clock_->now; }
    // The variable, which has been forgotten, is the value from here on.
    void assigned(const ExpressionRef& variable, const ExpressionRef& value);
    // A loop begins, of which each turn may assign what its body assigns.
    void enter_loop();
    // The value is at least so much; the second is at least as much less than the first.
    void raise(const ExpressionRef& value, std::int64_t least);
    void part(const ExpressionRef& greater, const ExpressionRef& less, std::int64_t least);
    // Of whole numbers; empty: none is known.
    std::optional<std::int64_t> lower_bound(const ExpressionRef& value) const;
    // The variable, which nothing else assigns to, is within these bounds.
    void confine(const Variable& variable, std::int64_t least, std::int64_t most) {
        spans_[&variable] = {least, most};
    }
    // What x % modulus is: x or x + modulus or x - modulus, where x is the value or, where
    // `has_modulus`, that less the modulus. Empty: that is not known.
    struct Turn {
        bool has_modulus = false;
        bool is_below = false;  // x may be negative
        bool is_above = false;  // x may be the modulus or more
    };
    std::optional<Turn> turn(const ExpressionRef& value, const ExpressionRef& modulus) const;
    // Whether the first is at least the second.
    bool reaches(const ExpressionRef& a, const ExpressionRef& b) const;

  private:
    struct Bound {
        std::int64_t least;
        std::uint64_t since;
    };
    // Of all copies: when variables were assigned.
    struct Clock {
        std::uint64_t now = 0;
        std::map<const Variable*, std::uint64_t> assigned;
        // Of parameters that nothing is assigned to, by the axis; they stand for a value, no name.
        std::map<std::pair<const Variable*, std::string>, std::unique_ptr<const Variable>> extents;
    };
    using Pair = std::pair<const Variable*, const Variable*>;
    using Span = std::pair<std::int64_t, std::int64_t>;  // the least and the most
    // A sum of a variable, of the modulus or not, and of what lies in a span.
    struct Sum {
        ExpressionRef variable;
        int moduli = 0;
        Span rest{0, 0};
    };

    const Variable* extent_of(const ExpressionRef& value) const;
    std::pair<const Variable*, std::int64_t> of_variable(const ExpressionRef& given) const;
    std::optional<Span> span_of(const ExpressionRef& value) const;
    bool add(Sum& sum, const ExpressionRef& value, const Variable& modulus) const;
    bool holds(const Bound& bound, const Variable* variable) const;
    void compare(std::string_view op, const ExpressionRef& a, const ExpressionRef& b);
    std::optional<std::int64_t> difference(const ExpressionRef& a, const ExpressionRef& b) const;

    std::shared_ptr<Clock> clock_ = std::make_shared<Clock>();
    std::map<const Variable*, Bound> lower_;
    std::map<Pair, Bound> apart_;  // the first less the second
    std::map<const Variable*, Span> spans_;
};

// Whether it is an extent of a parameter that nothing is assigned to, x.shape[0].
bool is_fixed_extent(const ExpressionRef& value);

// Whether a value of a loop's turn makes the variable grow by a factor, h = h * 33 + c: few turns
// then pass 2^63, from where it is negative.
bool grows(const ExpressionRef& value, const Variable& variable);

}  // namespace warpwise::script
