// Shifts as PTX defines them: the count is a number of 32 bits without a sign, and a count of the
// width or more shifts everything out. Seen on an H200 for 32 and 64 bits. Runs before any
// optimisation, which would otherwise take a shift for proof that its count is small.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/scalar/mathematics.hpp"

namespace warpwise::cpu_compiler {
namespace {

constexpr unsigned kCountBits = 32;
constexpr unsigned kWidestShift = 64;

bool may_shift_too_far(const llvm::Instruction& instruction) {
    if (!instruction.isShift() || instruction.getType()->getScalarSizeInBits() > kWidestShift) {
        return false;
    }
    auto* count = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
    return !count || count->getValue().uge(count->getBitWidth());
}

// The low 32 bits of a count.
llvm::Value* count_of(llvm::IRBuilder<>& builder, llvm::Value* count) {
    if (count->getType()->getScalarSizeInBits() <= kCountBits) return count;
    auto* widened = llvm::dyn_cast<llvm::ZExtInst>(count);
    if (widened && widened->getSrcTy()->getScalarSizeInBits() <= kCountBits) return count;
    return builder.CreateZExt(builder.CreateTrunc(count, builder.getInt32Ty()), count->getType());
}

void define(llvm::BinaryOperator& shift) {
    llvm::IRBuilder<> builder(&shift);
    llvm::Type* type = shift.getType();
    const unsigned width = type->getScalarSizeInBits();
    llvm::Value* count = count_of(builder, shift.getOperand(1));
    llvm::Value* is_within = builder.CreateICmpULT(count, llvm::ConstantInt::get(type, width));
    llvm::Value* result = nullptr;
    if (shift.getOpcode() == llvm::Instruction::AShr) {
        llvm::Value* most = llvm::ConstantInt::get(type, width - 1);
        result =
            builder.CreateAShr(shift.getOperand(0), builder.CreateSelect(is_within, count, most));
    } else {
        llvm::Value* shifted = builder.CreateBinOp(shift.getOpcode(), shift.getOperand(0), count);
        result = builder.CreateSelect(is_within, shifted, llvm::Constant::getNullValue(type));
    }
    result->takeName(&shift);
    shift.replaceAllUsesWith(result);
    shift.eraseFromParent();
}

}  // namespace

void define_shifts(Lowering& job) {
    for (llvm::Function& function : job.module) {
        if (is_own_mathematics(function)) continue;
        for (llvm::Instruction& instruction :
             llvm::make_early_inc_range(llvm::instructions(function))) {
            if (may_shift_too_far(instruction)) {
                define(llvm::cast<llvm::BinaryOperator>(instruction));
            }
        }
    }
}

}  // namespace warpwise::cpu_compiler
