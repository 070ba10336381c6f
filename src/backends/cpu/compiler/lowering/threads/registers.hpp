// PTX special registers that exist here: threadIdx, blockDim, laneid, clock and the like.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

namespace warpwise::cpu_compiler {

bool is_known_register(llvm::Intrinsic::ID id);

// The value of PTX register `name` ("laneid", "tid.x", "lanemask_lt"), still as an intrinsic that
// every executor lowers its own way; nullptr for one we do not have.
llvm::Value* read_register(llvm::IRBuilder<>& builder, llvm::StringRef name);

// "clock", "clock64", "clock_hi", "globaltimer", "globaltimer_lo" or "_hi"; nullptr for others.
llvm::Value* read_time(llvm::IRBuilder<>& builder, llvm::StringRef name);

// What lanemask register `id` holds in lane `lane` of a warp: an i32, or a vector of them.
llvm::Value* lane_mask(llvm::IRBuilder<>& builder, llvm::Intrinsic::ID id, llvm::Value* lane);

}  // namespace warpwise::cpu_compiler
