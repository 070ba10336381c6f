// The order in which the instructions of a block are written, which is their
// own but for tables.
//
// Threads that own runs of neighbouring elements: element k of all lanes is one
// column of a table whose rows are the lanes. Accesses to all columns of it are
// written together: loads at the first of them, behind the arithmetic that
// their addresses need, stores at the last.
//
// So are loads of several fields of a structure of which each lane has one somewhere, bodies[j[i]]:
// a table of which the rows do not follow each other.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>

#include <optional>
#include <vector>

#include "src/backends/cpu/compiler/gang/emit/state/emit_state.hpp"

namespace warpwise::cpu_compiler::gang {

// The accesses, all loads or all stores, in the order of the columns; null for a column without
// one, never the first.
using ColumnTable = llvm::SmallVector<llvm::Instruction*>;

class BlockSchedule {
  public:
    struct Step {
        llvm::Instruction* instruction;
        ColumnTable table;  // of which the instruction is one; empty: it stands alone
    };

    BlockSchedule(llvm::BasicBlock& block, const EmitState& state);

    const std::vector<Step>& steps() const { return steps_; }

  private:
    void add(llvm::Instruction& instruction);
    bool add_load_table(llvm::LoadInst& load);
    bool add_store_table(llvm::StoreInst& store);
    void place(llvm::Instruction& instruction, ColumnTable table = {});
    bool place_ahead(llvm::Value* value);
    // By the offset of the place in bytes.
    using Columns = llvm::SmallVector<std::pair<std::int64_t, llvm::Instruction*>>;
    Columns columns_beside(llvm::Instruction& access, std::optional<std::int64_t> step,
                           std::size_t count) const;
    ColumnTable table_from(llvm::Instruction& access) const;
    ColumnTable structure_from(llvm::LoadInst& load) const;

    llvm::BasicBlock& block_;
    const EmitState& state_;
    std::vector<Step> steps_;
    llvm::DenseSet<const llvm::Instruction*> placed_;  // or part of a table that is, or will be
    llvm::DenseMap<const llvm::Instruction*, ColumnTable> stores_at_;
};

}  // namespace warpwise::cpu_compiler::gang
