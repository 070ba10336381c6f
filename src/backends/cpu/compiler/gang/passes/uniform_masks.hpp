// Masks that one bit fills: and, or, xor of two of them, and choices between them, are done on
// scalars.
//
// LLVM 19's x86 code generator does not come to an end over `or <16 x i1>` of two such masks: one
// rule takes the operation to an element, another puts the mask of the element together again.
#pragma once

#include <llvm/IR/Function.h>

namespace warpwise::cpu_compiler::gang {

// Of a finished gang function; no pass that combines instructions may follow.
void join_uniform_masks(llvm::Function& gang);

}  // namespace warpwise::cpu_compiler::gang
