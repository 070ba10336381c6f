// Shared variables where their address space is gone: a mark on the instruction that computes one's
// place. What has none may be any memory.
//
// Invariant: marked memory is the block's alone, whose threads run on one thread of the host, and
// kSharedMargin bytes before and behind it belong to nobody else.
#pragma once

#include <llvm/IR/Instructions.h>

#include <cstdint>

namespace warpwise::cpu_compiler {

// `bytes`: of a variable that no other function uses; else 0.
void mark_shared(llvm::GetElementPtrInst& place, std::uint64_t bytes);
// What it was marked with; 0 for what is not marked.
std::uint64_t bytes_of_shared(const llvm::GetElementPtrInst& place);
// Whether `address` lies in, or was computed from the place of, a shared variable.
bool is_in_shared(const llvm::Value* address);

}  // namespace warpwise::cpu_compiler
