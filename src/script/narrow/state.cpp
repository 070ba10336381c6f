// States, and the variables they are of.
#include "src/script/narrow/state.hpp"

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

void join(State& state, const State& other) {
    if (!other.is_reached) return;
    if (!state.is_reached) {
        state = other;
        return;
    }
    for (std::size_t i = 0; i < state.values.size(); ++i) {
        state.values[i] = joined(state.values[i], other.values[i]);
    }
}

}  // namespace warpwise::script
