// Which way a comparison is assumed to go: a lower bound that is a constant holds, or one that
// guards a block of its own, and an upper bound holds (i > 0, i < n), no two numbers are equal. No
// minimum or maximum is the bound itself, min(max(x + 1, 0), width - 1), and divisors are above 0.
#include "src/backends/cpu/compiler/gang/analysis/usual/assumptions.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>

#include "src/backends/cpu/compiler/gang/analysis/usual/start_values.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Instruction;
using llvm::Value;

std::optional<bool> usual_outcome(llvm::CmpInst::Predicate predicate, bool has_constant) {
    using Cmp = llvm::CmpInst;
    switch (predicate) {
        case Cmp::ICMP_EQ:
        case Cmp::ICMP_UGT:
        case Cmp::ICMP_UGE:
            return false;
        case Cmp::ICMP_NE:
        case Cmp::ICMP_ULT:
        case Cmp::ICMP_ULE:
            return true;
        case Cmp::ICMP_SLT:
        case Cmp::ICMP_SLE:
            return !has_constant;
        default:
            return has_constant;
    }
}

// Whether the comparison asks if a block of its own is entered, and with which outcome it is.
std::optional<bool> outcome_of_own_block(const llvm::ICmpInst& comparison) {
    auto* branch =
        comparison.hasOneUse() ? llvm::dyn_cast<llvm::BranchInst>(comparison.user_back()) : nullptr;
    if (branch == nullptr || !branch->isConditional()) return std::nullopt;
    const bool has_first = branch->getSuccessor(0)->getSinglePredecessor() != nullptr;
    const bool has_second = branch->getSuccessor(1)->getSinglePredecessor() != nullptr;
    if (has_first == has_second) return std::nullopt;
    return has_first;
}

// Whether a number that is no extent less something, `width - 1`, is a lower bound for what a block
// of its own does: `if (i >= distance) sum += x[i - distance];`, unlike `if (i >= n) return;`.
bool guards_own_block(const llvm::ICmpInst& comparison, llvm::CmpInst::Predicate predicate,
                      const Value* bound) {
    using namespace llvm::PatternMatch;
    if (!llvm::ICmpInst::isRelational(predicate)) return false;
    if (match(bound, m_Add(m_Value(), m_Negative()))) return false;
    const bool is_lower = llvm::ICmpInst::isGT(predicate) || llvm::ICmpInst::isGE(predicate);
    return outcome_of_own_block(comparison) == is_lower;
}

}  // namespace

Assumptions::Assumptions(llvm::Function& scalar, const Plan& plan, const Shapes& shapes,
                         const Layout& layout, Rows rows)
    : scalar_(scalar), rows_(rows) {
    LaneRuns runs(shapes, layout);
    llvm::DenseSet<const Instruction*> divisions;
    for (const PlannedBlock& planned : plan.blocks()) {
        for (Instruction& instruction : *planned.block) {
            if (rows == Rows::Ignored || !instruction.isIntDivRem()) continue;
            if (consider_division(instruction, shapes, layout, runs))
                divisions.insert(&instruction);
        }
    }
    runs.assume(std::move(divisions), settle(plan));
    for (const PlannedBlock& planned : plan.blocks()) {
        for (Instruction& instruction : *planned.block) consider(instruction, shapes, layout, runs);
    }
}

// What follows of divisors above 0: conditions, and what is selected by them.
llvm::DenseMap<const Instruction*, Value*> Assumptions::settle(const Plan& plan) {
    llvm::SmallSetVector<Value*, 2> divisors;
    for (const Division& division : divisions_) divisors.insert(division.divisor);
    llvm::DenseMap<const Instruction*, Value*> selections;
    for (Value* divisor : divisors) {
        for (const PlannedBlock& planned : plan.blocks()) {
            for (Instruction& instruction : *planned.block) {
                if (auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction)) {
                    const auto outcome = outcome_of(comparison, divisor);
                    if (outcome) settled_.emplace_back(comparison, *outcome);
                } else if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
                    const auto outcome = outcome_of(choice->getCondition(), divisor);
                    if (!outcome) continue;
                    selections[choice] =
                        *outcome ? choice->getTrueValue() : choice->getFalseValue();
                }
            }
        }
    }
    return selections;
}

std::optional<Assumptions::Side> Assumptions::side_of(Value* value, const Shapes& shapes,
                                                      const Layout& layout, LaneRuns& runs) {
    const Shape shape = shapes.of(value);
    Side side;
    if (shape.row && shape.lane) {
        side.lanes = shape.offsets(layout);
        side.may_wrap = !shape.is_exact && !shape.is_uniform();
    } else {
        if (shape.has_scalars() || !runs.is_followed_freely(value)) return std::nullopt;
        const LaneSteps& steps = runs.steps_of(value);
        std::int64_t distance = 0;
        for (unsigned lane = 0; lane < steps.size(); ++lane) {
            if (lane > 0 && !steps[lane]) return std::nullopt;
            if (lane > 0) distance += *steps[lane];
            side.lanes.push_back(distance);
        }
        side.may_wrap = side.is_bound = true;
    }
    side.least = *llvm::min_element(side.lanes);
    side.most = *llvm::max_element(side.lanes);
    return side;
}

void Assumptions::consider(Instruction& instruction, const Shapes& shapes, const Layout& layout,
                           LaneRuns& runs) {
    Assumed assumed{.what = &instruction};
    if (auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction)) {
        assumed.left = comparison->getOperand(0);
        assumed.right = comparison->getOperand(1);
        const bool is_left_shared = shapes.of(assumed.left).is_uniform();
        assumed.predicate = comparison->getPredicate();
        const bool has_constant =
            llvm::isa<llvm::ConstantInt>(is_left_shared ? assumed.left : assumed.right);
        const auto predicate =
            is_left_shared ? comparison->getSwappedPredicate() : assumed.predicate;
        const Value* bound = is_left_shared ? assumed.left : assumed.right;
        bool outcome = *usual_outcome(predicate, has_constant);
        if (!has_constant && guards_own_block(*comparison, predicate, bound)) {
            outcome = *outcome_of_own_block(*comparison);
        }
        if (!outcome) assumed.predicate = comparison->getInversePredicate();
        assumed.outcome = outcome;
    } else if (auto* bound = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&instruction)) {
        assumed.left = runs.unbounded(*bound);
        if (assumed.left == nullptr) return;
        const bool is_second = assumed.left != bound->getLHS();
        assumed.operand = is_second ? 1 : 0;
        assumed.right = is_second ? bound->getLHS() : bound->getRHS();
        assumed.predicate = llvm::CmpInst::getNonStrictPredicate(bound->getPredicate());
    } else {
        return;
    }
    if (!assumed.left->getType()->isIntegerTy()) return;
    if (shapes.of(assumed.left).is_uniform() && shapes.of(assumed.right).is_uniform()) return;
    const Origin first = origin_of(assumed.left), second = origin_of(assumed.right);
    if (!first.is_known || !second.is_known) return;
    if (!first.is_of_launch && !second.is_of_launch) return;
    const std::optional<Side> a = side_of(assumed.left, shapes, layout, runs);
    const std::optional<Side> b = a ? side_of(assumed.right, shapes, layout, runs) : std::nullopt;
    // What all lanes share in the copy is no worse as it is.
    if (!b || (a->is_shared() && b->is_shared())) return;
    assumed.least = assumed.most = a->lanes[0] - b->lanes[0];
    for (unsigned lane = 0; lane < layout.lanes(); ++lane) {
        assumed.least = std::min(assumed.least, a->lanes[lane] - b->lanes[lane]);
        assumed.most = std::max(assumed.most, a->lanes[lane] - b->lanes[lane]);
    }
    assumed.of_left = *a;
    assumed.of_right = *b;
    if (!assumed.outcome) {
        runs.assume_unbounded(llvm::cast<llvm::MinMaxIntrinsic>(instruction));
    }
    assumed_.push_back(std::move(assumed));
}

Value* Assumptions::test(llvm::IRBuilder<>& builder) const {
    if (rows_ == Rows::Split) return test_all(builder);
    Value* are_long = are_rows_long(builder);
    auto* known = llvm::dyn_cast<llvm::ConstantInt>(are_long);
    if (known != nullptr && known->isOne()) return test_all(builder);
    llvm::Function* function = builder.GetInsertBlock()->getParent();
    llvm::BasicBlock* before = builder.GetInsertBlock();
    auto* in_rows = llvm::BasicBlock::Create(builder.getContext(), "in.rows", function);
    auto* behind = llvm::BasicBlock::Create(builder.getContext(), "", function);
    builder.CreateCondBr(are_long, in_rows, behind);
    builder.SetInsertPoint(in_rows);
    Value* all = test_all(builder);
    builder.CreateBr(behind);
    builder.SetInsertPoint(behind);
    llvm::PHINode* answer = builder.CreatePHI(builder.getInt1Ty(), 2);
    answer->addIncoming(builder.getFalse(), before);
    answer->addIncoming(all, in_rows);
    return answer;
}

Value* Assumptions::test_all(llvm::IRBuilder<>& builder) const {
    Repetition repetition(builder);
    Value* all = builder.getTrue();
    for (const RowOfData& row : rows_of_data_) {
        if (rows_ == Rows::Split) break;
        all = builder.CreateAnd(all, test_row(builder, row, repetition));
    }
    for (const Assumed& assumed : assumed_) {
        // Wide enough for every sum below.
        Value* left = repetition.of(assumed.left);
        Value* right = repetition.of(assumed.right);
        llvm::Type* wide = builder.getIntNTy(left->getType()->getIntegerBitWidth() > 32 ? 128 : 64);
        left = builder.CreateSExt(left, wide);
        right = builder.CreateSExt(right, wide);
        auto number = [&](std::int64_t value) { return llvm::ConstantInt::getSigned(wide, value); };
        auto beyond = [&](Value* base, std::int64_t step, llvm::CmpInst::Predicate predicate) {
            return builder.CreateICmp(predicate, builder.CreateAdd(base, number(step)), number(0));
        };
        const unsigned bits = assumed.left->getType()->getIntegerBitWidth();
        for (const auto& [base, side] :
             {std::pair(left, &assumed.of_left), std::pair(right, &assumed.of_right)}) {
            if (!side->may_wrap) continue;
            Value* lowest = builder.CreateAdd(base, number(side->least));
            Value* highest = builder.CreateAdd(base, number(side->most));
            const auto limit = [&](const llvm::APInt& value) {
                return llvm::ConstantInt::get(wide, value.sext(wide->getIntegerBitWidth()));
            };
            all = builder.CreateAnd(
                all, builder.CreateICmpSGE(lowest, limit(llvm::APInt::getSignedMinValue(bits))));
            all = builder.CreateAnd(
                all, builder.CreateICmpSLE(highest, limit(llvm::APInt::getSignedMaxValue(bits))));
        }
        Value* difference = builder.CreateSub(left, right);
        llvm::CmpInst::Predicate predicate = assumed.predicate;
        if (llvm::CmpInst::isUnsigned(predicate)) {
            predicate = llvm::ICmpInst::getSignedPredicate(predicate);
            auto is_natural = llvm::CmpInst::ICMP_SGE;
            all = builder.CreateAnd(all, beyond(left, assumed.of_left.least, is_natural));
            all = builder.CreateAnd(all, beyond(right, assumed.of_right.least, is_natural));
        }
        Value* holds = nullptr;
        if (predicate == llvm::CmpInst::ICMP_NE) {
            holds = builder.CreateOr(beyond(difference, assumed.least, llvm::CmpInst::ICMP_SGT),
                                     beyond(difference, assumed.most, llvm::CmpInst::ICMP_SLT));
        } else {
            bool is_below = llvm::ICmpInst::isLT(predicate) || llvm::ICmpInst::isLE(predicate);
            holds = beyond(difference, is_below ? assumed.most : assumed.least, predicate);
        }
        all = builder.CreateAnd(all, holds);
    }
    return builder.CreateAnd(all, repetition.are_defined());
}

llvm::Function* Assumptions::apply() const {
    llvm::ValueToValueMapTy copies;
    llvm::Function* copy = llvm::CloneFunction(&scalar_, copies);
    const auto copy_of = [&](Value* value) {
        Value* made = copies.lookup(value);
        return made != nullptr ? made : value;
    };
    for (const auto& [condition, outcome] : settled_) {
        copy_of(condition)->replaceAllUsesWith(
            llvm::ConstantInt::getBool(copy->getContext(), outcome));
    }
    for (const Assumed& assumed : assumed_) {
        auto* what = llvm::cast<Instruction>(copy_of(assumed.what));
        what->replaceAllUsesWith(
            assumed.outcome ? llvm::ConstantInt::getBool(copy->getContext(), *assumed.outcome)
                            : what->getOperand(assumed.operand));
    }
    apply_divisions(*copy, copies);
    return copy;
}

}  // namespace warpwise::cpu_compiler::gang
