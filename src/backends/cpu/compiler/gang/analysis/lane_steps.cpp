// Steps from lane to lane, by the operations that compute a value.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/PatternMatch.h>

#include <bit>

#include "src/backends/cpu/compiler/gang/analysis/index_range.hpp"
#include "src/backends/cpu/compiler/gang/analysis/lane_runs.hpp"
#include "src/backends/cpu/compiler/gang/analysis/registers.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::APInt;
using llvm::Instruction;
using llvm::Value;

bool is_unsigned_division(const Instruction& instruction) {
    return instruction.getOpcode() == Instruction::UDiv ||
           instruction.getOpcode() == Instruction::URem ||
           instruction.getOpcode() == Instruction::LShr;
}

bool is_sum(const Instruction& instruction) {
    if (auto* bits = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&instruction)) {
        return bits->isDisjoint();
    }
    return instruction.getOpcode() == Instruction::Add ||
           instruction.getOpcode() == Instruction::Sub;
}

}  // namespace

const LaneSteps& LaneRuns::steps_of(Value* value) {
    if (auto known = steps_.find(value); known != steps_.end()) return known->second;
    LaneSteps found = unknown();
    if (depth_ < kDeepest) {
        ++depth_;
        found = find_steps(value);
        --depth_;
    }
    return steps_[value] = std::move(found);
}

LaneSteps LaneRuns::find_steps(Value* value) {
    const std::vector<APInt>& numbers = numbers_of(value);
    LaneSteps steps = unknown();
    if (!numbers.empty()) {
        for (unsigned lane = distance_; lane < steps.size(); ++lane) {
            steps[lane] = (numbers[lane] - numbers[lane - distance_]).getSExtValue();
        }
        return steps;
    }
    const Shape shape = shapes_.of(value);
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!shape.has_scalars()) return instruction ? steps_of_instruction(*instruction) : steps;
    steps = steps_of_shape(shape);
    if (shape.row || instruction == nullptr) return steps;
    // From piece to piece, whatever may wrap: y / 2 of two rows. Only what is the same is.
    const LaneSteps found = steps_of_instruction(*instruction);
    for (unsigned lane = distance_; lane < steps.size(); ++lane) {
        if (!steps[lane] && found[lane] == 0) steps[lane] = 0;
    }
    return steps;
}

LaneSteps LaneRuns::steps_of_shape(const Shape& shape) const {
    LaneSteps steps = unknown();
    for (unsigned lane = distance_; lane < steps.size(); ++lane) {
        const unsigned before = lane - distance_;
        const unsigned piece = lane / layout_.width, other = before / layout_.width;
        if (piece != other && !shape.row) continue;
        const auto across =
            static_cast<std::int64_t>(lane % layout_.width) - before % layout_.width;
        const std::int64_t down =
            piece == other ? 0
                           : layout_.offset(*shape.row, piece) - layout_.offset(*shape.row, other);
        steps[lane] = down + *shape.lane * across;
    }
    return steps;
}

LaneSteps LaneRuns::steps_of_instruction(Instruction& instruction) {
    if (is_sum(instruction)) {
        const bool is_difference = instruction.getOpcode() == Instruction::Sub;
        LaneSteps steps = steps_of(instruction.getOperand(0));
        const LaneSteps& other = steps_of(instruction.getOperand(1));
        for (unsigned lane = 0; lane < steps.size(); ++lane) {
            if (!steps[lane] || !other[lane]) {
                steps[lane].reset();
            } else {
                *steps[lane] += is_difference ? -*other[lane] : *other[lane];
            }
        }
        return steps;
    }
    if (llvm::PatternMatch::match(&instruction,
                                  llvm::PatternMatch::m_Not(llvm::PatternMatch::m_Value()))) {
        LaneSteps steps = steps_of(instruction.getOperand(0));
        for (std::optional<std::int64_t>& step : steps) {
            if (step) step = -*step;
        }
        return steps;
    }
    if (auto* bound = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&instruction)) {
        Value* choice = unbounded(*bound);
        return choice ? steps_of(choice) : unknown();
    }
    if (auto* part = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
        if (llvm::isa<llvm::ConstantInt>(part->getOperand(1)) &&
            (part->isIntDivRem() || part->isBitwiseLogicOp() || part->isLogicalShift() ||
             part->isArithmeticShift())) {
            if (part->getOpcode() != Instruction::Shl) return steps_of_part(*part);
        }
    }
    if (instruction.isIntDivRem()) return steps_of_division(instruction);
    if (Value* selected = selections_.lookup(&instruction)) return steps_of(selected);
    switch (instruction.getOpcode()) {
        case Instruction::Mul:
        case Instruction::Shl:
            return steps_of_product(instruction);
        case Instruction::SExt:
        case Instruction::ZExt:
        case Instruction::Freeze:
            return steps_of(instruction.getOperand(0));
        case Instruction::GetElementPtr:
            return steps_of_address(llvm::cast<llvm::GetElementPtrInst>(instruction));
        default:
            return unknown();
    }
}

// What is the same in two lanes is so in any product that all lanes share a factor of.
LaneSteps LaneRuns::steps_of_product(Instruction& product) {
    Value *left = product.getOperand(0), *right = product.getOperand(1);
    const bool is_shift = product.getOpcode() == Instruction::Shl;
    if (!is_shift && shapes_.of(left).is_uniform()) std::swap(left, right);
    if (!shapes_.of(right).is_uniform()) return unknown();
    std::optional<std::int64_t> factor;
    if (auto* number = llvm::dyn_cast<llvm::ConstantInt>(right)) {
        const std::int64_t value = number->getSExtValue();
        if (!is_shift) factor = value;
        if (is_shift && value >= 0 && value < 32) factor = std::int64_t{1} << value;
    }
    LaneSteps steps = steps_of(left);
    for (std::optional<std::int64_t>& step : steps) {
        if (!step || *step == 0) continue;
        std::int64_t result = 0;
        if (!factor || llvm::MulOverflow(*step, *factor, result)) {
            step.reset();
        } else {
            step = result;
        }
    }
    return steps;
}

LaneSteps LaneRuns::steps_of_division(Instruction& division) {
    if (divisions_.empty() || !shapes_.of(division.getOperand(1)).is_uniform()) return unknown();
    const bool is_quotient =
        division.getOpcode() == Instruction::UDiv || division.getOpcode() == Instruction::SDiv;
    LaneSteps steps = steps_of(division.getOperand(0));
    if (divisions_.contains(&division) && !is_quotient) return steps;
    for (unsigned lane = 1; lane < steps.size(); ++lane) {
        if (steps[lane] != 0 && !divisions_.contains(&division)) return unknown();
        steps[lane] = 0;
    }
    return steps;
}

// By a number. All steps are known where the gang begins at a multiple of it; else where the index
// has gone on by multiples of the divisor, so has the quotient by one each, and the remainder is
// what it was.
LaneSteps LaneRuns::steps_of_part(llvm::BinaryOperator& part) {
    const APInt& number = llvm::cast<llvm::ConstantInt>(part.getOperand(1))->getValue();
    std::int64_t divisor = 0;
    bool is_quotient = false, is_of_any = false;  // of negative numbers too
    bool is_unsigned = false;
    switch (part.getOpcode()) {
        case Instruction::UDiv:
        case Instruction::SDiv:
            is_quotient = true;
            [[fallthrough]];
        case Instruction::URem:
        case Instruction::SRem:
            is_unsigned = is_unsigned_division(part);
            divisor = number.isSignedIntN(32) ? number.getSExtValue() : 0;
            break;
        case Instruction::LShr:
        case Instruction::AShr:
            is_quotient = true;
            is_unsigned = is_unsigned_division(part);
            divisor = number.ult(31) ? std::int64_t{1} << number.getZExtValue() : 0;
            break;
        case Instruction::And:
            is_of_any = true;
            divisor =
                (number + 1).isPowerOf2() && number.ult(1U << 30) ? number.getSExtValue() + 1 : 0;
            break;
        default:
            break;
    }
    const bool has_steps =
        divisor > 0 && (is_of_any || is_natural(part.getOperand(0)) ||
                        (is_unsigned && is_natural_and_more(part.getOperand(0))));
    if (!has_steps) return unknown();
    const auto step_of = [&](std::int64_t number) {
        const std::int64_t rest = number & (divisor - 1);
        return is_quotient ? (number - rest) / divisor : rest;
    };
    const std::vector<std::int64_t> lanes = lanes_behind_multiple(part.getOperand(0), divisor);
    LaneSteps steps = unknown();
    if (!lanes.empty()) {
        for (unsigned lane = distance_; lane < steps.size(); ++lane) {
            steps[lane] = step_of(lanes[lane]) - step_of(lanes[lane - distance_]);
        }
        return steps;
    }
    // The first lanes of two gangs have other remainders.
    if (distance_ == 1) return unknown();
    steps = steps_of(part.getOperand(0));
    for (std::optional<std::int64_t>& step : steps) {
        if (!step || *step % divisor != 0) {
            step.reset();
        } else {
            step = is_quotient ? *step / divisor : 0;
        }
    }
    return steps;
}

std::vector<std::int64_t> LaneRuns::lanes_behind_multiple(Value* value,
                                                          std::int64_t divisor) const {
    auto* sum = llvm::dyn_cast<Instruction>(value);
    auto* added = sum != nullptr && is_sum(*sum) && sum->getOpcode() != Instruction::Sub
                      ? llvm::dyn_cast<llvm::ConstantInt>(sum->getOperand(1))
                      : nullptr;
    if (added != nullptr && added->getValue().isSignedIntN(32)) {
        std::vector<std::int64_t> lanes = lanes_behind_multiple(sum->getOperand(0), divisor);
        for (std::int64_t& lane : lanes) lane += added->getSExtValue();
        return lanes;
    }
    const Shape shape = shapes_.of(value);
    const auto unit = static_cast<std::uint64_t>(divisor);
    const bool is_behind =
        shape.row && shape.lane && std::has_single_bit(unit) &&
        low_zeros_of_base(value, shapes_, layout_) >= static_cast<unsigned>(std::countr_zero(unit));
    return is_behind ? shape.offsets(layout_) : std::vector<std::int64_t>();
}

bool LaneRuns::is_natural_and_more(const Value* value, unsigned depth) const {
    auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(value);
    return sum != nullptr && sum->getOpcode() == Instruction::Add &&
           llvm::isa<llvm::ConstantInt>(sum->getOperand(1)) && is_natural(sum->getOperand(1)) &&
           is_natural(sum->getOperand(0), depth + 1);
}

bool LaneRuns::is_natural(const Value* value, unsigned depth) const {
    if (auto* number = llvm::dyn_cast<llvm::ConstantInt>(value)) return !number->isNegative();
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction == nullptr || depth > kDeepest) return false;
    const auto is_operand = [&](unsigned operand) {
        return is_natural(instruction->getOperand(operand), depth + 1);
    };
    if (is_launch_index(value) || is_index_in_known_block(value, layout_)) return true;
    switch (instruction->getOpcode()) {
        case Instruction::ZExt:
        case Instruction::SExt:
        case Instruction::Freeze:
        case Instruction::UDiv:
        case Instruction::SDiv:
        case Instruction::URem:
        case Instruction::SRem:
        case Instruction::LShr:
        case Instruction::AShr: {
            const bool has_divisor = instruction->getNumOperands() == 1 || is_operand(1);
            if (has_divisor && is_operand(0)) return true;
            // Below the half of all numbers.
            if (is_unsigned_division(*instruction) &&
                llvm::isa<llvm::ConstantInt>(instruction->getOperand(1)) &&
                is_natural_and_more(instruction->getOperand(0), depth + 1)) {
                return true;
            }
            break;
        }
        case Instruction::Sub:
            if (instruction->hasNoUnsignedWrap() && is_operand(0)) return true;
            break;
        case Instruction::Add:
        case Instruction::Mul:
        case Instruction::Or: {
            auto* bits = llvm::dyn_cast<llvm::PossiblyDisjointInst>(instruction);
            const bool is_exact =
                bits != nullptr ? bits->isDisjoint() : instruction->hasNoSignedWrap();
            if (is_exact && is_operand(0) && is_operand(1)) return true;
            break;
        }
        default:
            break;
    }
    const Shape shape = shapes_.of(value);
    return shape.has_scalars() && (shape.is_exact || shape.is_uniform()) &&
           llvm::isKnownNonNegative(value, llvm::SimplifyQuery(instruction->getDataLayout()));
}

LaneSteps LaneRuns::steps_of_address(llvm::GetElementPtrInst& address) {
    LaneSteps steps = steps_of(address.getPointerOperand());
    for (auto at = llvm::gep_type_begin(address); at != llvm::gep_type_end(address); ++at) {
        if (at.isStruct()) continue;  // a number
        Value* index = at.getOperand();
        const std::uint64_t stride =
            at.getSequentialElementStride(address.getDataLayout()).getFixedValue();
        // Others are widened on the way, and may wrap there.
        const bool is_whole = llvm::isa<llvm::Constant>(index) || index->getType()->isIntegerTy(64);
        if (!is_whole) return unknown();
        const LaneSteps& of_index = steps_of(index);
        for (unsigned lane = 0; lane < steps.size(); ++lane) {
            if (!steps[lane] || !of_index[lane]) {
                steps[lane].reset();
            } else {
                *steps[lane] += static_cast<std::int64_t>(stride) * *of_index[lane];
            }
        }
    }
    return steps;
}

Value* LaneRuns::unbounded(llvm::MinMaxIntrinsic& bound) const {
    if (shapes_.of(bound.getRHS()).is_uniform()) return bound.getLHS();
    return shapes_.of(bound.getLHS()).is_uniform() ? bound.getRHS() : nullptr;
}

}  // namespace warpwise::cpu_compiler::gang
