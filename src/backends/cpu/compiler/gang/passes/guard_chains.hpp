// Threads that work on several elements ask for each of them whether it is still inside:
// `if (start + k < n)`, k = 0, 1, 2 ... One test of the outermost decides for all, in front of a
// copy of the whole chain without the others. There the accesses stand side by side, for
// emit_strided.cpp.
#pragma once

#include <llvm/IR/Function.h>

namespace warpwise::cpu_compiler::gang {

// Of the scalar function, before it is brought to normal form. Keeps no analysis.
void merge_guard_chains(llvm::Function& function);

}  // namespace warpwise::cpu_compiler::gang
