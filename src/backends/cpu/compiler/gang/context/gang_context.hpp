// What the passes of the vectoriser share while one kernel goes through them: the request, the
// target, the analyses that still hold, and what has been decided about the kernel so far.
//
// Invariant: an analysis is computed once and kept until a pass reports that it has changed the
// function (LLVM's PreservedAnalyses). A function is forgotten before it is erased.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "src/backends/cpu/compiler/gang/analysis/analysis.hpp"
#include "src/backends/cpu/compiler/gang/analysis/candidate.hpp"
#include "src/backends/cpu/compiler/gang/context/pipeline_options.hpp"
#include "src/backends/cpu/compiler/gang/target/target_traits.hpp"
#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/pass_runner.hpp"
#include "src/backends/cpu/compiler/lowering/scalar/call_graph.hpp"

namespace warpwise::cpu_compiler::gang {

// Our analyses of one scalar function, one for each layout that was asked for, in LLVM's manager.
class KernelAnalyses {
  public:
    KernelAnalyses(llvm::Function& scalar, llvm::DominatorTree& tree, llvm::LoopInfo& loops)
        : scalar_(&scalar), tree_(&tree), loops_(&loops) {}

    const Analysis& of(const Layout& layout);

  private:
    llvm::Function* scalar_;
    llvm::DominatorTree* tree_;
    llvm::LoopInfo* loops_;
    std::vector<std::pair<Layout, std::unique_ptr<Analysis>>> found_;
};

struct KernelAnalysis : llvm::AnalysisInfoMixin<KernelAnalysis> {
    using Result = KernelAnalyses;
    Result run(llvm::Function& scalar, llvm::FunctionAnalysisManager& analyses);
    static llvm::AnalysisKey Key;
};

// What the pass `emit` writes into an empty function.
struct Emission {
    llvm::Function* source = nullptr;  // scalar, in normal form
    Layout layout;
    bool has_all_lanes = false;  // no lane is missing at the start
};

// A loop over gangs and blocks, which the pass `loop-over-blocks` writes into an empty function.
struct BlockLoop {
    llvm::Function* gang = nullptr;
    const GangForm* form = nullptr;
    BlockShape block = {1, 1, 1};
    bool calls_runtime = false;  // the gang function calls services, which look up their place
    llvm::Function* rounds = nullptr;       // counts them, where the gang function is one round
    const SplitRows* split_rows = nullptr;  // where gangs end with rows
};

// A grid-stride loop as a kernel of one iteration, and the function that counts the iterations
// (passes/grid_rounds.cpp).
struct GridRounds {
    llvm::Function* round = nullptr;  // scalar; null: there is none
    llvm::Function* count = nullptr;
};

class GangContext {
  public:
    // `name` is the kernel's symbol.
    GangContext(Lowering& job, std::string name, const PipelineOptions& options);

    llvm::FunctionAnalysisManager& analyses() { return runner_.functions(); }
    const llvm::DominatorTree& dominators(llvm::Function& function);
    llvm::LoopInfo& loops(llvm::Function& function);
    const llvm::TargetTransformInfo& costs(llvm::Function& function);
    // Uniformity, plan and shapes of a scalar function.
    const Analysis& analysis(llvm::Function& scalar, const Layout& layout);
    // Of a function that is about to be erased.
    void forget(llvm::Function& function);

    // As `layout`, with a warp in one row of its block, where threadIdx.x ascends by one.
    Layout layout_in_rows() const;

    // --- the request
    const std::string name;
    const PipelineOptions& options;
    const Executor executor;                // Auto, Gang or Regions
    const std::optional<BlockShape> block;  // the only shape of blocks that will be launched
    const bool is_quick;                    // one vector a value and no copies
    llvm::TargetMachine& machine;
    const std::unique_ptr<const TargetTraits> target;

    // --- decisions, each by the pass that is named
    std::string refusal;             // not empty: the kernel stays scalar, and why
    std::optional<CallGraph> calls;  // check-candidate; of the module as it was then
    KernelFacts facts;               // check-candidate
    GridRounds rounds;               // split-rounds
    Layout layout;                   // check-candidate, then choose-layout
    bool splits_rows = false;        // split-rows
    Emission emission;               // input of emit
    BlockLoop block_loop;            // input of loop-over-blocks
    GangForm form;                   // the result
    unsigned passes_run = 0;         // numbers the dumps

  private:
    PassRunner runner_;
};

}  // namespace warpwise::cpu_compiler::gang
