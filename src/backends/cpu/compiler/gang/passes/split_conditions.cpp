// Loops with two conditions, `while (step < limit && x < 4)`, one of which all lanes share: asked
// by itself, it is a scalar branch, and takes no part in the masks of every iteration.
//
// One block more for each loop: it asks what lanes differ in.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <optional>
#include <utility>

#include "src/backends/cpu/compiler/gang/analysis/uniformity.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::BasicBlock;
using llvm::Value;

// Both must be `stays` for a lane to stay in the loop.
struct Conditions {
    llvm::BranchInst* branch;
    Value* first;
    Value* second;
    bool stays;
};

std::optional<Conditions> conditions_of(const llvm::Loop& loop, BasicBlock& block) {
    using llvm::PatternMatch::m_LogicalAnd;
    using llvm::PatternMatch::m_LogicalOr;
    using llvm::PatternMatch::m_Value;
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (!branch || !branch->isConditional()) return std::nullopt;
    Value *first = nullptr, *second = nullptr, *condition = branch->getCondition();
    const bool stays = loop.contains(branch->getSuccessor(0));
    const bool are_two =
        stays ? llvm::PatternMatch::match(condition, m_LogicalAnd(m_Value(first), m_Value(second)))
              : llvm::PatternMatch::match(condition, m_LogicalOr(m_Value(first), m_Value(second)));
    if (!are_two) return std::nullopt;
    return Conditions{branch, first, second, stays};
}

// The first decides before the second is looked at.
void split(const Conditions& conditions) {
    llvm::BranchInst* branch = conditions.branch;
    BasicBlock* block = branch->getParent();
    BasicBlock* inside = branch->getSuccessor(conditions.stays ? 0 : 1);
    BasicBlock* outside = branch->getSuccessor(conditions.stays ? 1 : 0);
    BasicBlock* between =
        BasicBlock::Create(block->getContext(), "and", block->getParent(), inside);
    auto branch_on = [&](Value* condition, BasicBlock* stay) {
        if (conditions.stays) return llvm::BranchInst::Create(stay, outside, condition);
        return llvm::BranchInst::Create(outside, stay, condition);
    };
    llvm::ReplaceInstWithInst(branch, branch_on(conditions.first, between));
    branch_on(conditions.second, inside)->insertInto(between, between->end());
    inside->replacePhiUsesWith(block, between);
    for (llvm::PHINode& phi : outside->phis()) {
        phi.addIncoming(phi.getIncomingValueForBlock(block), between);
    }
}

}  // namespace

PreservedAnalyses split_conditions(llvm::Function& kernel, GangContext& context) {
    llvm::LoopInfo& loops = context.loops(kernel);
    llvm::SmallVector<Conditions, 4> found;
    for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
        llvm::SmallVector<BasicBlock*, 4> exiting;
        if (loop->isInnermost()) loop->getExitingBlocks(exiting);
        for (BasicBlock* block : exiting) {
            if (auto conditions = conditions_of(*loop, *block)) found.push_back(*conditions);
        }
    }
    if (found.empty()) return PreservedAnalyses::all();
    const Uniformity& uniformity = *context.analysis(kernel, context.layout_in_rows()).uniformity;
    llvm::erase_if(found, [&](Conditions& conditions) {
        const bool has_uniform_first = uniformity.is_uniform(*conditions.first);
        if (has_uniform_first == uniformity.is_uniform(*conditions.second)) return true;
        if (has_uniform_first) return false;
        std::swap(conditions.first, conditions.second);
        // It was not looked at where the other one had decided.
        llvm::IRBuilder<> builder(conditions.branch);
        conditions.first = builder.CreateFreeze(conditions.first);
        return false;
    });
    for (const Conditions& conditions : found) split(conditions);
    return found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
