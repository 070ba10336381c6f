// Loops whose body loads from a place that stays: the first turn's test goes before the loop. In a
// loop that tests at its head, a load of the body may not be moved before the loop, since there may
// be no turn; behind a test of its own it may.
//
// `licm`, which runs next, moves the loads. Loops without such a load stay: their heads would be
// there twice for nothing.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MemorySSA.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/LoopRotationUtils.h>

namespace warpwise::cpu_compiler::gang {
namespace {

constexpr unsigned kHeadSize = 16;  // what LLVM's own pass copies

bool is_written_in(const llvm::Loop& loop, const llvm::LoadInst& load, llvm::MemorySSA& memory) {
    const llvm::MemoryAccess* writer = memory.getWalker()->getClobberingMemoryAccess(&load);
    return !memory.isLiveOnEntryDef(writer) && loop.contains(writer->getBlock());
}

// Each turn that passes the test at the head loads it, and it is the same every time.
bool has_steady_load(const llvm::Loop& loop, const llvm::DominatorTree& tree,
                     llvm::MemorySSA& memory) {
    llvm::SmallPtrSet<const llvm::Value*, 16> steady;
    auto stays = [&](const llvm::Value* value) {
        return loop.isLoopInvariant(value) || steady.contains(value);
    };
    for (const llvm::BasicBlock* block : loop.blocks()) {
        if (!tree.dominates(block, loop.getLoopLatch())) continue;
        for (const llvm::Instruction& instruction : *block) {
            if (llvm::isa<llvm::PHINode>(instruction)) continue;
            if (!llvm::all_of(instruction.operand_values(), stays)) continue;
            const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
            if (load && load->isUnordered() && block != loop.getHeader() &&
                !is_written_in(loop, *load, memory)) {
                return true;
            }
            if (!load && llvm::isSafeToSpeculativelyExecute(&instruction)) {
                steady.insert(&instruction);
            }
        }
    }
    return false;
}

}  // namespace

PreservedAnalyses rotate_loops(llvm::Function& gang, GangContext& context) {
    llvm::FunctionAnalysisManager& analyses = context.analyses();
    llvm::LoopInfo& loops = context.loops(gang);
    if (loops.empty()) return PreservedAnalyses::all();
    auto& tree = analyses.getResult<llvm::DominatorTreeAnalysis>(gang);
    auto& memory = analyses.getResult<llvm::MemorySSAAnalysis>(gang).getMSSA();
    llvm::SmallVector<llvm::Loop*, 8> chosen;
    for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
        if (loop->getLoopLatch() && loop->isLoopExiting(loop->getHeader()) &&
            !loop->isLoopExiting(loop->getLoopLatch()) && has_steady_load(*loop, tree, memory)) {
            chosen.push_back(loop);
        }
    }
    bool has_changed = false;
    const llvm::SimplifyQuery query(gang.getDataLayout());
    for (llvm::Loop* loop : chosen) {
        has_changed |= llvm::LoopRotation(
            loop, &loops, &context.costs(gang), &analyses.getResult<llvm::AssumptionAnalysis>(gang),
            &tree, /*SE=*/nullptr, /*MSSAU=*/nullptr, query, /*RotationOnly=*/true, kHeadSize,
            /*IsUtilMode=*/true);
    }
    return has_changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace warpwise::cpu_compiler::gang
