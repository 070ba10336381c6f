// Loops with a known, small number of iterations whose unrolling changes what their code can be:
// local arrays by the count become registers, shuffles by the count become permutations known in
// advance. Others stay loops: code generation takes most of a compile's time.
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

#include "src/backends/cpu/compiler/lowering/scalar/unroll.hpp"
#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"

namespace warpwise::cpu_compiler {
namespace {

using llvm::Instruction;
using llvm::Loop;
using llvm::Value;

constexpr unsigned kMostIterations = 64;
constexpr unsigned kMostInstructions = 1024;  // after it

// Whether the loop's own doing decides `value`.
bool varies_in(const Loop& loop, const Value* value) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    return instruction && loop.contains(instruction);
}

bool is_local_access(const Loop& loop, const Instruction& instruction) {
    const Value* address = llvm::getLoadStorePointerOperand(&instruction);
    if (!address || !varies_in(loop, address)) return false;
    auto* local = llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(address));
    return local && !loop.contains(local);
}

bool is_shuffle(const Service& service) {
    return service.id == ServiceId::shuffle32 || service.id == ServiceId::shuffle64;
}

bool is_counted_shuffle(const Loop& loop, const Instruction& instruction) {
    constexpr unsigned kOperand = 3;
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const Service* service = call ? find_service(*call) : nullptr;
    return service && is_shuffle(*service) && varies_in(loop, call->getArgOperand(kOperand));
}

bool pays_by_registers(const Loop& loop, unsigned iterations) {
    if (iterations > kMostIterations) return false;
    unsigned size = 0;
    bool gains = false;
    for (const llvm::BasicBlock* block : loop.blocks()) {
        size += static_cast<unsigned>(block->size());
        for (const Instruction& instruction : *block) {
            gains |= is_local_access(loop, instruction) || is_counted_shuffle(loop, instruction);
        }
    }
    return gains && size * iterations <= kMostInstructions;
}

}  // namespace

llvm::PreservedAnalyses unroll_loops(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses, Iterations known,
                                     UnrollingPays pays) {
    auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    if (loops.empty()) return llvm::PreservedAnalyses::all();
    auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    auto& tree = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
    auto& assumptions = analyses.getResult<llvm::AssumptionAnalysis>(function);
    auto& target = analyses.getResult<llvm::TargetIRAnalysis>(function);
    llvm::OptimizationRemarkEmitter remarks(&function);
    bool changed = false;
    llvm::SmallVector<Loop*, 8> order = loops.getLoopsInPreorder();
    for (Loop* loop : llvm::reverse(order)) {
        const unsigned iterations = known == Iterations::Exactly
                                        ? evolution.getSmallConstantTripCount(loop)
                                        : evolution.getSmallConstantMaxTripCount(loop);
        if (iterations == 0 || !loop->isLoopSimplifyForm() || !pays(*loop, iterations)) continue;
        const llvm::UnrollLoopOptions options{iterations,
                                              /*Force=*/true,
                                              /*Runtime=*/false,
                                              /*AllowExpensiveTripCount=*/false,
                                              /*UnrollRemainder=*/false,
                                              /*ForgetAllSCEV=*/false};
        const auto result = llvm::UnrollLoop(loop, options, &loops, &evolution, &tree, &assumptions,
                                             &target, &remarks, /*PreserveLCSSA=*/true);
        changed |= result != llvm::LoopUnrollResult::Unmodified;
    }
    return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses UnrollForRegisters::run(llvm::Function& function,
                                                llvm::FunctionAnalysisManager& analyses) {
    return unroll_loops(function, analyses, Iterations::Exactly, pays_by_registers);
}

}  // namespace warpwise::cpu_compiler
