// Unrolling, where it iterations memory into registers; and of loops that others choose.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/PassManager.h>

namespace warpwise::cpu_compiler {

// Whether a loop with so many iterations is to be replaced by as many copies of its body.
using UnrollingPays = llvm::function_ref<bool(const llvm::Loop& loop, unsigned iterations)>;

// How many iterations must be known: how many there are, or that there are no more.
enum class Iterations { Exactly, AtMost };

// Asks of each loop in simple form whose number of iterations is known, inner loops first: what
// they leave is part of the outer one's size. Loops must be in LCSSA, and stay so.
llvm::PreservedAnalyses unroll_loops(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses, Iterations known,
                                     UnrollingPays pays);

// Loops must be in simple form and LCSSA. SROA and the like have to follow.
struct UnrollForRegisters : llvm::PassInfoMixin<UnrollForRegisters> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace warpwise::cpu_compiler
