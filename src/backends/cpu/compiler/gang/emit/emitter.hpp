// Writes the gang function: walks the plan's blocks, and hands each instruction
// to the emitter of its kind. What these share is in EmitContext.
#pragma once

#include "src/backends/cpu/compiler/gang/emit/arithmetic_emitter.hpp"
#include "src/backends/cpu/compiler/gang/emit/calls/call_emitter.hpp"
#include "src/backends/cpu/compiler/gang/emit/control_emitter.hpp"
#include "src/backends/cpu/compiler/gang/emit/memory/atomic_emitter.hpp"
#include "src/backends/cpu/compiler/gang/emit/memory/memory_emitter.hpp"

namespace warpwise::cpu_compiler::gang {

class Emitter {
  public:
    explicit Emitter(const Subject& subject);
    void run();
    // Instructions of the scalar function that were written as loops over single
    // lanes.
    const llvm::DenseSet<const llvm::Instruction*>& lane_by_lane() const {
        return state_.lane_by_lane;
    }
    const llvm::MapVector<const llvm::Instruction*, AccessForm>& accesses() const {
        return state_.accesses;
    }

  private:
    void note_leaves_of_runs();
    void write_prologue();
    llvm::Constant* lanes_of_block(unsigned piece) const;
    void write_block(unsigned index);
    void write_by_piece(llvm::ArrayRef<BlockSchedule::Step> steps);
    void share_operands(llvm::ArrayRef<BlockSchedule::Step> steps);
    void write_step(const BlockSchedule::Step& step);
    void write_instruction(llvm::Instruction& instruction);

    EmitContext context_;
    EmitState& state_;
    ThreadRegisters registers_;
    ArithmeticEmitter arithmetic_;
    AtomicEmitter atomics_;
    CallEmitter calls_;
    ControlEmitter control_;
    MemoryEmitter memory_;
};

}  // namespace warpwise::cpu_compiler::gang
