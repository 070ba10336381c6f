// The order in which a gang runs the blocks of a kernel.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>

#include <vector>

namespace warpwise::cpu_compiler::gang {

using BlockSet = llvm::SmallPtrSet<const llvm::BasicBlock*, 16>;

// Whether lanes meet here: at a barrier of the block, or at that or a warp operation.
bool has_barrier(const llvm::BasicBlock& block);
bool has_meeting(const llvm::BasicBlock& block);

// Blocks with a meeting in them or somewhere behind them.
BlockSet leading_to_meetings(const llvm::Function& function);

// Every block behind those that lead to it, but for the ways back in loops. Loops are contiguous,
// and each preheader stands directly before its header: else other lanes' blocks could run between
// the two, and a uniform loop start without a lane. What leads to no meeting comes before what
// does: lanes that do not come to a barrier have to end before others pass it.
std::vector<llvm::BasicBlock*> block_order(llvm::Function& function, const llvm::LoopInfo& loops);

}  // namespace warpwise::cpu_compiler::gang
