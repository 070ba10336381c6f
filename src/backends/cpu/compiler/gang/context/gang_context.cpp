// Analyses through LLVM's manager, ours among them.
#include "src/backends/cpu/compiler/gang/context/gang_context.hpp"

#include <llvm/ADT/STLExtras.h>

#include <utility>

namespace warpwise::cpu_compiler::gang {

llvm::AnalysisKey KernelAnalysis::Key;

const Analysis& KernelAnalyses::of(const Layout& layout) {
    auto known = llvm::find_if(found_, [&](const auto& entry) { return entry.first == layout; });
    if (known != found_.end()) return *known->second;
    found_.emplace_back(layout, analyse(*scalar_, *tree_, *loops_, layout));
    return *found_.back().second;
}

KernelAnalyses KernelAnalysis::run(llvm::Function& scalar,
                                   llvm::FunctionAnalysisManager& analyses) {
    return {scalar, analyses.getResult<llvm::DominatorTreeAnalysis>(scalar),
            analyses.getResult<llvm::LoopAnalysis>(scalar)};
}

GangContext::GangContext(Lowering& job, std::string kernel, const PipelineOptions& chosen)
    : name(std::move(kernel)),
      options(chosen),
      executor(job.translation.mode.chosen_executor()),
      block(job.translation.mode.block),
      is_quick(job.translation.mode.is_quick()),
      machine(job.machine),
      target(target_traits(job.machine)),
      runner_(job.machine) {
    runner_.functions().registerPass([] { return KernelAnalysis(); });
}

const llvm::DominatorTree& GangContext::dominators(llvm::Function& function) {
    return analyses().getResult<llvm::DominatorTreeAnalysis>(function);
}

llvm::LoopInfo& GangContext::loops(llvm::Function& function) {
    return analyses().getResult<llvm::LoopAnalysis>(function);
}

const llvm::TargetTransformInfo& GangContext::costs(llvm::Function& function) {
    return analyses().getResult<llvm::TargetIRAnalysis>(function);
}

const Analysis& GangContext::analysis(llvm::Function& scalar, const Layout& wanted) {
    return analyses().getResult<KernelAnalysis>(scalar).of(wanted);
}

void GangContext::forget(llvm::Function& function) {
    analyses().clear(function, function.getName());
}

Layout GangContext::layout_in_rows() const {
    Layout in_rows = layout;
    if (layout.is_warp) in_rows.cut = Layout::Cut::AlongX;
    return in_rows;
}

}  // namespace warpwise::cpu_compiler::gang
