// Who may run whom. A call through a pointer may run any function whose address is taken.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <vector>

namespace warpwise::cpu_compiler {

class CallGraph {
  public:
    explicit CallGraph(const llvm::Module& module);

    // Functions with a body that `function` calls, each once; through pointers too.
    llvm::ArrayRef<const llvm::Function*> callees(const llvm::Function& function) const;
    // `root` and everything it may run, each once.
    std::vector<const llvm::Function*> reachable(const llvm::Function& root) const;
    // Every function with a body, callees before callers where no recursion forbids it.
    const std::vector<const llvm::Function*>& bottom_up() const { return bottom_up_; }
    // Whether `function` may run itself.
    bool is_recursive(const llvm::Function& function) const {
        return recursive_.contains(&function);
    }

  private:
    void find_recursion(const llvm::Module& module);

    llvm::DenseMap<const llvm::Function*, llvm::SmallVector<const llvm::Function*, 4>> callees_;
    std::vector<const llvm::Function*> bottom_up_;
    llvm::DenseSet<const llvm::Function*> recursive_;
};

bool is_indirect(const llvm::CallBase& call);

}  // namespace warpwise::cpu_compiler
