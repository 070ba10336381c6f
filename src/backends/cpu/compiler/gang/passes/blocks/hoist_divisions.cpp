// In the loop over blocks: divisions whose operands are the same in all iterations of a loop, in
// front of it. LICM leaves them where they are, since a divisor may be 0 where they do not run;
// here they divide by 1 then. `i / width / height` of gangs that end with rows
// (passes/split_rows.cpp) is such a one, for each row.
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Instruction;
using llvm::Value;

bool is_signed(const Instruction& division) {
    return division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::SRem;
}

// Whether another division by it runs before, so that it is not 0.
bool has_divided(const Value& divisor, const Instruction& place, const llvm::DominatorTree& tree) {
    return llvm::any_of(divisor.users(), [&](const llvm::User* user) {
        auto* other = llvm::dyn_cast<Instruction>(user);
        return other != nullptr && other->isIntDivRem() && other->getOperand(1) == &divisor &&
               tree.dominates(other, &place);
    });
}

// What neither stops the processor nor changes a result that is used.
Value* safe_divisor(llvm::IRBuilder<>& builder, const Instruction& division,
                    const llvm::DominatorTree& tree) {
    Value* divisor = division.getOperand(1);
    if (llvm::isa<llvm::Constant>(divisor)) return divisor;
    if (!is_signed(division) && has_divided(*divisor, *builder.GetInsertPoint(), tree)) {
        return divisor;
    }
    divisor = builder.CreateFreeze(divisor);
    llvm::Type* type = divisor->getType();
    Value* one = llvm::ConstantInt::get(type, 1);
    Value* is_bad = builder.CreateICmpEQ(divisor, llvm::Constant::getNullValue(type));
    if (is_signed(division)) {  // so is the least number by -1
        Value* least = llvm::ConstantInt::get(
            type, llvm::APInt::getSignedMinValue(type->getIntegerBitWidth()));
        Value* overflows = builder.CreateAnd(
            builder.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type)),
            builder.CreateICmpEQ(builder.CreateFreeze(division.getOperand(0)), least));
        is_bad = builder.CreateOr(is_bad, overflows);
    }
    return builder.CreateSelect(is_bad, one, divisor);
}

bool hoist(Instruction& division, llvm::Loop& loop, const llvm::DominatorTree& tree) {
    Instruction* end = loop.getLoopPreheader()->getTerminator();
    bool has_changed = false;
    for (Value* operand : division.operands()) {
        if (!loop.makeLoopInvariant(operand, has_changed, end)) return false;
    }
    llvm::IRBuilder<> builder(end);
    division.setOperand(1, safe_divisor(builder, division, tree));
    division.dropPoisonGeneratingFlags();
    division.moveBefore(end);
    return true;
}

}  // namespace

PreservedAnalyses hoist_divisions(llvm::Function& run, GangContext& context) {
    bool has_changed = false;
    const llvm::DominatorTree& tree = context.dominators(run);
    // Inner loops first: what leaves one may leave the next.
    const auto loops = context.loops(run).getLoopsInPreorder();
    for (llvm::Loop* loop : llvm::reverse(loops)) {
        if (loop->getLoopPreheader() == nullptr) continue;
        llvm::SmallVector<Instruction*> divisions;
        llvm::ReversePostOrderTraversal<llvm::Function*> blocks(&run);
        for (llvm::BasicBlock* block : blocks) {
            if (!loop->contains(block)) continue;
            for (Instruction& instruction : *block) {
                const bool is_scalar = instruction.getType()->isIntegerTy();
                if (instruction.isIntDivRem() && is_scalar) divisions.push_back(&instruction);
            }
        }
        for (Instruction* division : divisions) has_changed |= hoist(*division, *loop, tree);
    }
    return has_changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace warpwise::cpu_compiler::gang
