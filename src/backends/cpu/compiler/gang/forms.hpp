// Writes all gang functions of one kernel that its layout asks for, and what chooses among them.
#pragma once

#include "src/backends/cpu/compiler/gang/context/gang_context.hpp"

namespace warpwise::cpu_compiler::gang {

// The function to call, of the kernel in normal form, which is left as it is. Adds to
// form.preferred.
llvm::Function* write_forms(llvm::Function& scalar, GangContext& context);

}  // namespace warpwise::cpu_compiler::gang
