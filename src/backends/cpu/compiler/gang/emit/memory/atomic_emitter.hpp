// Atomic read-modify-write and compare-and-swap.
#pragma once

#include "src/backends/cpu/compiler/gang/emit/state/instruction_emitter.hpp"

namespace warpwise::cpu_compiler::gang {

class AtomicEmitter : InstructionEmitter {
  public:
    explicit AtomicEmitter(EmitContext& context) : InstructionEmitter(context) {}

    void write(llvm::Instruction& atomic);

  private:
    // How values of lanes become one: minima and maxima are intrinsics, the others instructions.
    struct Combination {
        llvm::Intrinsic::ID reduction;
        llvm::Instruction::BinaryOps operation;
        llvm::Intrinsic::ID intrinsic;
        llvm::APInt identity;
    };

    static std::optional<Combination> combination_of(llvm::AtomicRMWInst& update);
    Parts write_combined(llvm::AtomicRMWInst& update, const Combination& how);
    Parts write_by_lanes(llvm::Instruction& atomic);
    bool write_float_sum(llvm::AtomicRMWInst& update);
    bool is_count(llvm::AtomicRMWInst& update, const Combination& how) const;
    llvm::Value* combine(const Combination& how, llvm::Value* a, llvm::Value* b);
    llvm::Value* counts_below(llvm::AtomicRMWInst& update, unsigned piece);
    llvm::Value* combined_below(const Combination& how, llvm::Value* lanes);
};

}  // namespace warpwise::cpu_compiler::gang
