// Writes the operations that lane_runs.cpp has followed, of one lane each.
#include "src/backends/cpu/compiler/gang/emit/memory/lane_scalars.hpp"

#include <algorithm>

#include "src/backends/cpu/compiler/gang/emit/memory/within_range.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

Value* LaneScalars::of(Value* value, unsigned lane) {
    if (const auto& numbers = runs_.numbers_of(value); !numbers.empty()) {
        return llvm::ConstantInt::get(value->getType(), numbers[lane]);
    }
    const Shape shape = shapes_.of(value);
    if (shape.is_uniform()) return values_.scalar(value, 0);
    if (Value* made = made_.lookup({value, lane})) return made;
    Value* result = nullptr;
    if (shape.has_scalars()) {
        result = values_.scalar(value, lane / layout_.width);
        const std::int64_t step = *shape.lane * (lane % layout_.width);
        if (step != 0 && value->getType()->isPointerTy()) {
            result = builder_.CreateGEP(builder_.getInt8Ty(), result,
                                        builder_.getInt64(static_cast<std::uint64_t>(step)));
        } else if (step != 0) {
            result =
                builder_.CreateAdd(result, llvm::ConstantInt::getSigned(value->getType(), step));
        }
    } else {
        result = write(*llvm::cast<llvm::Instruction>(value), lane);
    }
    made_[{value, lane}] = result;
    return result;
}

// Without the promises of the instruction: the lane may be dead.
Value* LaneScalars::write(llvm::Instruction& instruction, unsigned lane) {
    if (auto* bound = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&instruction)) {
        return of(runs_.unbounded(*bound), lane);
    }
    if (llvm::isa<llvm::FreezeInst>(instruction)) {
        return builder_.CreateFreeze(of(instruction.getOperand(0), lane));
    }
    if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) {
        return builder_.CreateCast(cast->getOpcode(), of(cast->getOperand(0), lane),
                                   cast->getType());
    }
    if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
        Value* base = of(address->getPointerOperand(), lane);
        llvm::SmallVector<Value*, 4> indices;
        for (Value* index : address->indices()) indices.push_back(of(index, lane));
        return builder_.CreateGEP(address->getSourceElementType(), base, indices);
    }
    auto& operation = llvm::cast<llvm::BinaryOperator>(instruction);
    Value* left = of(operation.getOperand(0), lane);
    return builder_.CreateBinOp(operation.getOpcode(), left, of(operation.getOperand(1), lane));
}

Value* LaneScalars::are_there(const RunsOfLoad& found, const llvm::BitVector& living) {
    Value* all = builder_.getTrue();
    for (llvm::MinMaxIntrinsic* bound : found.bounds) {
        all = builder_.CreateAnd(all, is_unbounded(*bound, living));
    }
    for (llvm::CastInst* widening : found.widenings) {
        all = builder_.CreateAnd(all, is_without_wrap(*widening, living));
    }
    return all;
}

std::vector<LaneScalars::Range> LaneScalars::ranges_of(Value* value,
                                                       const llvm::BitVector& living) {
    const LaneSteps& steps = runs_.steps_of(value);
    std::vector<Range> ranges;
    for (const LaneRun& run : runs_of(steps)) {
        const int first = living.find_first_in(run.first, run.end);
        if (first < 0) continue;
        Range range{.lane = static_cast<unsigned>(first)};
        std::int64_t distance = 0;
        for (unsigned lane = range.lane + 1; lane < run.end; ++lane) {
            distance += *steps[lane];
            if (!living[lane]) continue;
            range.least = std::min(range.least, distance);
            range.most = std::max(range.most, distance);
        }
        ranges.push_back(range);
    }
    return ranges;
}

Value* LaneScalars::is_unbounded(llvm::MinMaxIntrinsic& bound, const llvm::BitVector& living) {
    Value* value = runs_.unbounded(bound);
    Value* limit = of(value == bound.getLHS() ? bound.getRHS() : bound.getLHS(), 0);
    const NoWrap kind = bound.isSigned() ? NoWrap::Signed : NoWrap::Unsigned;
    const bool is_lower = bound.getIntrinsicID() == llvm::Intrinsic::smax ||
                          bound.getIntrinsicID() == llvm::Intrinsic::umax;
    Value* all = builder_.getTrue();
    for (const Range& range : ranges_of(value, living)) {
        Value* first = of(value, range.lane);
        all = builder_.CreateAnd(all, is_within(builder_, first, kind, range.least, range.most));
        Value* outmost = builder_.CreateAdd(
            first,
            llvm::ConstantInt::getSigned(first->getType(), is_lower ? range.least : range.most));
        const auto order = llvm::ICmpInst::getNonStrictPredicate(bound.getPredicate());
        all = builder_.CreateAnd(all, builder_.CreateICmp(order, outmost, limit));
    }
    return all;
}

Value* LaneScalars::is_without_wrap(llvm::CastInst& widening, const llvm::BitVector& living) {
    Value* value = widening.getOperand(0);
    const NoWrap kind = llvm::isa<llvm::SExtInst>(widening) ? NoWrap::Signed : NoWrap::Unsigned;
    Value* all = builder_.getTrue();
    for (const Range& range : ranges_of(value, living)) {
        if (range.least == 0 && range.most == 0) continue;
        Value* first = of(value, range.lane);
        all = builder_.CreateAnd(all, is_within(builder_, first, kind, range.least, range.most));
    }
    return all;
}

}  // namespace warpwise::cpu_compiler::gang
