// Loops that are better run by one lane after the other: each lane walks through memory of its own
// for as long as it likes, so vectors would gather every operand and wait for the longest lane.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

#include "src/backends/cpu/compiler/gang/layout/layout.hpp"

namespace warpwise::cpu_compiler::gang {

// In normal form, which it keeps. Makes each such loop a function of its own, which the emitter
// calls lane by lane and inline_lane_loops() puts back.
void take_out_lane_loops(llvm::Function& kernel, const Layout& layout,
                         llvm::TargetMachine& machine);

void inline_lane_loops(llvm::Function& gang);

}  // namespace warpwise::cpu_compiler::gang
