// Additions, and the `or` that clang makes of them.
#include "src/backends/cpu/compiler/gang/analysis/exact_sum.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstrTypes.h>

namespace warpwise::cpu_compiler::gang {
namespace {

bool is_exact(const llvm::BinaryOperator& sum, const llvm::ConstantInt& number, NoWrap reading) {
    if (auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&sum)) {
        return disjoint->isDisjoint() && !number.isNegative();
    }
    if (sum.getOpcode() != llvm::Instruction::Add) return false;
    switch (reading) {
        case NoWrap::Signed:
            return sum.hasNoSignedWrap();
        case NoWrap::Unsigned:
            return sum.hasNoUnsignedWrap();
        case NoWrap::Any:
            return true;
    }
    llvm_unreachable("all readings handled");
}

}  // namespace

ExactSum exact_sum(llvm::Value* value, NoWrap reading) {
    ExactSum result{value};
    for (;;) {
        auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(result.rest);
        auto* number = sum ? llvm::dyn_cast<llvm::ConstantInt>(sum->getOperand(1)) : nullptr;
        if (!number || number->getBitWidth() > 64 || !is_exact(*sum, *number, reading)) {
            return result;
        }
        result.number += reading == NoWrap::Unsigned
                             ? static_cast<std::int64_t>(number->getZExtValue())
                             : number->getSExtValue();
        result.rest = sum->getOperand(0);
    }
}

}  // namespace warpwise::cpu_compiler::gang
