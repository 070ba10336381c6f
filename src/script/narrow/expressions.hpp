// Expressions: what values they may have in a state, and the same computed with 32 bits.
//
// Threading: used by one thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "src/script/narrow/state.hpp"

namespace warpwise::script {

// What holds of a launch that a kernel is compiled for; see TranslateOptions::is_small_launch.
inline constexpr Wide kMostItems32 = (Wide{1} << 30) - 1;
inline constexpr Wide kMostBytes32 = INT32_MAX;

class Expressions {
  public:
    struct Value {
        Interval range;
        ExpressionRef wide;    // of the type that it had
        ExpressionRef narrow;  // of int32 or uint32, with the same value; null: it needs more
    };

    // `most_items`: of an array of a small launch.
    Expressions(const Numbers& numbers, bool is_small_launch, Wide most_items)
        : numbers_(numbers), is_small_launch_(is_small_launch), most_items_(most_items) {
        state.values.resize(numbers.count());
        assigned.resize(numbers.count());
    }

    // In the state, which assignments in the value change.
    Value visit(const ExpressionRef& value);
    Interval range(const ExpressionRef& value) { return visit(value).range; }
    // `value`: what is assigned, which has been visited; null: a number of the range.
    void assign(const Variable& variable, const Interval& range, const ExpressionRef& value = {});
    // The state where the condition, which has been visited, holds or does not.
    void assume(const ExpressionRef& condition, bool holds);
    // The value for a variable or a place of this type.
    ExpressionRef as(const Value& value, Type type) const;
    // What the variable gets that is declared anew, if it is: all of it, or its last bits.
    ExpressionRef given(const Variable& variable, const ExpressionRef& value, const Value& visited);
    Type narrow_type(const Variable& variable) const;

    State state;
    std::vector<Interval> assigned;  // all values of a variable, by its number
    std::map<const Instance*, std::vector<Interval>> arguments;
    // Whether visits make the expressions with 32 bits, for which these variables are chosen.
    bool writes = false;
    std::map<const Variable*, Type> narrow_variables;
    std::set<const Variable*> low_variables;  // those that have the last bits only

  private:
    Value finish(const ExpressionRef& value, const Interval& range, ExpressionRef wide,
                 ExpressionRef narrow) const;
    Value constant(const ExpressionRef& value) const;
    Value variable(const ExpressionRef& value) const;
    Value cast(const ExpressionRef& value);
    Value infix(const ExpressionRef& value);
    Value prefix(const ExpressionRef& value);
    Value select(const ExpressionRef& value);
    Value condition_pair(const ExpressionRef& value);
    Value let(const ExpressionRef& value);
    Value wrapped(const ExpressionRef& value, const std::vector<Value>& operands) const;
    Value shifted(const ExpressionRef& value, const std::vector<Value>& operands) const;
    Value call(const ExpressionRef& value);
    Value member(const ExpressionRef& value);
    ExpressionRef low_bits(const ExpressionRef& value);
    ExpressionRef low_bits_of_operands(const ExpressionRef& value);
    ExpressionRef place(const ExpressionRef& index);
    Value element(const ExpressionRef& value);
    Value other(const ExpressionRef& value);
    Value rebuilt(const ExpressionRef& value, const Interval& range,
                  const std::vector<Value>& operands) const;
    Value computed(const ExpressionRef& value, const Interval& range,
                   const std::vector<Value>& operands, std::size_t first = 0) const;
    Value comparison(const ExpressionRef& value, const std::vector<Value>& operands) const;
    std::vector<Value> visited(const std::vector<ExpressionRef>& operands);
    ExpressionRef narrowed(const ExpressionRef& value, const Interval& range,
                           const std::vector<Value>& operands, std::size_t first) const;
    bool is_place_in_grid(const Expression& value) const;
    std::optional<Value> index_in_grid(const ExpressionRef& value) const;
    void bound(const ExpressionRef& value, const Interval& to);
    void compare(std::string_view op, const ExpressionRef& a, const ExpressionRef& b);
    void note_distance(const ExpressionRef& greater, const ExpressionRef& less, Wide least);

    const Numbers& numbers_;
    const bool is_small_launch_;
    const Wide most_items_;
};

// Of a whole number, by its type and what was found of its size when it was made.
Interval default_range(const Expression& value);

// Whether evaluating it assigns a variable of the function.
bool assigns(const ExpressionRef& value);

}  // namespace warpwise::script
