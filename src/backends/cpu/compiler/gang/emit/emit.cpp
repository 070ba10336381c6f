// One run of the emitter, and the share of the kernel that it wrote lane by
// lane.
#include "src/backends/cpu/compiler/gang/emit/emit.hpp"

#include <llvm/IR/InstIterator.h>

#include <algorithm>

#include "src/backends/cpu/compiler/gang/emit/emitter.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

constexpr std::uint64_t kWholeShare = 1000;

// Of the instructions of `scalar`, as they stand in it and in the functions
// they call, how many in a thousand run for one lane after the other.
std::uint64_t share_of(const llvm::DenseSet<const llvm::Instruction*>& lane_by_lane,
                       const llvm::Function& scalar, const CallGraph& graph) {
    std::uint64_t all = 0, single = 0;
    for (const llvm::Instruction& instruction : llvm::instructions(scalar)) {
        std::uint64_t size = 1;
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
        if (callee && !callee->isDeclaration()) {
            for (const llvm::Function* function : graph.reachable(*callee)) {
                size += function->getInstructionCount();
            }
        }
        all += size;
        if (lane_by_lane.contains(&instruction)) single += size;
    }
    return single * kWholeShare / std::max<std::uint64_t>(all, 1);
}

}  // namespace

llvm::PreservedAnalyses emit(llvm::Function& gang, GangContext& context) {
    llvm::Function& source = *context.emission.source;
    const Layout& layout = context.emission.layout;
    const Analysis& analysis = context.analysis(source, layout);
    Emitter emitter({source, gang, *analysis.plan, *analysis.shapes, context.costs(source),
                     *context.target, layout, context.emission.has_all_lanes});
    emitter.run();
    context.form.lane_by_lane = share_of(emitter.lane_by_lane(), source, *context.calls);
    return llvm::PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
