// The elements that a thread works on side by side, y[4 * i + k] for k = 0, 1, 2, 3, where all of
// them are computed alike: then it makes no difference which thread of a block computes which.
//
// Of functions whose blocks are one row of threads.
#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "src/backends/cpu/compiler/gang/elements/thread_sums.hpp"

namespace warpwise::cpu_compiler::gang {

// The block that computes elements, and what threads are asked before it: nothing, or one test.
struct ElementBlock {
    llvm::BasicBlock* block;
    llvm::ICmpInst* guard = nullptr;
    bool when = true;  // what the guard says of threads that go there
};

// Nothing where a kernel does more than that.
std::optional<ElementBlock> element_block_of(llvm::Function& kernel);

// Where a load or a store accesses memory.
llvm::Value* address_of(llvm::Instruction& access);

// Of the elements of a thread, which are numbered in the order of their stores. The rest is known
// once are_alike() holds, and `to_ask` once are_apart() does.
class ThreadElements {
  public:
    ThreadElements(const ElementBlock& body, const llvm::DataLayout& layout)
        : body_(body), layout_(layout), sums(layout) {}

    // Whether there are several, all computed alike from addresses and what threads share.
    bool are_alike();
    // Whether no store of an element can be in another's way, but for what `to_ask` says.
    bool are_apart();

    std::int64_t bytes(llvm::Instruction& access) const {
        return static_cast<std::int64_t>(layout_.getTypeStoreSize(llvm::getLoadStoreType(&access)));
    }

    // `copy` of an access as any of its elements is aligned.
    void align(llvm::Instruction& first, llvm::Instruction& copy) const;

  private:
    bool find_stores();
    bool is_alike(llvm::Value* first, llvm::Value* other, unsigned element);
    bool are_instructions_alike(llvm::Instruction& first, llvm::Instruction& other,
                                unsigned element);
    void find_accesses(llvm::Value* value, std::set<llvm::Value*>& seen);
    bool are_ordered_alike() const;

    const ElementBlock body_;
    const llvm::DataLayout& layout_;
    std::vector<std::vector<llvm::StoreInst*>> stores_;  // of each array, by element
    // Of the element that is compared.
    std::map<std::pair<llvm::Value*, llvm::Value*>, bool> alike_;
    std::vector<std::pair<llvm::Instruction*, llvm::Instruction*>> partners_;

  public:
    ThreadSums sums;
    unsigned count = 0;
    std::vector<llvm::Instruction*> accesses;  // of the first element, in order
    // A store and an access of the first element whose distance is not known.
    std::vector<std::pair<llvm::StoreInst*, llvm::Instruction*>> to_ask;
};

}  // namespace warpwise::cpu_compiler::gang
