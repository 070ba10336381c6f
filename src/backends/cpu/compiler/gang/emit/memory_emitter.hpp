// Loads and stores, and local variables.
#pragma once

#include "src/backends/cpu/compiler/gang/emit/block_schedule.hpp"
#include "src/backends/cpu/compiler/gang/emit/instruction_emitter.hpp"

namespace warpwise::cpu_compiler::gang {

class MemoryEmitter : InstructionEmitter {
  public:
    explicit MemoryEmitter(EmitContext& context) : InstructionEmitter(context) {}

    void write_alloca(llvm::AllocaInst& local);
    void write_load(llvm::LoadInst& load);
    void write_store(llvm::StoreInst& store);
    // --- emit_columns.cpp: all accesses of one table, `access` among them
    void write_table(llvm::Instruction& access, const ColumnTable& table);

  private:
    llvm::Value* load_part(llvm::LoadInst& load, const Shape& result, unsigned piece);
    llvm::Value* load_row(llvm::LoadInst& load, unsigned piece);
    llvm::Value* place_of_living_row(llvm::Value* address, unsigned piece);
    void store_last_lane(llvm::StoreInst& store);
    void load_lane_by_lane(llvm::LoadInst& load);
    void store_lane_by_lane(llvm::StoreInst& store);
    void fence_compiler();
    void load_table(llvm::LoadInst& load, const ColumnTable& table);
    void store_table(llvm::StoreInst& store, const ColumnTable& table);
    llvm::Value* place_of_row(llvm::Value* start, llvm::Type* type, std::size_t row);

    // --- emit_strided.cpp
    bool is_strided(const llvm::Value* address) const;
    llvm::Value* load_strided(llvm::LoadInst& load, unsigned piece, llvm::Value* mask);

    // --- emit_prefetch.cpp
    void prefetch_ahead(llvm::LoadInst& load);

    unsigned strided_vectors_ = 0;  // loaded lane by lane, in the text of the function
};

}  // namespace warpwise::cpu_compiler::gang
