// Cuts a gang function at its barriers (executor *regions*): at each it returns to the run time,
// and goes on there when it is called again. What it needs from before the barrier lies in a frame
// of the gang's meanwhile.
//
// LLVM's coroutines would do, but save what lives across a barrier where it is computed, in inner
// loops too, load it again in each block of use, give every value a place of its own, and clone the
// function three times. Here values are saved at the barrier and loaded behind it, unless they are
// cheaply computed again from the arguments, and share places where they are not alive at the same
// barriers; what is older than the loop in which threads meet is saved once.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>

namespace warpwise::cpu_compiler::gang {

// Where the gang stops for the others of its block. It counts as touching all memory.
void write_stop(llvm::IRBuilder<>& builder, llvm::Value* thread);

// Replaces the stops. Returns the bytes of the frame.
std::uint64_t cut_at_stops(llvm::Function& gang);

}  // namespace warpwise::cpu_compiler::gang
