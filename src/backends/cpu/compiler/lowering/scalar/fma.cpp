// Contraction, decided once for all executors: a product that is only added and subtracted becomes
// part of llvm.fma, and no instruction may be contracted after that.
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

bool is_product(const llvm::Value* value) {
    auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value);
    return operation && operation->getOpcode() == llvm::Instruction::FMul &&
           may_contract(*operation);
}

bool is_sum(const llvm::Instruction& instruction) {
    const unsigned opcode = instruction.getOpcode();
    return (opcode == llvm::Instruction::FAdd || opcode == llvm::Instruction::FSub) &&
           may_contract(instruction);
}

// Whether the product goes into `user`, of whose two the left one wins.
bool is_taken_by(const llvm::Value* product, const llvm::User* user) {
    auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(user);
    if (!sum || !is_sum(*sum) || sum->getOperand(0) == sum->getOperand(1)) return false;
    return sum->getOperand(0) == product || !is_product(sum->getOperand(0));
}

// One that would be computed besides its sums gains nothing by being part of them.
llvm::BinaryOperator* product(llvm::Value* value) {
    if (!is_product(value)) return nullptr;
    const bool vanishes = value->hasOneUse() || llvm::all_of(value->users(), [&](auto* user) {
                              return is_taken_by(value, user);
                          });
    return vanishes ? llvm::cast<llvm::BinaryOperator>(value) : nullptr;
}

llvm::Value* fused(llvm::IRBuilder<>& builder, llvm::Value* a, llvm::Value* b, llvm::Value* c) {
    return builder.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

// The left product wins where both sides are one: any fixed choice will do.
llvm::Value* contracted(llvm::BinaryOperator& sum) {
    if (!is_sum(sum)) return nullptr;
    const bool subtract = sum.getOpcode() == llvm::Instruction::FSub;
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
            if (is_sum(instruction)) order.push_back(&instruction);
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
