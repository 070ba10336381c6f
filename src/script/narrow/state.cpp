// States, and the variables they are of.
#include "src/script/narrow/state.hpp"

#include <algorithm>
#include <utility>

namespace warpwise::script {

Numbers::Numbers(const Block& body) {
    add(body);
}

void Numbers::add(const Block& block) {
    for (const Statement& one : block) {
        add(one.variable);
        add(one.target);
        add(one.value);
        for (const ExpressionRef& bound : one.range) add(bound);
        add(one.body);
        add(one.otherwise);
    }
}

void Numbers::add(const ExpressionRef& value) {
    if (!value) return;
    add(value->variable);
    for (const ExpressionRef& operand : value->operands) add(operand);
}

void Numbers::add(const std::shared_ptr<Variable>& variable) {
    if (!variable || !is_whole_number(variable->type)) return;
    const bool is_new = numbers_.try_emplace(variable.get(), variables_.size()).second;
    if (is_new) variables_.push_back(variable.get());
}

Wide State::apart(std::size_t first, std::size_t second) const {
    const Interval& a = values[first];
    const Interval& b = values[second];
    if (a.is_empty() || b.is_empty()) return -kFar;
    const Wide by_values = a.least - b.most;
    return std::max(by_values, differences.least(first, second).value_or(by_values));
}

Differences common_differences(const State& a, const State& b) {
    Differences both;
    for (const State* state : {&a, &b}) {
        for (const auto& [first, second, least] : state->differences.all()) {
            const Wide in_both = std::min(a.apart(first, second), b.apart(first, second));
            const Interval one = joined(a.values[first], b.values[first]);
            const Interval other = joined(a.values[second], b.values[second]);
            if (in_both > one.least - other.most) both.keep({first, second, in_both});
        }
    }
    return both;
}

void join(State& state, const State& other) {
    if (!other.is_reached) return;
    if (!state.is_reached) {
        state = other;
        return;
    }
    state.differences = common_differences(state, other);
    for (std::size_t i = 0; i < state.values.size(); ++i) {
        state.values[i] = joined(state.values[i], other.values[i]);
    }
}

}  // namespace warpwise::script
