// The optimisations of a gang function: few, because code generation is what takes the time.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace warpwise::cpu_compiler::gang {

void finish(llvm::Function& gang, llvm::TargetMachine& machine);
// After gang functions that are finished have been inlined into another.
void clean_up(llvm::Function& function, llvm::TargetMachine& machine);

}  // namespace warpwise::cpu_compiler::gang
