// The pass that writes a gang function.
#pragma once

#include "src/backends/cpu/compiler/gang/context/gang_context.hpp"

namespace warpwise::cpu_compiler::gang {

// Fills the empty function `gang` with what context.emission asks for. Sets
// form.lane_by_lane.
llvm::PreservedAnalyses emit(llvm::Function& gang, GangContext& context);

}  // namespace warpwise::cpu_compiler::gang
