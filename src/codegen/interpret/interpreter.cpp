// What of a group is interpreted, and what both kinds of loops begin with.
#include "src/codegen/interpret/interpreter.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <utility>

#include "src/codegen/interpret/addressing.hpp"

namespace warpwise::codegen::interpret {
namespace {

std::int64_t now() noexcept {
    return std::chrono::steady_clock::now().time_since_epoch().count();
}

std::vector<bool> broadcasts(const std::vector<Operand>& operands) {
    std::vector<bool> list;
    list.reserve(operands.size());
    for (const Operand& operand : operands) list.push_back(operand.access == Access::Broadcast);
    return list;
}

bool is_interpreted(Kind kind) {
    return number_of(kind) >= 0;
}

const ReduceLoops* loops_of(const Reducer& reducer) {
    const int kind = number_of(reducer.accumulator);
    if (kind < 0) return nullptr;
    const bool is_logical = reducer.reduce == Reduce::Any || reducer.reduce == Reduce::All;
    if (is_logical && reducer.accumulator != Kind::Bool) return nullptr;
    const ReduceLoops& loops =
        element_table().kinds[kind]->reduce[static_cast<std::size_t>(reducer.reduce)];
    return loops.state_bytes > 0 ? &loops : nullptr;
}

}  // namespace

std::shared_ptr<const Interpreter> Interpreter::make(const Group& group) {
    auto interpreter = std::make_shared<Interpreter>();
    interpreter->group_ = group;
    if (!interpreter->build()) return nullptr;
    return interpreter;
}

bool Interpreter::build() {
    const bool reduces = group_.skeleton == Skeleton::Reduction;
    if (reduces && group_.reports()) return false;
    std::vector<ir::ValueId> results;
    for (const Operand& input : group_.inputs) {
        if (input.is_counter || !is_interpreted(input.kind)) return false;
        if (input.gathered && reduces) return false;
    }
    for (const Store& store : group_.stores) {
        results.push_back(store.value);
        if (!is_interpreted(store.operand.kind)) return false;
    }
    for (const Reducer& reducer : group_.reducers) {
        results.push_back(reducer.value);
        reducers_.push_back(loops_of(reducer));
        if (reducers_.back() == nullptr) return false;
    }
    if (!body_.build(group_.body, results, broadcasts(group_.inputs))) return false;
    for (const Operand& input : group_.kept_inputs) {
        if (!is_interpreted(input.kind)) return false;
    }
    results.clear();
    for (const Store& store : group_.kept_stores) {
        results.push_back(store.value);
        if (!is_interpreted(store.operand.kind)) return false;
    }
    const std::vector<bool> none(group_.reducers.size() + group_.kept_inputs.size(), false);
    return epilogue_.build(group_.epilogue, results, none);
}

std::unique_ptr<runtime::HostLoop> Interpreter::bind(const Binding& binding,
                                                     Listener* listener) const {
    KeptParts parts{shared_from_this(), binding,
                    listener != nullptr ? listener->shared_from_this() : nullptr};
    return group_.skeleton == Skeleton::Reduction ? make_reduction_loop(std::move(parts))
                                                  : make_elementwise_loop(std::move(parts));
}

bool Interpreter::run_here(const Binding& binding, Listener* listener, const RunHere& run) const {
    return group_.skeleton == Skeleton::Reduction
               ? run_reduction_loop(*this, binding, listener, run)
               : run_elementwise_loop(*this, binding, listener, run);
}

void BoundLoop::note_start() noexcept {
    std::int64_t none = 0;
    if (listener_ != nullptr && start_.load(std::memory_order_relaxed) == 0)
        start_.compare_exchange_strong(none, now());
}

void BoundLoop::note_end() noexcept {
    if (listener_ != nullptr) listener_->note_run(std::chrono::nanoseconds(now() - start_.load()));
}

void BoundLoop::fill_constant(const Step& step, void* memory, std::size_t count) const {
    const auto points = static_cast<std::int64_t>(count);
    if (step.form == ir::Instruction::Form::Scalar) {
        alignas(16) std::byte value[16] = {};
        binding_.scalars[step.number].store(step.kind, value);
        fill(memory, value, static_cast<std::int64_t>(DType(step.kind).size()), points);
    } else {
        const auto* const place =
            reinterpret_cast<const std::byte*>(binding_.inputs[step.number].address);
        gather(step.kind, memory, place, 0, points);
    }
}

}  // namespace warpwise::codegen::interpret
