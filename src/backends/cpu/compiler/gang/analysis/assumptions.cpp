// Which way a comparison is assumed to go: a lower bound that is a constant holds and an upper
// bound holds (i > 0, i < n), no two numbers are equal. No minimum or maximum is the bound itself,
// min(max(x + 1, 0), width - 1), and divisors are above 0.
#include "src/backends/cpu/compiler/gang/analysis/assumptions.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <bit>

#include "src/backends/cpu/compiler/gang/analysis/markers.hpp"
#include "src/backends/cpu/compiler/gang/analysis/registers.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr unsigned kDeepest = 16;
// The first and the last lane of an index that is divided, so that a sum stays in its type.
constexpr std::int64_t kFarthest = std::int64_t{1} << 20;

bool is_pure_intrinsic(llvm::Intrinsic::ID id) {
    using namespace llvm::Intrinsic;
    return id == smin || id == smax || id == umin || id == umax;
}

// Whether a thread knows the value at its start, and whether it depends on more than its index.
struct Origin {
    bool is_known = false;
    bool is_of_launch = false;
};

Origin origin_of(const Value* value, unsigned depth = 0) {
    if (llvm::isa<llvm::ConstantInt>(value)) return {true, false};
    if (llvm::isa<llvm::Argument>(value)) return {true, true};
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction || depth > kDeepest || !instruction->getType()->isIntegerTy()) return {};
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction)) {
        return {is_parameter(*load), true};
    }
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(instruction)) {
        llvm::Intrinsic::ID id = call->getIntrinsicID();
        if (thread_axis_of(id)) return {true, false};
        if (is_block_register(id)) return {true, true};
        if (!is_pure_intrinsic(id)) return {};
    } else if (!llvm::isa<llvm::CastInst, llvm::FreezeInst, llvm::SelectInst, llvm::ICmpInst>(
                   instruction) &&
               !instruction->isBinaryOp()) {
        return {};
    }
    Origin result{true, false};
    unsigned operands = instruction->getNumOperands();
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(instruction)) operands = call->arg_size();
    for (unsigned i = 0; i < operands; ++i) {
        Origin origin = origin_of(instruction->getOperand(i), depth + 1);
        result.is_known &= origin.is_known;
        result.is_of_launch |= origin.is_of_launch;
    }
    return result;
}

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

// Makes, for the first thread, the values that comparisons are of. Without the promises that hold
// only where the kernel itself would compute them.
class Repetition {
  public:
    explicit Repetition(llvm::IRBuilder<>& builder)
        : builder_(builder), are_defined_(builder.getTrue()) {}

    // Whether all divisions had divisors above 0; others were by 1.
    Value* are_defined() const { return are_defined_; }

    Value* of(Value* value) {
        llvm::Function* function = builder_.GetInsertBlock()->getParent();
        if (auto* argument = llvm::dyn_cast<llvm::Argument>(value)) {
            return function->getArg(argument->getArgNo());
        }
        auto* instruction = llvm::dyn_cast<Instruction>(value);
        if (!instruction) return value;
        if (Value* made = made_.lookup(value)) return made;
        Instruction* copy = instruction->clone();
        for (unsigned i = 0; i < copy->getNumOperands(); ++i) {
            copy->setOperand(i, of(instruction->getOperand(i)));
        }
        if (copy->isIntDivRem()) copy->setOperand(1, divisor_of(copy->getOperand(1)));
        if (!llvm::isa<llvm::LoadInst>(copy)) copy->dropPoisonGeneratingAnnotations();
        return made_[value] = builder_.Insert(copy);
    }

    Value* divisor_of(Value* divisor) {
        Value* one = llvm::ConstantInt::get(divisor->getType(), 1);
        Value* is_above = builder_.CreateICmpSGE(divisor, one);
        are_defined_ = builder_.CreateAnd(are_defined_, is_above);
        return builder_.CreateSelect(is_above, divisor, one);
    }

  private:
    llvm::IRBuilder<>& builder_;
    Value* are_defined_;
    llvm::DenseMap<Value*, Value*> made_;
};

struct Range {
    std::int64_t least = 0;
    std::int64_t most = 0;

    void add(std::int64_t value) {
        least = std::min(least, value);
        most = std::max(most, value);
    }
};

Value* without_freeze(Value* value) {
    auto* frozen = llvm::dyn_cast<llvm::FreezeInst>(value);
    return frozen ? frozen->getOperand(0) : value;
}

// What a condition says where `above` is above 0; divisions ask that of their divisors.
std::optional<bool> outcome_of(Value* condition, Value* above) {
    using namespace llvm::PatternMatch;
    Value *left = nullptr, *right = nullptr;
    for (const bool is_or : {true, false}) {
        const bool is_both = is_or ? match(condition, m_LogicalOr(m_Value(left), m_Value(right)))
                                   : match(condition, m_LogicalAnd(m_Value(left), m_Value(right)));
        if (!is_both) continue;
        const auto first = outcome_of(left, above), second = outcome_of(right, above);
        if (first == is_or || second == is_or) return is_or;
        return first && second ? std::optional(!is_or) : std::nullopt;
    }
    auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(condition);
    const llvm::APInt *number = nullptr, *offset = nullptr;
    if (comparison == nullptr || !match(comparison->getOperand(1), m_APInt(number))) {
        return std::nullopt;
    }
    const unsigned bits = number->getBitWidth();
    llvm::ConstantRange range(llvm::APInt(bits, 1), llvm::APInt::getSignedMinValue(bits));
    Value* compared = without_freeze(comparison->getOperand(0));
    if (match(compared, m_Add(m_Value(left), m_APInt(offset)))) {
        compared = without_freeze(left);
        range = range.add(*offset);
    }
    if (compared != above) return std::nullopt;
    const llvm::ConstantRange other(*number);
    if (range.icmp(comparison->getPredicate(), other)) return true;
    if (range.icmp(comparison->getInversePredicate(), other)) return false;
    return std::nullopt;
}

// Of a divisor that is not 0 whatever the kernel is given: what it is where that is above 0.
Value* usual_divisor(Value* divisor) {
    Value* usual = without_freeze(divisor);
    if (auto* bound = llvm::dyn_cast<llvm::MinMaxIntrinsic>(usual)) {
        auto* number = llvm::dyn_cast<llvm::ConstantInt>(bound->getRHS());
        const bool is_lower = bound->getIntrinsicID() == llvm::Intrinsic::umax ||
                              bound->getIntrinsicID() == llvm::Intrinsic::smax;
        return is_lower && number != nullptr && number->isOne() ? without_freeze(bound->getLHS())
                                                                : usual;
    }
    auto* choice = llvm::dyn_cast<llvm::SelectInst>(usual);
    if (choice == nullptr) return usual;
    for (const bool side : {true, false}) {
        Value* chosen = without_freeze(side ? choice->getTrueValue() : choice->getFalseValue());
        if (outcome_of(choice->getCondition(), chosen) == side) return chosen;
    }
    return usual;
}

}  // namespace

Assumptions::Assumptions(llvm::Function& scalar, const Plan& plan, const Shapes& shapes,
                         const Layout& layout, Rows rows)
    : scalar_(scalar) {
    llvm::DenseSet<const Instruction*> divisions;
    for (const PlannedBlock& planned : plan.blocks()) {
        for (Instruction& instruction : *planned.block) {
            if (rows == Rows::Ignored || !instruction.isIntDivRem()) continue;
            if (consider_division(instruction, shapes, layout)) divisions.insert(&instruction);
        }
    }
    LaneRuns runs(shapes, layout);
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

// Of an index with steps, by a row that is thought to be longer than the gang.
bool Assumptions::consider_division(Instruction& division, const Shapes& shapes,
                                    const Layout& layout) {
    Value* dividend = division.getOperand(0);
    Value* divisor = usual_divisor(division.getOperand(1));
    const Shape shape = shapes.of(dividend);
    const bool has_steps = shape.is_single() && shape.is_stepped() && shape.is_exact;
    if (!has_steps || shapes.of(&division).has_scalars() || !shapes.of(divisor).is_uniform()) {
        return false;
    }
    const Origin first = origin_of(dividend), second = origin_of(divisor);
    if (!first.is_known || !second.is_known || !first.is_of_launch) return false;
    Range lanes;
    for (unsigned lane = 0; lane < layout.lanes(); ++lane) {
        lanes.add(layout.offset(*shape.row, lane / layout.width) +
                  *shape.lane * (lane % layout.width));
    }
    const std::int64_t span = lanes.most - lanes.least;
    auto* number = llvm::dyn_cast<llvm::ConstantInt>(divisor);
    const bool may_be = number == nullptr || number->getValue().sge(costs::kGangsOfRow * span);
    const bool is_wide = division.getType()->getIntegerBitWidth() >= 32;
    if (!may_be || !is_wide || span > kFarthest) return false;
    divisions_.push_back({&division, divisor, lanes.least, span});
    return true;
}

std::optional<Assumptions::Side> Assumptions::side_of(Value* value, const Shapes& shapes,
                                                      const Layout& layout, LaneRuns& runs) {
    const Shape shape = shapes.of(value);
    Side side;
    if (shape.row && shape.lane && (shape.is_exact || shape.is_uniform())) {
        for (unsigned lane = 0; lane < layout.lanes(); ++lane) {
            side.lanes.push_back(layout.offset(*shape.row, lane / layout.width) +
                                 *shape.lane * (lane % layout.width));
        }
    } else {
        if (shape.has_scalars() || !runs.is_followed_freely(value)) return std::nullopt;
        const LaneSteps& steps = runs.steps_of(value);
        std::int64_t distance = 0;
        for (unsigned lane = 0; lane < steps.size(); ++lane) {
            if (lane > 0 && !steps[lane]) return std::nullopt;
            if (lane > 0) distance += *steps[lane];
            side.lanes.push_back(distance);
        }
        side.may_wrap = true;
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
        const bool outcome = *usual_outcome(
            is_left_shared ? comparison->getSwappedPredicate() : assumed.predicate, has_constant);
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
    Range both{a->lanes[0] - b->lanes[0], a->lanes[0] - b->lanes[0]};
    for (unsigned lane = 0; lane < layout.lanes(); ++lane)
        both.add(a->lanes[lane] - b->lanes[lane]);
    assumed.least = both.least;
    assumed.most = both.most;
    assumed.of_left = *a;
    assumed.of_right = *b;
    if (!assumed.outcome) {
        runs.assume_unbounded(llvm::cast<llvm::MinMaxIntrinsic>(instruction));
    }
    assumed_.push_back(std::move(assumed));
}

Value* Assumptions::test(llvm::IRBuilder<>& builder) const {
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

// Of rows that hold few gangs, most gangs lie in two, or at an end where a bound is reached; but
// none lies in two where rows are whole gangs.
Value* Assumptions::are_rows_long(llvm::IRBuilder<>& builder) const {
    const bool have_bounds = llvm::any_of(assumed_, [](const Assumed& assumed) {
        return assumed.of_left.may_wrap || assumed.of_right.may_wrap;
    });
    const std::int64_t gangs = have_bounds ? costs::kGangsOfBoundedRow : costs::kGangsOfRow;
    Repetition repetition(builder);
    Value* all = builder.getTrue();
    for (const Division& division : divisions_) {
        if (llvm::isa<llvm::ConstantInt>(division.divisor)) continue;
        Value* divisor = repetition.of(division.divisor);
        Value* least = llvm::ConstantInt::getSigned(divisor->getType(), gangs * division.span);
        Value* is_long = builder.CreateICmpSGE(divisor, least);
        if (!have_bounds && std::has_single_bit(static_cast<std::uint64_t>(division.span + 1))) {
            Value* rest = builder.CreateAnd(divisor, static_cast<std::uint64_t>(division.span));
            Value* is_whole =
                builder.CreateICmpEQ(rest, llvm::Constant::getNullValue(rest->getType()));
            is_long = builder.CreateOr(is_long, is_whole);
        }
        all = builder.CreateAnd(all, is_long);
    }
    return all;
}

Value* Assumptions::test_all(llvm::IRBuilder<>& builder) const {
    Repetition repetition(builder);
    Value* all = builder.getTrue();
    for (const Division& division : divisions_) {
        Value* dividend = repetition.of(division.division->getOperand(0));
        Value* divisor = repetition.divisor_of(repetition.of(division.divisor));
        all = builder.CreateAnd(all, test_division(builder, division, dividend, divisor));
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

// Whether the lowest and the highest lane's dividend lie in one row.
Value* Assumptions::test_division(llvm::IRBuilder<>& builder, const Division& division,
                                  Value* dividend, Value* divisor) {
    llvm::Type* type = dividend->getType();
    const unsigned bits = type->getIntegerBitWidth();
    const auto number = [&](std::int64_t value) {
        return llvm::ConstantInt::getSigned(type, value);
    };
    Value* lowest = builder.CreateAdd(dividend, number(division.least));
    Value* limit = llvm::ConstantInt::get(
        type, llvm::APInt::getSignedMaxValue(bits) - static_cast<std::uint64_t>(division.span));
    // As unsigned ones, negative numbers are above; so is what lies below 0 or wraps.
    Value* stays = builder.CreateICmpULE(lowest, limit);
    Value* quotient = builder.CreateUDiv(lowest, divisor);
    Value* rest = builder.CreateSub(lowest, builder.CreateMul(quotient, divisor));
    Value* is_in_row =
        builder.CreateICmpULT(builder.CreateAdd(rest, number(division.span)), divisor);
    return builder.CreateAnd(stays, is_in_row);
}

// One quotient of all lanes, and a remainder with steps.
void Assumptions::apply_division(Instruction& division, Value* divisor) {
    llvm::IRBuilder<> builder(&division);
    Value* dividend = division.getOperand(0);
    Value* first = call_marker(builder, kFirstLane, dividend->getType(), {dividend});
    Value* result = builder.CreateUDiv(first, divisor);
    const bool is_remainder =
        division.getOpcode() == Instruction::URem || division.getOpcode() == Instruction::SRem;
    if (is_remainder) {
        Value* before = builder.CreateMul(result, divisor, "", /*HasNUW=*/true, /*HasNSW=*/true);
        result = builder.CreateSub(dividend, before, "", /*HasNUW=*/true, /*HasNSW=*/true);
        for (llvm::User* user : division.users()) {
            if (auto* widening = llvm::dyn_cast<llvm::ZExtInst>(user)) widening->setNonNeg();
        }
    }
    division.replaceAllUsesWith(result);
    division.eraseFromParent();
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
    for (const Division& division : divisions_) {
        apply_division(*llvm::cast<Instruction>(copy_of(division.division)),
                       copy_of(division.divisor));
    }
    return copy;
}

}  // namespace warpwise::cpu_compiler::gang
