// Gathers and scatters of which the mask, a constant by now, leaves a lane or two.
#pragma once

#include <llvm/IR/PassManager.h>

namespace warpwise::cpu_compiler::gang {

// A scatter takes some fifty cycles however few lanes it has: these become scalar accesses. The
// usual case is `if (threadIdx.x == 0)` in a kernel for a known block.
struct AccessFewLanes : llvm::PassInfoMixin<AccessFewLanes> {
    llvm::PreservedAnalyses run(llvm::Function& gang, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace warpwise::cpu_compiler::gang
