// By the form of instructions alone.
#include "src/backends/cpu/compiler/gang/analysis/usual/start_values.hpp"

#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/gang/analysis/registers.hpp"
#include "src/backends/cpu/compiler/lowering/threads/thread_state.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Instruction;
using llvm::Value;

namespace {

constexpr unsigned kDeepest = 16;

bool is_pure_intrinsic(llvm::Intrinsic::ID id) {
    using namespace llvm::Intrinsic;
    return id == smin || id == smax || id == umin || id == umax;
}

Value* without_freeze(Value* value) {
    auto* frozen = llvm::dyn_cast<llvm::FreezeInst>(value);
    return frozen ? frozen->getOperand(0) : value;
}

struct Ranged {
    Value* value;
    llvm::ConstantRange range;
};

// What `of` is computed of by one operation with a number, and what that is where `of` is in its
// range: LLVM compares width with 2 where a program compares width / 2 with 0.
std::optional<Ranged> ranged_operand(const Ranged& of) {
    using namespace llvm::PatternMatch;
    const unsigned bits = of.range.getBitWidth();
    Value* operand = nullptr;
    const llvm::APInt* number = nullptr;
    if (match(of.value, m_Add(m_Value(operand), m_APInt(number)))) {
        return Ranged{without_freeze(operand), of.range.sub(*number)};
    }
    const bool is_positive = of.range.getSignedMin().isStrictlyPositive();
    if (!is_positive) return std::nullopt;
    const auto from = [&](const llvm::APInt& least) {
        return Ranged{without_freeze(operand), {least, llvm::APInt::getSignedMinValue(bits)}};
    };
    if (match(of.value, m_SDiv(m_Value(operand), m_APInt(number))) &&
        number->isStrictlyPositive()) {
        return from(*number);
    }
    if (match(of.value, m_AShr(m_Value(operand), m_APInt(number))) && number->ult(bits - 1)) {
        return from(llvm::APInt::getOneBitSet(bits, number->getZExtValue()));
    }
    if (match(of.value, m_NSWShl(m_Value(operand), m_APInt(number))) ||
        (match(of.value, m_NSWMul(m_Value(operand), m_APInt(number))) &&
         number->isStrictlyPositive())) {
        return from(llvm::APInt(bits, 1));
    }
    const bool is_unsigned =
        match(of.value, m_UDiv(m_Value(operand), m_APInt(number))) && number->isStrictlyPositive();
    if (is_unsigned ||
        (match(of.value, m_LShr(m_Value(operand), m_APInt(number))) && number->ult(bits - 1))) {
        const llvm::APInt least =
            is_unsigned ? *number : llvm::APInt::getOneBitSet(bits, number->getZExtValue());
        return Ranged{without_freeze(operand), {least, llvm::APInt::getZero(bits)}};
    }
    return std::nullopt;
}

// The ranges of `above` and of what it is computed of, where it is above 0.
llvm::SmallVector<Ranged, 4> ranges_of(Value* above) {
    const unsigned bits = above->getType()->getIntegerBitWidth();
    llvm::SmallVector<Ranged, 4> all;
    std::optional<Ranged> next =
        Ranged{above, {llvm::APInt(bits, 1), llvm::APInt::getSignedMinValue(bits)}};
    for (unsigned depth = 0; next && depth < kDeepest; ++depth) {
        all.push_back(*next);
        next = ranged_operand(all.back());
    }
    return all;
}

}  // namespace

Origin origin_of(const Value* value, unsigned depth) {
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
    Value* compared = without_freeze(comparison->getOperand(0));
    const bool is_sum = match(compared, m_Add(m_Value(left), m_APInt(offset)));
    for (const Ranged& known : ranges_of(above)) {
        llvm::ConstantRange range = known.range;
        if (compared != known.value) {
            if (!is_sum || without_freeze(left) != known.value) continue;
            range = range.add(*offset);
        }
        const llvm::ConstantRange other(*number);
        if (range.icmp(comparison->getPredicate(), other)) return true;
        if (range.icmp(comparison->getInversePredicate(), other)) return false;
    }
    return std::nullopt;
}

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

Value* Repetition::of(Value* value) {
    llvm::Function* function = builder_.GetInsertBlock()->getParent();
    if (auto* argument = llvm::dyn_cast<llvm::Argument>(value)) {
        return function->getArg(argument->getArgNo());
    }
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction) return value;
    if (Value* made = made_.lookup(value)) return made;
    if (thread_ == Thread::FirstOfRow) {
        auto* read = llvm::dyn_cast<llvm::IntrinsicInst>(value);
        if (read && thread_axis_of(read->getIntrinsicID()) == 0) {
            return made_[value] = first_of_row();
        }
    }
    Instruction* copy = instruction->clone();
    for (unsigned i = 0; i < copy->getNumOperands(); ++i) {
        copy->setOperand(i, of(instruction->getOperand(i)));
    }
    if (copy->isIntDivRem()) copy->setOperand(1, divisor_of(copy->getOperand(1)));
    if (!llvm::isa<llvm::LoadInst>(copy)) copy->dropPoisonGeneratingAnnotations();
    return made_[value] = builder_.Insert(copy);
}

Value* Repetition::first_of_row() {
    llvm::LoadInst* made =
        load_at(builder_, builder_.getInt32Ty(), builder_.GetInsertBlock()->getParent()->getArg(0),
                offsetof(cpu::ThreadState, row_thread));
    made->setMetadata(llvm::LLVMContext::MD_invariant_load,
                      llvm::MDNode::get(builder_.getContext(), {}));
    return made;
}

Value* Repetition::divisor_of(Value* divisor) {
    Value* one = llvm::ConstantInt::get(divisor->getType(), 1);
    Value* is_above = builder_.CreateICmpSGE(divisor, one);
    are_defined_ = builder_.CreateAnd(are_defined_, is_above);
    return builder_.CreateSelect(is_above, divisor, one);
}

}  // namespace warpwise::cpu_compiler::gang
