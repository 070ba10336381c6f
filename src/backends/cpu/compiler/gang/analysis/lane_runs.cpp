// Runs of loads, and the lanes' own numbers, which an address is followed back to.
#include "src/backends/cpu/compiler/gang/analysis/lane_runs.hpp"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/DataLayout.h>

#include "src/backends/cpu/compiler/gang/analysis/registers.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::APInt;
using llvm::Instruction;
using llvm::Value;

// Nothing where the result is not one number.
std::optional<APInt> folded(Instruction& operation, llvm::ArrayRef<APInt> operands) {
    llvm::SmallVector<llvm::Constant*, 3> constants;
    for (unsigned i = 0; i < operands.size(); ++i) {
        constants.push_back(
            llvm::ConstantInt::get(operation.getOperand(i)->getType(), operands[i]));
    }
    auto* result = llvm::dyn_cast_or_null<llvm::ConstantInt>(
        llvm::ConstantFoldInstOperands(&operation, constants, operation.getDataLayout()));
    return result ? std::optional(result->getValue()) : std::nullopt;
}

bool is_foldable(const Instruction& instruction) {
    return instruction.getType()->isIntegerTy() &&
           llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::ICmpInst, llvm::SelectInst>(
               instruction) &&
           llvm::all_of(instruction.operands(), [](const Value* operand) {
               return operand->getType()->isIntegerTy() &&
                      operand->getType()->getIntegerBitWidth() <= 64;
           });
}

}  // namespace

std::vector<LaneRun> runs_of(const LaneSteps& steps) {
    std::vector<LaneRun> runs;
    for (unsigned lane = 0; lane < steps.size(); ++lane) {
        if (runs.empty() || !steps[lane]) runs.push_back({lane, lane});
        runs.back().end = lane + 1;
    }
    return runs;
}

const RunsOfLoad* LaneRuns::of(llvm::LoadInst& load) {
    auto [known, is_new] = loads_.try_emplace(&load);
    if (is_new) {
        std::optional<RunsOfLoad> found = find(load);
        known = loads_.find(&load);
        known->second = std::move(found);
    }
    return known->second ? &*known->second : nullptr;
}

std::optional<RunsOfLoad> LaneRuns::find(llvm::LoadInst& load) {
    Value* address = load.getPointerOperand();
    const bool may_be = layout_.is_block && load.isSimple() &&
                        load.getType()->isSingleValueType() && !shapes_.of(address).has_scalars();
    if (!may_be) return std::nullopt;
    LaneSteps steps = steps_of(address);
    const auto size =
        static_cast<std::int64_t>(load.getDataLayout().getTypeAllocSize(load.getType()));
    for (std::optional<std::int64_t>& step : steps) {
        if (step != size) step.reset();
    }
    RunsOfLoad result;
    result.runs = runs_of(steps);
    if (result.runs.size() > costs::kRunsOfVector * layout_.pieces) return std::nullopt;
    llvm::SmallPtrSet<Value*, 16> seen;
    collect(address, result, seen);
    for (llvm::MinMaxIntrinsic* bound : result.bounds) {
        if (runs_of(steps_of(unbounded(*bound))).size() > costs::kRunsOfBound) return std::nullopt;
    }
    return result;
}

// What the steps were found by.
void LaneRuns::collect(Value* value, RunsOfLoad& result, llvm::SmallPtrSetImpl<Value*>& seen) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction == nullptr || !numbers_of(value).empty() || !seen.insert(value).second) return;
    if (shapes_.of(value).has_scalars()) return result.leaves.push_back(instruction);
    if (auto* bound = llvm::dyn_cast<llvm::MinMaxIntrinsic>(instruction)) {
        result.bounds.push_back(bound);
        for (Value* operand : {bound->getLHS(), bound->getRHS()}) collect(operand, result, seen);
        return;
    }
    if (llvm::isa<llvm::SExtInst, llvm::ZExtInst>(instruction)) {
        result.widenings.push_back(llvm::cast<llvm::CastInst>(instruction));
    }
    for (Value* operand : instruction->operands()) collect(operand, result, seen);
}

bool LaneRuns::is_followed_freely(Value* value) {
    RunsOfLoad found;
    llvm::SmallPtrSet<Value*, 16> seen;
    collect(value, found, seen);
    const bool are_unbounded =
        llvm::all_of(found.bounds, [&](const auto* bound) { return unbounded_.contains(bound); });
    return are_unbounded && found.widenings.empty();
}

const std::vector<APInt>& LaneRuns::numbers_of(Value* value) {
    if (auto known = numbers_.find(value); known != numbers_.end()) return known->second;
    std::vector<APInt> found;
    if (depth_ < kDeepest) {
        ++depth_;
        found = find_numbers(value);
        --depth_;
    }
    return numbers_[value] = std::move(found);
}

std::vector<APInt> LaneRuns::find_numbers(Value* value) {
    const unsigned lanes = layout_.lanes();
    if (auto* number = llvm::dyn_cast<llvm::ConstantInt>(value)) {
        return std::vector<APInt>(lanes, number->getValue());
    }
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction == nullptr) return {};
    std::vector<APInt> result;
    if (auto* read = llvm::dyn_cast<llvm::IntrinsicInst>(instruction)) {
        const Shape shape = shapes_.of(value);
        const bool is_known =
            layout_.is_block && thread_axis_of(read->getIntrinsicID()) && shape.row && shape.lane;
        if (!is_known) return {};
        for (unsigned lane = 0; lane < lanes; ++lane) {
            const std::int64_t number = layout_.offset(*shape.row, lane / layout_.width) +
                                        *shape.lane * (lane % layout_.width);
            result.emplace_back(value->getType()->getIntegerBitWidth(),
                                static_cast<std::uint64_t>(number));
        }
        return result;
    }
    if (!is_foldable(*instruction)) return {};
    std::vector<const std::vector<APInt>*> operands;
    for (Value* operand : instruction->operands()) {
        operands.push_back(&numbers_of(operand));
        if (operands.back()->empty()) return {};
    }
    for (unsigned lane = 0; lane < lanes; ++lane) {
        llvm::SmallVector<APInt, 3> of_lane;
        for (const std::vector<APInt>* operand : operands) of_lane.push_back((*operand)[lane]);
        const std::optional<APInt> number = folded(*instruction, of_lane);
        if (!number) return {};
        result.push_back(*number);
    }
    return result;
}

}  // namespace warpwise::cpu_compiler::gang
