// The optimisations of a gang function: few, because code generation is what takes the time.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace warpwise::cpu_compiler::gang {

void finish(llvm::Function& gang, llvm::TargetMachine& machine);

}  // namespace warpwise::cpu_compiler::gang
