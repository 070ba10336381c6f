// Which form a load or store takes, by the shape of its address and what the
// target has.
#pragma once

#include "src/backends/cpu/compiler/gang/emit/state/emit_state.hpp"

namespace warpwise::cpu_compiler::gang {

// Neighbouring lanes access neighbouring elements.
bool is_contiguous(const EmitState& state, const llvm::Value* address, llvm::Type* type);
// The elements of a load or store lie in a vector as they lie in memory.
bool has_plain_lanes(const EmitState& state, llvm::Instruction& access);
bool can_gather(const EmitState& state, llvm::Type* type, llvm::Align alignment);
bool can_scatter(const EmitState& state, llvm::Type* type, llvm::Align alignment);
// Without mask registers: some elements of a row are read by loading all, and stored by loading it
// and storing all. For that the memory must be the block's alone, and a living lane no farther than
// cpu::kSharedMargin.
bool is_accessed_whole(const EmitState& state, llvm::Instruction& access);
// A load of bytes by several pieces, one behind the other, where lanes may be missing and the
// target has no masked loads of bytes. What lies in the page of a living lane may be read, so most
// of these need no test for each piece.
bool is_row_of_bytes(const EmitState& state, llvm::LoadInst& load);
// Whether elements between those of the lanes are left alone by fewer instructions than lanes.
bool can_leave_gaps(const EmitState& state, llvm::Instruction& store);
// Each lane accesses memory of its own by vectors, rather than by a loop over
// lanes.
bool has_vector_form(const EmitState& state, llvm::LoadInst& load);
bool has_vector_form(const EmitState& state, llvm::StoreInst& store);

}  // namespace warpwise::cpu_compiler::gang
