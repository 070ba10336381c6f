// What masks and masked accesses become on processors without mask registers.
//
// The emitter writes masks as <W x i1>, which such a processor would pack into bytes after every
// comparison and unpack for every use. Here they become what its comparisons give and its blends
// take: integers as wide as a lane, all bits set or none. Masked accesses that the processor lacks
// test for a full mask first, and go lane by lane where lanes are missing.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

namespace warpwise::cpu_compiler::gang {

// Of a finished gang function. No pass that combines instructions may follow: it would go back.
void expand_masked_accesses(llvm::Function& gang, const llvm::TargetTransformInfo& target);
void widen_masks(llvm::Function& gang);

}  // namespace warpwise::cpu_compiler::gang
