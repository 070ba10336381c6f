// Stores to an element that the same thread has read, where no other thread can have written it
// meanwhile. A vector of such elements may be read again and stored whole, those of lanes that
// store nothing as they are: all of its lanes have read theirs, so whoever else writes one of them
// races with that read.
//
// That holds where nothing in the kernel orders its threads: no barrier, atomic or fence, no
// volatile access, no call that may write. Beyond that, so that threads which mark each other's
// elements by a race that they can bear lose no mark, every other store to the array is one to the
// thread's own element too.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>

#include "src/backends/cpu/compiler/gang/analysis/plan.hpp"

namespace warpwise::cpu_compiler::gang {

class OwnElements {
  public:
    explicit OwnElements(const Plan& plan);

    // The block of the plan whose lanes have all read the element that they may store by `store`,
    // and which is not the store's own; nothing where there is none.
    std::optional<unsigned> readers_of(const llvm::StoreInst& store) const;

  private:
    llvm::DenseMap<const llvm::StoreInst*, unsigned> readers_;
};

}  // namespace warpwise::cpu_compiler::gang
