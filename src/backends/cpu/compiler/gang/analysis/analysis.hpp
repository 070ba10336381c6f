// What the emitter goes by: all that is found out about a scalar function for one layout.
#pragma once

#include <llvm/ADT/DenseSet.h>

#include <memory>
#include <optional>

#include "src/backends/cpu/compiler/gang/analysis/plan.hpp"
#include "src/backends/cpu/compiler/gang/analysis/shape.hpp"
#include "src/backends/cpu/compiler/gang/analysis/uniformity.hpp"

namespace warpwise::cpu_compiler::gang {

// The parts refer to each other: it stays where it was made. The function must outlive it.
struct Analysis {
    llvm::DenseSet<const llvm::Value*> divergent;
    std::optional<Uniformity> uniformity;
    std::optional<Plan> plan;
    std::optional<Shapes> shapes;
};

std::unique_ptr<Analysis> analyse(llvm::Function& scalar, llvm::DominatorTree& tree,
                                  llvm::LoopInfo& loops, const Layout& layout);

}  // namespace warpwise::cpu_compiler::gang
