// Which NaNs a floating-point value may be, also through loops: LLVM's own answer ends at a phi
// that depends on itself, as everything that a loop accumulates does.
#pragma once

#include <llvm/IR/Value.h>

namespace warpwise::cpu_compiler {

// In no lane that is looked at.
bool is_never_nan(const llvm::Value* value);
// Of what was loaded or made of bits nothing is known; arithmetic gives quiet NaNs.
bool is_never_signalling(const llvm::Value* value);

}  // namespace warpwise::cpu_compiler
