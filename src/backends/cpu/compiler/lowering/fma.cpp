// Contraction, decided once for all executors: a product with one use that is added or subtracted
// becomes llvm.fma, and no instruction may be contracted after that.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"

namespace warpwise::cpu_compiler {
namespace {

bool may_contract(const llvm::Instruction& instruction) {
    return instruction.hasAllowContract() &&
           (instruction.getType()->isFloatTy() || instruction.getType()->isDoubleTy());
}

llvm::BinaryOperator* product(llvm::Value* value) {
    auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value);
    if (!operation || operation->getOpcode() != llvm::Instruction::FMul) return nullptr;
    return operation->hasOneUse() && may_contract(*operation) ? operation : nullptr;
}

llvm::Value* fused(llvm::IRBuilder<>& builder, llvm::Value* a, llvm::Value* b, llvm::Value* c) {
    return builder.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

// The left product wins where both sides are one: any fixed choice will do.
llvm::Value* contracted(llvm::BinaryOperator& sum) {
    bool subtract = sum.getOpcode() == llvm::Instruction::FSub;
    if ((!subtract && sum.getOpcode() != llvm::Instruction::FAdd) || !may_contract(sum)) {
        return nullptr;
    }
    llvm::IRBuilder<> builder(&sum);
    builder.setFastMathFlags(sum.getFastMathFlags());
    llvm::Value *left = sum.getOperand(0), *right = sum.getOperand(1);
    if (llvm::BinaryOperator* mul = product(left)) {
        llvm::Value* addend = subtract ? builder.CreateFNeg(right) : right;
        return fused(builder, mul->getOperand(0), mul->getOperand(1), addend);
    }
    if (llvm::BinaryOperator* mul = product(right)) {
        llvm::Value* factor = mul->getOperand(0);
        if (subtract) factor = builder.CreateFNeg(factor);
        return fused(builder, factor, mul->getOperand(1), left);
    }
    return nullptr;
}

void contract(llvm::Instruction& instruction) {
    auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
    llvm::Value* result = sum ? contracted(*sum) : nullptr;
    if (!result) return;
    llvm::BinaryOperator* candidates[] = {product(sum->getOperand(0)), product(sum->getOperand(1))};
    result->takeName(sum);
    sum->replaceAllUsesWith(result);
    sum->eraseFromParent();
    for (llvm::BinaryOperator* mul : candidates) {
        if (mul && mul->use_empty()) mul->eraseFromParent();
    }
}

}  // namespace

void form_fma(Lowering& job) {
    for (llvm::Function& function : job.module) {
        // Sums are visited before the products of later sums can become single-use: program order.
        std::vector<llvm::Instruction*> order;
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
            unsigned opcode = instruction.getOpcode();
            if (opcode == llvm::Instruction::FAdd || opcode == llvm::Instruction::FSub) {
                order.push_back(&instruction);
            }
        }
        for (llvm::Instruction* sum : order) contract(*sum);
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
            if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
                call && call->getIntrinsicID() == llvm::Intrinsic::fmuladd) {
                call->setCalledFunction(llvm::Intrinsic::getDeclaration(
                    &job.module, llvm::Intrinsic::fma, {call->getType()}));
            }
            if (llvm::isa<llvm::FPMathOperator>(instruction)) {
                instruction.setHasAllowContract(false);
            }
        }
    }
}

}  // namespace warpwise::cpu_compiler
