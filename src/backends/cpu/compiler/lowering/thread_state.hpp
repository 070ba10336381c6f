// Loads of ThreadState and BlockState fields inside one function, each once, at its entry. The
// fields never change while a thread runs.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>

#include <cstddef>

namespace warpwise::cpu_compiler {

class ThreadStateValues {
  public:
    // The function's first parameter must be its ThreadState.
    explicit ThreadStateValues(llvm::Function& function);

    llvm::Value* thread() const { return thread_; }
    llvm::Value* block();
    llvm::Value* runtime();
    llvm::Value* shared();
    llvm::Value* linear_index();
    // 32-bit words at a byte offset.
    llvm::Value* thread_field(std::size_t offset);
    llvm::Value* block_field(std::size_t offset);

  private:
    llvm::Value* load(llvm::Value* base, std::size_t offset, llvm::Type* type, const char* name);

    llvm::Function& function_;
    llvm::Value* thread_;
    llvm::Instruction* last_ = nullptr;  // new loads go behind it
    llvm::DenseMap<std::pair<llvm::Value*, std::size_t>, llvm::Instruction*> loads_;
};

}  // namespace warpwise::cpu_compiler
