// Masks that one bit fills: and, or, xor of two of them, and choices between them, are done on
// scalars.
//
// LLVM 19's x86 code generator does not come to an end over `or <16 x i1>` of two such masks: one
// rule takes the operation to an element, another puts the mask of the element together again.
//
// Each mask gets the bit that fills it, if one does; operations are then done on the bits.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include <vector>

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Value;

bool is_mask(const llvm::Type* type) {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    return vector && vector->getElementType()->isIntegerTy(1);
}

Value* bit_of(Value* value);

// Of and, or, xor; of one mask chosen by another, which is what a logical "and" of two is.
Value* bit_of_operation(llvm::Instruction& operation) {
    const bool is_choice = llvm::isa<llvm::SelectInst>(operation);
    if (!is_choice && !operation.isBitwiseLogicOp()) return nullptr;
    llvm::SmallVector<Value*, 3> bits;
    for (Value* operand : operation.operands()) {
        bits.push_back(operand->getType()->isIntegerTy(1) ? operand : bit_of(operand));
        if (bits.back() == nullptr) return nullptr;
    }
    llvm::IRBuilder<> builder(&operation);
    if (is_choice) return builder.CreateSelect(bits[0], bits[1], bits[2]);
    return builder.CreateBinOp(static_cast<llvm::Instruction::BinaryOps>(operation.getOpcode()),
                               bits[0], bits[1]);
}

// The bit of which all bits of a mask, or of a word, are copies; null if there is none. Operations
// on bits are put where those on words stand.
Value* bit_of(Value* value) {
    llvm::Type* bit = llvm::Type::getInt1Ty(value->getContext());
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(value)) {
        if (constant->isAllOnesValue()) return llvm::ConstantInt::getTrue(bit);
        return constant->isNullValue() ? llvm::ConstantInt::getFalse(bit) : nullptr;
    }
    if (auto* cast = llvm::dyn_cast<llvm::BitCastInst>(value)) {
        return cast->getSrcTy()->isIntegerTy() ? bit_of(cast->getOperand(0)) : nullptr;
    }
    if (auto* extension = llvm::dyn_cast<llvm::SExtInst>(value)) {
        return extension->getSrcTy() == bit ? extension->getOperand(0) : nullptr;
    }
    auto* operation = llvm::dyn_cast<llvm::Instruction>(value);
    return operation != nullptr ? bit_of_operation(*operation) : nullptr;
}

}  // namespace

PreservedAnalyses join_uniform_masks(llvm::Function& gang, GangContext&) {
    bool has_changed = false;
    std::vector<llvm::Instruction*> masks;
    for (llvm::Instruction& instruction : llvm::instructions(gang)) {
        const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(&instruction);
        const Value* value = cast ? cast->getOperand(0) : &instruction;
        const bool is_joined = llvm::isa<llvm::BinaryOperator, llvm::SelectInst>(value);
        if (is_joined && is_mask(instruction.getType())) masks.push_back(&instruction);
    }
    for (llvm::Instruction* mask : masks) {
        Value* bit = bit_of(mask);
        if (bit == nullptr) continue;
        llvm::IRBuilder<> builder(mask);
        const unsigned lanes = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
        Value* word = builder.CreateSExt(bit, builder.getIntNTy(lanes));
        mask->replaceAllUsesWith(builder.CreateBitCast(word, mask->getType()));
        mask->eraseFromParent();
        has_changed = true;
    }
    return has_changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace warpwise::cpu_compiler::gang
