// Loops that lanes leave by a count of their own, `for (i = thread; i < n; i += threads)`: as long
// as all lanes stay, no lane needs a mask, and one scalar comparison finds that out.
#pragma once

#include "src/backends/cpu/compiler/gang/analysis/shape.hpp"

namespace warpwise::cpu_compiler::gang {

// Puts before each such loop a copy of it that runs while all lanes stay; the loop takes over from
// there. `kernel` is in normal form, and stays so.
void add_full_loops(llvm::Function& kernel, const Layout& layout);
// Of a kernel that is not vectorised after all: no copy ever runs.
void forget_full_loops(llvm::Function& kernel);

// Names of functions without a body that the copies call; last operand: whether numbers are signed.
// kAllBelow takes the sides of a comparison and says whether left < right for all lanes of the
// gang, and no wrap lies between their left sides; kWithoutWrap is its operand, known to be so.
inline constexpr const char* kAllBelow = "warpwise.all.below";
inline constexpr const char* kWithoutWrap = "warpwise.without.wrap";
bool is_call_of(const llvm::Value& value, const char* name);

}  // namespace warpwise::cpu_compiler::gang
