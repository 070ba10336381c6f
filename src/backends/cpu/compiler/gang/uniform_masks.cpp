// Each mask gets the bit that fills it, if one does; operations are then done on the bits.
#include "src/backends/cpu/compiler/gang/uniform_masks.hpp"

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
    auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value);
    if (operation == nullptr || !operation->isBitwiseLogicOp()) return nullptr;
    Value* left = bit_of(operation->getOperand(0));
    Value* right = left == nullptr ? nullptr : bit_of(operation->getOperand(1));
    if (right == nullptr) return nullptr;
    llvm::IRBuilder<> builder(operation);
    return builder.CreateBinOp(operation->getOpcode(), left, right);
}

}  // namespace

void join_uniform_masks(llvm::Function& gang) {
    std::vector<llvm::Instruction*> masks;
    for (llvm::Instruction& instruction : llvm::instructions(gang)) {
        const auto* cast = llvm::dyn_cast<llvm::BitCastInst>(&instruction);
        const bool is_joined = cast ? llvm::isa<llvm::BinaryOperator>(cast->getOperand(0))
                                    : llvm::isa<llvm::BinaryOperator>(&instruction);
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
    }
}

}  // namespace warpwise::cpu_compiler::gang
