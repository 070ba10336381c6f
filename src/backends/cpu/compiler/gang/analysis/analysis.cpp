// Uniformity and the plan depend on each other: repeated until they agree.
#include "src/backends/cpu/compiler/gang/analysis/analysis.hpp"

namespace warpwise::cpu_compiler::gang {

std::unique_ptr<Analysis> analyse(llvm::Function& scalar, llvm::DominatorTree& tree,
                                  llvm::LoopInfo& loops, const Layout& layout) {
    auto found = std::make_unique<Analysis>();
    for (bool changed = true; changed;) {
        found->uniformity.emplace(scalar, tree, layout, found->divergent);
        found->plan.emplace(scalar, tree, loops, *found->uniformity);
        changed = false;
        for (const llvm::PHINode* phi : found->plan->misjudged_phis(*found->uniformity)) {
            changed |= found->divergent.insert(phi).second;
        }
    }
    found->shapes.emplace(*found->plan, *found->uniformity, layout);
    return found;
}

}  // namespace warpwise::cpu_compiler::gang
