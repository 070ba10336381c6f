// A kernel's parameters out of the packed buffer of a launch.
#pragma once

#include <llvm/IR/Function.h>

#include "warpwise/signature.hpp"

namespace warpwise::cpu_compiler {

// Replaces the parameters of `old` in `bound`, which already holds its body, by loads at the
// signature's offsets from bound's second parameter.
void read_parameters(llvm::Function& old, llvm::Function& bound, const KernelSignature& signature);

}  // namespace warpwise::cpu_compiler
