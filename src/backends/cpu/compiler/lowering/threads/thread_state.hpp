// Reading ThreadState and BlockState in compiled code.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>

#include <cstddef>

namespace warpwise::cpu_compiler {

// A field of a struct of the run time's, `offset` bytes behind `base`: read or written where the
// builder is.
llvm::LoadInst* load_at(llvm::IRBuilder<>& builder, llvm::Type* type, llvm::Value* base,
                        std::size_t offset);
void store_at(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Value* base,
              std::size_t offset);

// Their fields inside one function, each loaded once, at its entry: those that never change while a
// thread runs.
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
