// The turns of loops that all threads of a block begin by their numbers, and that end after few of
// them: `for (int k = threadIdx.x; k < 20 * 20; k += 256)` fills a tile. Where the block is one
// gang, the numbers of its lanes are constants, so which lanes take part in each turn, and what
// they compute of their numbers alone, are constants too.
//
// Loops with barriers are levels; see unroll_levels.cpp.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Scalar/SCCP.h>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"
#include "src/backends/cpu/compiler/lowering/scalar/unroll.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Loop;
using llvm::Value;

// The block as one gang, for all that is known before the layout is chosen.
std::optional<unsigned> pieces_of_block(const GangContext& context) {
    const BlockShape& block = *context.block;
    const bool may_be = context.facts.has_barriers && !context.facts.has_other_barriers &&
                        context.executor != Executor::Gang && block[2] == 1;
    const unsigned width = context.layout.width;
    const unsigned pieces = (block[0] + width - 1) / width * block[1];
    if (!may_be || pieces * width > cpu::kMaxGangLanes) return std::nullopt;
    return pieces;
}

bool is_copied_freely(const Loop& loop) {
    return llvm::all_of(loop.blocks(), [](const BasicBlock* block) {
        return llvm::none_of(*block, [](const Instruction& instruction) {
            auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            return call && (call->isConvergent() || call->cannotDuplicate());
        });
    });
}

// Tests of the turns that come out alike in all threads.
void fold_known_tests(llvm::Function& kernel, GangContext& context) {
    auto& evolution = context.analyses().getResult<llvm::ScalarEvolutionAnalysis>(kernel);
    for (BasicBlock& block : kernel) {
        auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
        if (branch == nullptr || !branch->isConditional()) continue;
        auto* test = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
        if (test == nullptr || !evolution.isSCEVable(test->getOperand(0)->getType())) continue;
        const auto known = evolution.evaluatePredicate(test->getPredicate(),
                                                       evolution.getSCEV(test->getOperand(0)),
                                                       evolution.getSCEV(test->getOperand(1)));
        if (!known) continue;
        branch->setCondition(llvm::ConstantInt::getBool(kernel.getContext(), *known));
    }
}

std::size_t size_of(const Loop& loop) {
    std::size_t size = 0;
    for (const BasicBlock* block : loop.blocks()) size += block->size();
    return size;
}

}  // namespace

PreservedAnalyses unroll_turns(llvm::Function& kernel, GangContext& context) {
    const std::optional<unsigned> pieces = pieces_of_block(context);
    if (!pieces) return PreservedAnalyses::all();
    std::size_t size = kernel.getInstructionCount();
    const Plan& plan = *context.analysis(kernel, context.layout_in_rows()).plan;
    llvm::SmallPtrSet<const Loop*, 4> divergent;
    for (const Loop* loop : context.loops(kernel).getLoopsInPreorder()) {
        if (plan.is_divergent(loop)) divergent.insert(loop);
    }
    const PreservedAnalyses preserved = unroll_loops(
        kernel, context.analyses(), Iterations::AtMost, [&](const Loop& loop, unsigned iterations) {
            if (!divergent.contains(&loop) || iterations > costs::kMostTurns ||
                !is_copied_freely(loop)) {
                return false;
            }
            const std::size_t grown = size + (iterations - 1) * size_of(loop);
            if (grown * *pieces > costs::kLargestBlock) return false;
            size = grown;
            return true;
        });
    if (preserved.areAllPreserved()) return preserved;
    context.forget(kernel);
    fold_known_tests(kernel, context);
    // The turn behind the last one would stay a way out of the loops around, by some threads alone.
    llvm::SCCPPass().run(kernel, context.analyses());
    return PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
