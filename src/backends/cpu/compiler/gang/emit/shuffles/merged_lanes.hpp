// A vector put together from lanes of others, by shuffles: one a source, and one to join each with
// what was there. Code generation makes one instruction of two where the target has it.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/IRBuilder.h>

#include <optional>

namespace warpwise::cpu_compiler::gang {

class MergedLanes {
  public:
    MergedLanes(llvm::IRBuilder<>& builder, unsigned width)
        : builder_(builder), filled_(width, false) {}

    // `element_of(lane)`: the source's element for a lane of the result, if it has one. Lanes that
    // an earlier source has filled stay.
    void add(llvm::Value* source,
             llvm::function_ref<std::optional<unsigned>(unsigned lane)> element_of);
    // Lanes without a source are poison; null without any source.
    llvm::Value* value() const { return value_; }

  private:
    llvm::IRBuilder<>& builder_;
    llvm::SmallVector<bool> filled_;
    llvm::Value* value_ = nullptr;
};

}  // namespace warpwise::cpu_compiler::gang
