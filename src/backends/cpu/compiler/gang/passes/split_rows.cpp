// Kernels that take an index apart, `x = i % width, y = i / width`, and run in blocks of one row of
// threads: a gang that lies in two rows of the data has no steps from lane to lane, and gathers.
//
// Threads of a block that meet nowhere need no fixed places in gangs. The loop over blocks
// (passes/blocks/block_runs.cpp) lets each gang begin where the one before has ended, and end where
// a row ends. Then all its lanes have one i / width, i % width ascends, and no more than lanes at
// its end are missing. Where rows are too short for that, which the launch tells, gangs lie as
// ever.
//
// Here it is found out whether a kernel is such a one. Power-of-two numbers as widths are not
// touched: aligned gangs never lie in two of their rows.
#include "src/backends/cpu/compiler/gang/analysis/usual/assumptions.hpp"
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

// In blocks of one row, cut into whole gangs, that nothing orders.
bool may_begin_anywhere(const GangContext& context) {
    const Layout& layout = context.layout;
    const KernelFacts& facts = context.facts;
    const bool is_row = layout.cut == Layout::Cut::AlongX && !layout.is_block && !layout.is_warp &&
                        (*layout.block)[1] == 1 && (*layout.block)[2] == 1;
    return is_row && layout.is_always_full() && !facts.has_barriers && !facts.has_warp_operations &&
           !facts.yields && facts.size * layout.pieces <= costs::kLargestKnownCopy &&
           !context.options.skips("loop-over-blocks");
}

// Whether steps that follow of a gang's alignment go without it.
bool loses_steps(const Analysis& aligned, const Analysis& anywhere) {
    return llvm::any_of(aligned.plan->blocks(), [&](const PlannedBlock& planned) {
        return llvm::any_of(*planned.block, [&](const llvm::Instruction& instruction) {
            return aligned.shapes->of(&instruction).has_scalars() &&
                   !anywhere.shapes->of(&instruction).has_scalars();
        });
    });
}

}  // namespace

PreservedAnalyses split_rows(llvm::Function& kernel, GangContext& context) {
    if (!may_begin_anywhere(context)) return PreservedAnalyses::all();
    Layout anywhere = context.layout;
    anywhere.begins_anywhere = true;
    const Analysis& found = context.analysis(kernel, anywhere);
    if (loses_steps(context.analysis(kernel, context.layout), found)) {
        return PreservedAnalyses::all();
    }
    const Assumptions assumptions(kernel, *found.plan, *found.shapes, anywhere,
                                  Assumptions::Rows::Split);
    context.splits_rows = assumptions.count_on_rows();
    return PreservedAnalyses::all();
}

}  // namespace warpwise::cpu_compiler::gang
