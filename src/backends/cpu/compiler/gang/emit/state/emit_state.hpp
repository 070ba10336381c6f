// What all emitters share: the function being read, the one being written, the
// place where code goes, and the lanes that run there.
//
// Invariant: emitters keep no state of the block being written; what holds for
// it is here, in Values and in Masks, and begin_block() of each starts again.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/IRBuilder.h>

#include "src/backends/cpu/compiler/gang/analysis/lane_periods.hpp"
#include "src/backends/cpu/compiler/gang/analysis/lane_runs.hpp"
#include "src/backends/cpu/compiler/gang/analysis/own_elements.hpp"
#include "src/backends/cpu/compiler/gang/analysis/plan.hpp"
#include "src/backends/cpu/compiler/gang/analysis/shape.hpp"
#include "src/backends/cpu/compiler/gang/target/target_traits.hpp"

namespace warpwise::cpu_compiler::gang {

// A value's scalars or vectors: one, or one for each piece.
using Parts = llvm::SmallVector<llvm::Value*, 4>;

struct Subject {
    llvm::Function& scalar;
    llvm::Function& gang;
    const Plan& plan;
    const Shapes& shapes;
    const llvm::TargetTransformInfo& costs;
    const TargetTraits& target;
    const Layout& layout;
    bool has_all_lanes = false;  // no lane is missing at the start
};

// The number that an operand of a warp operation is, where the compiler knows
// it.
std::optional<std::uint32_t> constant_of(const llvm::Value* value);

// What an access of memory became; of two versions of one access the earlier counts, since that is
// the one for threads that all run.
enum class AccessForm : std::uint8_t { Vector, Strided, Gather, Scatter };

struct EmitState {
    explicit EmitState(const Subject& subject);

    llvm::BasicBlock* new_block(const llvm::Twine& name);
    llvm::AllocaInst* new_slot(llvm::Type* type, const llvm::Twine& name);
    llvm::FixedVectorType* vector_of(llvm::Type* type) const;
    llvm::Value* thread() const { return gang.getArg(0); }
    // The instruction being written is written as a loop over single lanes.
    void note_lane_by_lane() { lane_by_lane.insert(written); }
    void note_access(const llvm::Instruction& access, AccessForm form) {
        auto [known, is_new] = accesses.try_emplace(&access, form);
        if (!is_new) known->second = std::min(known->second, form);
    }

    llvm::Function& scalar;
    llvm::Function& gang;
    const Plan& plan;
    const Shapes& shapes;
    const llvm::TargetTransformInfo& costs;
    const TargetTraits& target;
    const Layout layout;
    const bool has_all_lanes;
    const llvm::DataLayout& data;

    mutable LaneRuns lane_runs;  // keeps its answers
    mutable LanePeriods lane_periods;
    const OwnElements own_elements;
    // What blocks read without an operand that says so.
    llvm::DenseSet<const llvm::Instruction*> read_elsewhere;
    llvm::IRBuilder<> builder;        // the place being written
    llvm::IRBuilder<> entry_builder;  // the prologue, which dominates everything
    llvm::BasicBlock* entry = nullptr;
    llvm::BasicBlock* returns = nullptr;
    std::vector<llvm::BasicBlock*> starts;  // of the plan's blocks
    unsigned current = 0;                   // the plan's block being written
    Parts mask;                             // of that block
    Parts entry_mask;
    const llvm::Instruction* written = nullptr;  // the one being written
    llvm::DenseSet<const llvm::Instruction*> lane_by_lane;
    llvm::MapVector<const llvm::Instruction*, AccessForm> accesses;
    // Arrays of lanes, for code that runs lane by lane; reused from one loop to
    // the next.
    llvm::DenseMap<llvm::Type*, std::vector<llvm::AllocaInst*>> lane_arrays;
};

}  // namespace warpwise::cpu_compiler::gang
