// Loops with two conditions, `while (step < limit && x < 4)`, one of which all lanes share: asked
// by itself, it is a scalar branch, and takes no part in the masks of every turn.
#pragma once

#include <llvm/IR/Function.h>

#include "src/backends/cpu/compiler/gang/layout/layout.hpp"

namespace warpwise::cpu_compiler::gang {

// `kernel` is in normal form, and stays so.
void split_conditions(llvm::Function& kernel, const Layout& layout);

}  // namespace warpwise::cpu_compiler::gang
