// Additions, and the `or` that clang makes of them.
#include "src/backends/cpu/compiler/gang/analysis/usual/row_sums.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

namespace warpwise::cpu_compiler::gang {
namespace {

constexpr unsigned kDeepest = 8;

bool is_sum(const llvm::BinaryOperator* value) {
    if (value == nullptr) return false;
    auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(value);
    return disjoint ? disjoint->isDisjoint() : value->getOpcode() == llvm::Instruction::Add;
}

const llvm::Value* without_freeze(const llvm::Value* value) {
    auto* frozen = llvm::dyn_cast<llvm::FreezeInst>(value);
    return frozen ? frozen->getOperand(0) : value;
}

void collect(const llvm::Value* value, const llvm::Value* divisor, unsigned depth, RowSum& sum) {
    auto* number = llvm::dyn_cast<llvm::ConstantInt>(value);
    auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value);
    if (number != nullptr && number->getBitWidth() <= 64) {
        sum.number += number->getSExtValue();
    } else if (without_freeze(value) == divisor) {
        ++sum.divisors;
    } else if (is_sum(operation) && depth < kDeepest) {
        for (const llvm::Value* operand : operation->operands()) {
            collect(operand, divisor, depth + 1, sum);
        }
    } else {
        sum.terms.push_back(value);
    }
}

}  // namespace

RowSum row_sum(const llvm::Value* sum, const llvm::Value* divisor) {
    RowSum result;
    collect(sum, divisor, 0, result);
    llvm::sort(result.terms);
    return result;
}

}  // namespace warpwise::cpu_compiler::gang
