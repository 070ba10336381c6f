// A kernel that never waits, compiled for one shape of blocks, runs blocks of one row of the grid
// by itself: a loop over the blocks, one over the gangs of each, and the gang function inlined. The
// run time calls it once for many blocks, and what is the same for all of them is computed once.
#pragma once

#include "src/backends/cpu/compiler/lowering/lowering.hpp"

namespace warpwise::cpu_compiler {

// After summarise_kernels() and lower_services(). Gives such kernels the third parameter of
// cpu::BlockRunEntry, and KernelRecord::flags the flag for it.
void loop_over_blocks(Lowering& job);

}  // namespace warpwise::cpu_compiler
