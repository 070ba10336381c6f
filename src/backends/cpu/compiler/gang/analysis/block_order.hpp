// The order in which a gang runs the blocks of a kernel.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>

#include <vector>

namespace warpwise::cpu_compiler::gang {

using BlockSet = llvm::SmallPtrSet<const llvm::BasicBlock*, 16>;

// Whether the block has a barrier, or a barrier or a warp operation: a convergent operation.
bool has_barrier(const llvm::BasicBlock& block);
bool has_convergent_operation(const llvm::BasicBlock& block);

// Blocks with a convergent operation in them or in a block that they lead to.
BlockSet leading_to_convergent_operations(const llvm::Function& function);

// Every block after its predecessors, back edges of loops excepted. Loops are contiguous,
// and each preheader stands directly before its header: else other lanes' blocks could run between
// the two, and a uniform loop start without a lane. Blocks that lead to no convergent operation
// come before those that do: lanes that reach no barrier have to end before others pass it.
std::vector<llvm::BasicBlock*> block_order(llvm::Function& function, const llvm::LoopInfo& loops);

}  // namespace warpwise::cpu_compiler::gang
