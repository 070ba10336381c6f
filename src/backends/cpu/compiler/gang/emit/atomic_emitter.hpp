// Atomic read-modify-write and compare-and-swap.
#pragma once

#include "src/backends/cpu/compiler/gang/emit/instruction_emitter.hpp"

namespace warpwise::cpu_compiler::gang {

class AtomicEmitter : InstructionEmitter {
  public:
    explicit AtomicEmitter(EmitContext& context) : InstructionEmitter(context) {}

    void write(llvm::Instruction& atomic);

  private:
    bool write_reduced(llvm::AtomicRMWInst& update);
};

}  // namespace warpwise::cpu_compiler::gang
