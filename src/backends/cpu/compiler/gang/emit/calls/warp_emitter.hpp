// Operations of a warp: votes, shuffles, reductions, matches.
#pragma once

#include "src/backends/cpu/compiler/gang/emit/state/instruction_emitter.hpp"

namespace warpwise::cpu_compiler::gang {

class WarpEmitter : InstructionEmitter {
  public:
    explicit WarpEmitter(EmitContext& context) : InstructionEmitter(context) {}

    void write(llvm::CallInst& call, const Service& service);

  private:
    // Through the run time.
    void write_collective(llvm::CallInst& call, std::uint32_t kind, llvm::Value* mode,
                          llvm::Value* mask, llvm::Value* value = nullptr,
                          llvm::Value* operand = nullptr, llvm::Value* width = nullptr);
    void write_ballot(llvm::CallInst& call);
    bool write_reduction(llvm::CallInst& call);  // false when it has no vector form
    llvm::AllocaInst* warp_operands();
    void fill_operands(std::size_t offset, llvm::Type* type, llvm::Value* operand, unsigned warp);
    bool is_one_for_warp(const llvm::Value* value) const;
    llvm::Value* scalar_of_warp(llvm::Value* value, unsigned warp);
    void define_by_warp(const llvm::CallInst& call, const Parts& results);
    void check_mask(llvm::Value* mask);

    // --- emit_shuffles.cpp
    bool write_shuffle(llvm::CallInst& call);  // false when it has no vector form
    llvm::Value* source_lanes(std::uint32_t mode, llvm::Value* operand, std::uint32_t width,
                              unsigned first);
    llvm::Value* permute(llvm::Value* low, llvm::Value* high, llvm::Value* sources);

    llvm::AllocaInst* warp_operands_ = nullptr;
};

}  // namespace warpwise::cpu_compiler::gang
