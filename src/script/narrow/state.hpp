// What the variables of a function may be at one place of it.
//
// Threading: used by one thread.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "src/script/narrow/differences.hpp"
#include "src/script/narrow/interval.hpp"
#include "src/script/program.hpp"

namespace warpwise::script {

// The whole numbers among a function's variables, by numbers of their own.
class Numbers {
  public:
    // Of all that the body names.
    explicit Numbers(const Block& body);

    std::size_t count() const noexcept { return variables_.size(); }
    Variable& variable(std::size_t number) const { return *variables_[number]; }
    bool has(const Variable* variable) const { return numbers_.contains(variable); }
    std::size_t of(const Variable* variable) const { return numbers_.at(variable); }

  private:
    void add(const Block& block);
    void add(const ExpressionRef& value);
    void add(const std::shared_ptr<Variable>& variable);

    std::vector<Variable*> variables_;
    std::map<const Variable*, std::size_t> numbers_;
};

// Beyond all numbers, and sums of them do not overflow.
inline constexpr Wide kFar = Wide{1} << 100;

struct State {
    bool is_reached = false;
    std::vector<Interval> values;  // empty: not assigned yet
    Differences differences;       // beyond what follows from the values

    // The first variable less the second is not below it, by their values and by `differences`.
    // Nothing (-kFar) where one is not assigned yet: what is known where it is would else be added
    // up to differences of other variables.
    Wide apart(std::size_t first, std::size_t second) const;
};

// What reaches a place from two others.
void join(State& state, const State& other);
// What both states know of differences, where they are reached; for join(), before values change.
Differences common_differences(const State& a, const State& b);

}  // namespace warpwise::script
