// A claim about a value stands on claims about what it is computed of. One that stands on itself
// through a phi holds: what the phi was before was claimed before.
#include "src/backends/cpu/compiler/lowering/ptx/nan_kinds.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace warpwise::cpu_compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr unsigned kMost = 64;  // values that one answer looks at

bool is_minimum(const Value* value) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(value);
    return call != nullptr && (call->getIntrinsicID() == llvm::Intrinsic::minnum ||
                               call->getIntrinsicID() == llvm::Intrinsic::maxnum);
}

template <class Holds>
bool holds_for_elements(const llvm::Constant& constant, Holds&& holds) {
    auto* type = llvm::dyn_cast<llvm::FixedVectorType>(constant.getType());
    const unsigned count = type ? type->getNumElements() : 1;
    for (unsigned i = 0; i < count; ++i) {
        const llvm::Constant* element = type ? constant.getAggregateElement(i) : &constant;
        auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(element);
        const bool is_any = element != nullptr && llvm::isa<llvm::UndefValue>(element);
        if (!is_any && (number == nullptr || !holds(number->getValueAPF()))) return false;
    }
    return true;
}

class Claim {
  public:
    virtual ~Claim() = default;

    bool holds(const Value* value) {
        if (auto* constant = llvm::dyn_cast<llvm::Constant>(value)) {
            return holds_for_elements(
                *constant, [&](const llvm::APFloat& number) { return of_number(number); });
        }
        auto* instruction = llvm::dyn_cast<Instruction>(value);
        if (instruction == nullptr) return false;
        if (!open_.insert(value).second) return true;
        const bool result = ++seen_ <= kMost && of_instruction(*instruction);
        open_.erase(value);
        return result;
    }

  protected:
    virtual bool of_number(const llvm::APFloat& number) const = 0;
    virtual bool of_minimum(const llvm::IntrinsicInst& call) = 0;
    virtual bool of_operation(const Instruction& instruction) const = 0;

  private:
    bool of_instruction(const Instruction& instruction) {
        if (is_minimum(&instruction)) {
            return of_minimum(llvm::cast<llvm::IntrinsicInst>(instruction));
        }
        switch (instruction.getOpcode()) {
            case Instruction::PHI:
            case Instruction::ShuffleVector:
                return llvm::all_of(instruction.operands(),
                                    [&](const Value* one) { return holds(one); });
            case Instruction::Select:
                return holds(instruction.getOperand(1)) && holds(instruction.getOperand(2));
            case Instruction::InsertElement:
                return holds(instruction.getOperand(0)) && holds(instruction.getOperand(1));
            case Instruction::ExtractElement:
            case Instruction::Freeze:
                return holds(instruction.getOperand(0));
            default:
                return of_operation(instruction);
        }
    }

    llvm::SmallPtrSet<const Value*, 16> open_;  // what claims about are being looked at
    unsigned seen_ = 0;
};

class NeverNan final : public Claim {
    bool of_number(const llvm::APFloat& number) const override { return !number.isNaN(); }
    bool of_minimum(const llvm::IntrinsicInst& call) override {
        return holds(call.getArgOperand(0)) || holds(call.getArgOperand(1));
    }
    bool of_operation(const Instruction& instruction) const override {
        return llvm::isKnownNeverNaN(&instruction, 0,
                                     llvm::SimplifyQuery(instruction.getDataLayout()));
    }
};

class NeverSignalling final : public Claim {
    bool of_number(const llvm::APFloat& number) const override { return !number.isSignaling(); }
    // As minima are lowered.
    bool of_minimum(const llvm::IntrinsicInst&) override { return true; }
    bool of_operation(const Instruction& instruction) const override {
        switch (instruction.getOpcode()) {
            case Instruction::FAdd:
            case Instruction::FSub:
            case Instruction::FMul:
            case Instruction::FDiv:
            case Instruction::FPExt:
            case Instruction::FPTrunc:
            case Instruction::SIToFP:
            case Instruction::UIToFP:
                return true;
            case Instruction::Call: {
                const llvm::Intrinsic::ID id =
                    llvm::cast<llvm::CallInst>(instruction).getIntrinsicID();
                return id == llvm::Intrinsic::fma || id == llvm::Intrinsic::sqrt;
            }
            default:
                return false;
        }
    }
};

}  // namespace

bool is_never_nan(const Value* value) {
    return NeverNan().holds(value);
}

bool is_never_signalling(const Value* value) {
    return NeverSignalling().holds(value);
}

}  // namespace warpwise::cpu_compiler
