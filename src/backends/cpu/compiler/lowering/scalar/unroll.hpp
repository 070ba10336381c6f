// Unrolling, where it turns memory into registers.
#pragma once

#include <llvm/IR/PassManager.h>

namespace warpwise::cpu_compiler {

// Loops must be in simple form and LCSSA. SROA and the like have to follow.
struct UnrollForRegisters : llvm::PassInfoMixin<UnrollForRegisters> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace warpwise::cpu_compiler
