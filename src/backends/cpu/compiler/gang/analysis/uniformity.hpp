// Which values and branches are the same for all lanes of a gang that run them: LLVM's analysis,
// told what our lanes differ in.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/IR/Dominators.h>

#include "src/backends/cpu/compiler/gang/layout/layout.hpp"

namespace warpwise::cpu_compiler::gang {

class Uniformity {
  public:
    // Besides what is known to differ, the values of `divergent` do. The set must stay alive.
    Uniformity(llvm::Function& function, const llvm::DominatorTree& tree, const Layout& layout,
               const llvm::DenseSet<const llvm::Value*>& divergent);

    bool is_uniform(const llvm::Value& value) const;
    bool is_divergent_branch(const llvm::BasicBlock& block) const;

  private:
    llvm::CycleInfo cycles_;
    llvm::TargetTransformInfo target_;
    llvm::UniformityInfo info_;
};

}  // namespace warpwise::cpu_compiler::gang
