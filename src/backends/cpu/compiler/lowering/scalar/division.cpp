// Integer division as GPUs do it: no trap. By zero, quotient and remainder have all bits set; of 64
// bits only the lower 32 where the dividend's upper 32 are zero (seen on an H200 for 8 to 64 bits,
// signed and unsigned). INT_MIN / -1 wraps. Runs before any
// optimisation, which would otherwise take a division for proof that its divisor is not zero.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"

namespace warpwise::cpu_compiler {
namespace {

bool is_integer_division(const llvm::Instruction& instruction) {
    switch (instruction.getOpcode()) {
        case llvm::Instruction::UDiv:
        case llvm::Instruction::SDiv:
        case llvm::Instruction::URem:
        case llvm::Instruction::SRem:
            return true;
        default:
            return false;
    }
}

bool is_harmless_divisor(const llvm::Value* divisor) {
    auto* constant = llvm::dyn_cast<llvm::ConstantInt>(divisor);
    return constant && !constant->isZero() && !constant->isMinusOne();
}

llvm::Value* frozen(llvm::IRBuilder<>& builder, llvm::Value* value) {
    if (llvm::isGuaranteedNotToBeUndefOrPoison(value)) return value;
    return builder.CreateFreeze(value);
}

llvm::Value* result_by_zero(llvm::IRBuilder<>& builder, llvm::Value* dividend) {
    llvm::Type* type = dividend->getType();
    llvm::Value* all_ones = llvm::Constant::getAllOnesValue(type);
    if (type->getScalarSizeInBits() != 64) return all_ones;
    constexpr std::uint64_t kLowerHalf = 0xFFFFFFFF;
    llvm::Value* lower = llvm::ConstantInt::get(type, kLowerHalf);
    return builder.CreateSelect(builder.CreateICmpULE(dividend, lower), lower, all_ones);
}

void define(llvm::BinaryOperator& division) {
    llvm::IRBuilder<> builder(&division);
    bool is_signed = division.getOpcode() == llvm::Instruction::SDiv ||
                     division.getOpcode() == llvm::Instruction::SRem;
    llvm::Type* type = division.getType();
    llvm::Value* dividend = frozen(builder, division.getOperand(0));
    llvm::Value* divisor = frozen(builder, division.getOperand(1));
    llvm::Value* by_zero = builder.CreateICmpEQ(divisor, llvm::Constant::getNullValue(type));
    llvm::Value* unsafe = by_zero;
    llvm::Value* by_minus_one = nullptr;
    if (is_signed) {
        // The least number overflows. By a test of the divisor alone: it stays one for all threads
        // where they share it.
        by_minus_one = builder.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type));
        unsafe = builder.CreateOr(by_zero, by_minus_one);
    }
    llvm::Value* safe_divisor =
        builder.CreateSelect(unsafe, llvm::ConstantInt::get(type, 1), divisor);
    llvm::Value* quotient = builder.CreateBinOp(division.getOpcode(), dividend, safe_divisor);
    // x % -1 is 0, as x % 1 is.
    if (division.getOpcode() == llvm::Instruction::SDiv) {
        quotient = builder.CreateSelect(by_minus_one, builder.CreateNeg(dividend), quotient);
    }
    llvm::Value* result =
        builder.CreateSelect(by_zero, result_by_zero(builder, dividend), quotient);
    result->takeName(&division);
    division.replaceAllUsesWith(result);
    division.eraseFromParent();
}

}  // namespace

void define_division(Lowering& job) {
    for (llvm::Function& function : job.module) {
        for (llvm::Instruction& instruction :
             llvm::make_early_inc_range(llvm::instructions(function))) {
            if (is_integer_division(instruction) &&
                !is_harmless_divisor(instruction.getOperand(1))) {
                define(llvm::cast<llvm::BinaryOperator>(instruction));
            }
        }
    }
}

}  // namespace warpwise::cpu_compiler
