// Every pass of our own, in the order of the table in pipeline.cpp, which says when each runs and
// which may be left out. Each is one file, at whose head stands why it exists.
//
// A pass returns what it has left valid: all() when it changed nothing.
#pragma once

#include <llvm/IR/PassManager.h>

#include "src/backends/cpu/compiler/gang/context/gang_context.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::PreservedAnalyses;

// --- Of the kernel as executor *reference* runs it; it stays as good a scalar function as it was
// Vector values become scalars.
PreservedAnalyses scalarize(llvm::Function& kernel, GangContext& context);
// Elements of struct values are extracted in the block that makes the struct.
PreservedAnalyses extract_elements(llvm::Function& kernel, GangContext& context);
// Sets facts, calls and the first layout; refuses what has no vector form.
PreservedAnalyses check_candidate(llvm::Function& kernel, GangContext& context);

// --- Towards the normal form: one return, no switches, reducible loops with preheader and one
// latch, LCSSA
PreservedAnalyses merge_guard_chains(llvm::Function& kernel, GangContext& context);
// Of blocks whose shape is known.
PreservedAnalyses regroup_elements(llvm::Function& kernel, GangContext& context);
PreservedAnalyses join_stores(llvm::Function& kernel, GangContext& context);

// --- Of the kernel in normal form, which they keep
// Sets the context's rounds; leaves the kernel as it is. Of blocks whose shape is known.
PreservedAnalyses split_rounds(llvm::Function& kernel, GangContext& context);
PreservedAnalyses join_quotients(llvm::Function& kernel, GangContext& context);
PreservedAnalyses narrow_integers(llvm::Function& kernel, GangContext& context);
PreservedAnalyses narrow_conversions(llvm::Function& kernel, GangContext& context);
PreservedAnalyses split_wraps(llvm::Function& kernel, GangContext& context);
PreservedAnalyses outline_lane_loops(llvm::Function& kernel, GangContext& context);
PreservedAnalyses narrow_sums(llvm::Function& kernel, GangContext& context);
PreservedAnalyses split_conditions(llvm::Function& kernel, GangContext& context);
PreservedAnalyses compare_at_exits(llvm::Function& kernel, GangContext& context);
// Of blocks whose shape is known.
PreservedAnalyses unroll_turns(llvm::Function& kernel, GangContext& context);
PreservedAnalyses copy_full_loops(llvm::Function& kernel, GangContext& context);
// Sets the layout; refuses what cannot run in lock step.
PreservedAnalyses choose_layout(llvm::Function& kernel, GangContext& context);
// For the layout that was chosen.
PreservedAnalyses interleave_locals(llvm::Function& kernel, GangContext& context);
PreservedAnalyses transpose_shared(llvm::Function& kernel, GangContext& context);
// Of blocks whose shape is known.
PreservedAnalyses unroll_levels(llvm::Function& kernel, GangContext& context);
PreservedAnalyses sink_addresses(llvm::Function& kernel, GangContext& context);
// Sets whether gangs may end with rows; leaves the kernel as it is. Of blocks whose shape is known.
PreservedAnalyses split_rows(llvm::Function& kernel, GangContext& context);
// Not in the table: undoes markers in a kernel that stays scalar after all.
void forget_markers(llvm::Function& kernel);

// --- Of a gang function
PreservedAnalyses inline_lane_loops(llvm::Function& gang, GangContext& context);
PreservedAnalyses access_few_lanes(llvm::Function& gang, GangContext& context);
PreservedAnalyses forward_stores(llvm::Function& gang, GangContext& context);
PreservedAnalyses rotate_loops(llvm::Function& gang, GangContext& context);
// No pass that combines instructions may follow these.
PreservedAnalyses join_uniform_masks(llvm::Function& gang, GangContext& context);
PreservedAnalyses refine_reciprocal_roots(llvm::Function& gang, GangContext& context);
PreservedAnalyses expand_masked_accesses(llvm::Function& gang, GangContext& context);
PreservedAnalyses widen_masks(llvm::Function& gang, GangContext& context);
// Adds to form.frame_bytes.
PreservedAnalyses cut_at_barriers(llvm::Function& gang, GangContext& context);

// --- Of the empty function that takes the place of a gang function: see block_runs.cpp
PreservedAnalyses loop_over_blocks(llvm::Function& run, GangContext& context);
PreservedAnalyses hoist_divisions(llvm::Function& run, GangContext& context);
PreservedAnalyses defer_updates(llvm::Function& run, GangContext& context);

}  // namespace warpwise::cpu_compiler::gang
