// Masks and values on the edges between blocks, and the jumps.
#pragma once

#include "src/backends/cpu/compiler/gang/emit/state/instruction_emitter.hpp"

namespace warpwise::cpu_compiler::gang {

class ControlEmitter : InstructionEmitter {
  public:
    explicit ControlEmitter(EmitContext& context) : InstructionEmitter(context) {}

    // Goes on to the next block unless a lane is there.
    void write_guard(unsigned index);
    void write_terminator(unsigned index);

  private:
    void write_divergent_branch(unsigned index, llvm::BranchInst& branch);
    void write_uniform_branch(unsigned index, llvm::BranchInst& branch);
    void write_jump(const Jump& jump);
    void pass_edge(unsigned from, unsigned to, const Parts& lanes);
    void pass_masks(unsigned from, unsigned to, const Parts& lanes);
    void move_phis(unsigned from, unsigned to);
};

}  // namespace warpwise::cpu_compiler::gang
