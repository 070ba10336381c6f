// Loads of what has just been stored a few elements beside, as kernels read their neighbours'
// values from shared memory once a barrier is nothing.
#pragma once

#include <llvm/IR/PassManager.h>

namespace warpwise::cpu_compiler::gang {

// A vector load that takes its elements from two stores waits until both have reached the cache:
// the processor forwards from one store only. In registers it is one shuffle.
struct ForwardStores : llvm::PassInfoMixin<ForwardStores> {
    llvm::PreservedAnalyses run(llvm::Function& gang, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace warpwise::cpu_compiler::gang
