// threadIdx, lane numbers and the like for all lanes of a gang.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

#include "src/backends/cpu/compiler/gang/analysis/shape.hpp"

namespace warpwise::cpu_compiler::gang {

// Makes the values, each once, at the builder's place in the entry of a gang
// function.
class ThreadRegisters {
  public:
    ThreadRegisters(llvm::IRBuilder<>& builder, llvm::Value* thread, const Layout& layout)
        : builder_(builder), thread_(thread), layout_(layout) {}

    // In the form its shape asks for: one 64-bit base, or one vector for each
    // piece.
    llvm::SmallVector<llvm::Value*, 4> make(llvm::Intrinsic::ID id);
    // 32-bit word of the gang's ThreadState at `offset`.
    llvm::Value* field(std::size_t offset);
    // Lane numbers within the gang: piece * width + 0, 1, 2 ...
    llvm::Constant* lane_numbers(unsigned piece, llvm::Type* type) const;

  private:
    llvm::Value* linear_index(unsigned piece);
    llvm::Value* quotient(llvm::Value* dividend, llvm::Value* divisor);
    llvm::Value* thread_index(unsigned axis, unsigned piece);

    llvm::IRBuilder<>& builder_;
    llvm::Value* thread_;
    const Layout layout_;
};

}  // namespace warpwise::cpu_compiler::gang
