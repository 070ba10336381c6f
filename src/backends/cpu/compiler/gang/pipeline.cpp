// The order of the vectoriser's passes.
#include "src/backends/cpu/compiler/gang/pipeline.hpp"

#include <fmt/format.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/DCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>
#include <llvm/Transforms/Utils/UnifyFunctionExitNodes.h>

#include <algorithm>

#include "src/backends/cpu/compiler/gang/emit/emit.hpp"
#include "src/backends/cpu/compiler/gang/observe.hpp"
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"
#include "src/backends/cpu/compiler/guard.hpp"
#include "src/base/text.hpp"
#include "warpwise/error.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

template <class LlvmPass>
PreservedAnalyses llvm_pass(llvm::Function& function, GangContext& context) {
    return LlvmPass().run(function, context.analyses());
}

PreservedAnalyses early_cse(llvm::Function& function, GangContext& context) {
    return llvm::EarlyCSEPass(/*UseMemorySSA=*/true).run(function, context.analyses());
}

PreservedAnalyses simplify_cfg(llvm::Function& function, GangContext& context) {
    return llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions()).run(function, context.analyses());
}

PreservedAnalyses licm(llvm::Function& function, GangContext& context) {
    return llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                 /*UseMemorySSA=*/true)
        .run(function, context.analyses());
}

bool is_full_tier(const GangContext& context) {
    return !context.is_quick;
}

bool is_no_warp(const GangContext& context) {
    return !context.layout.is_warp;
}

bool has_no_mask_registers(const GangContext& context) {
    return !context.target->has_mask_registers();
}

bool has_known_blocks(const GangContext& context) {
    return !context.is_quick && context.layout.block.has_value();
}

// Before the layout is chosen.
bool has_one_shape(const GangContext& context) {
    return !context.is_quick && context.block.has_value();
}

bool is_cut(const GangContext& context) {
    return context.emission.layout.is_cut;
}

constexpr bool kMandatory = false;
constexpr bool kOptional = true;

// mem2reg alone gives nearly all of the speed of a gang function; LLVM's default pipelines cost
// milliseconds and gain nothing steady.
constexpr Pass kPasses[] = {
    {"scalarize", Stage::Scalar, kMandatory, scalarize},
    {"extract-elements", Stage::Scalar, kMandatory, extract_elements},

    {"check-candidate", Stage::Candidate, kMandatory, check_candidate},

    {"merge-guard-chains", Stage::Normal, kOptional, merge_guard_chains},
    {"regroup-elements", Stage::Normal, kOptional, regroup_elements, has_one_shape},
    {"dce", Stage::Normal, kOptional, llvm_pass<llvm::DCEPass>},
    {"lower-switch", Stage::Normal, kMandatory, llvm_pass<llvm::LowerSwitchPass>},
    {"join-stores", Stage::Normal, kOptional, join_stores},
    {"unify-exits", Stage::Normal, kMandatory, llvm_pass<llvm::UnifyFunctionExitNodesPass>},
    {"fix-irreducible", Stage::Normal, kMandatory, llvm_pass<llvm::FixIrreduciblePass>},
    {"loop-simplify", Stage::Normal, kMandatory, llvm_pass<llvm::LoopSimplifyPass>},
    {"lcssa", Stage::Normal, kMandatory, llvm_pass<llvm::LCSSAPass>},

    {"split-rounds", Stage::Loops, kOptional, split_rounds, has_one_shape},
    {"join-quotients", Stage::Loops, kOptional, join_quotients},
    {"narrow-integers", Stage::Loops, kOptional, narrow_integers},
    {"narrow-conversions", Stage::Loops, kOptional, narrow_conversions, is_full_tier},
    {"split-wraps", Stage::Loops, kOptional, split_wraps, is_full_tier},
    {"outline-lane-loops", Stage::Loops, kOptional, outline_lane_loops, is_no_warp},
    {"narrow-sums", Stage::Loops, kOptional, narrow_sums, is_full_tier},
    {"split-conditions", Stage::Loops, kOptional, split_conditions, is_full_tier},
    {"compare-at-exits", Stage::Loops, kOptional, compare_at_exits},
    {"unroll-turns", Stage::Loops, kOptional, unroll_turns, has_one_shape},
    {"copy-full-loops", Stage::Loops, kOptional, copy_full_loops, is_full_tier},

    {"choose-layout", Stage::Layout, kMandatory, choose_layout},
    {"interleave-locals", Stage::Layout, kOptional, interleave_locals},
    {"transpose-shared", Stage::Layout, kOptional, transpose_shared, is_full_tier},
    {"unroll-levels", Stage::Layout, kOptional, unroll_levels, has_known_blocks},
    {"sink-addresses", Stage::Layout, kOptional, sink_addresses, is_full_tier},
    {"levels-dce", Stage::Layout, kOptional, llvm_pass<llvm::DCEPass>, is_full_tier},
    {"split-rows", Stage::Layout, kOptional, split_rows, has_known_blocks},

    {"assume-inst-combine", Stage::Assume, kOptional, llvm_pass<llvm::InstCombinePass>},
    {"assume-simplify-cfg", Stage::Assume, kOptional, simplify_cfg},

    {"emit", Stage::Gang, kMandatory, emit},
    {"inline-lane-loops", Stage::Gang, kOptional, inline_lane_loops},
    {"mem2reg", Stage::Gang, kMandatory, llvm_pass<llvm::PromotePass>},
    {"early-cse", Stage::Gang, kOptional, early_cse},
    {"inst-combine", Stage::Gang, kOptional, llvm_pass<llvm::InstCombinePass>},
    {"few-lanes", Stage::Gang, kOptional, access_few_lanes},
    {"simplify-cfg", Stage::Gang, kOptional, simplify_cfg},
    {"late-early-cse", Stage::Gang, kOptional, early_cse},
    {"forward-stores", Stage::Gang, kOptional, forward_stores},
    {"gang-loop-simplify", Stage::Gang, kOptional, llvm_pass<llvm::LoopSimplifyPass>},
    {"gang-lcssa", Stage::Gang, kOptional, llvm_pass<llvm::LCSSAPass>},
    {"rotate-loops", Stage::Gang, kOptional, rotate_loops, is_full_tier},
    {"licm", Stage::Gang, kOptional, licm},
    {"gang-dce", Stage::Gang, kOptional, llvm_pass<llvm::DCEPass>},
    // LLVM 19's code generator does not terminate without it.
    {"join-uniform-masks", Stage::Gang, kMandatory, join_uniform_masks},
    {"reciprocal-roots", Stage::Gang, kOptional, refine_reciprocal_roots},
    {"expand-masked-accesses", Stage::Gang, kOptional, expand_masked_accesses,
     has_no_mask_registers},
    {"widen-masks", Stage::Gang, kOptional, widen_masks, has_no_mask_registers},
    {"cut-at-barriers", Stage::Gang, kMandatory, cut_at_barriers, is_cut},

    {"loop-over-blocks", Stage::Blocks, kOptional, loop_over_blocks},
    {"blocks-early-cse", Stage::Blocks, kOptional, early_cse},
    {"blocks-simplify-cfg", Stage::Blocks, kOptional, simplify_cfg},
    {"blocks-loop-simplify", Stage::Blocks, kOptional, llvm_pass<llvm::LoopSimplifyPass>},
    {"blocks-lcssa", Stage::Blocks, kOptional, llvm_pass<llvm::LCSSAPass>},
    {"hoist-divisions", Stage::Blocks, kOptional, hoist_divisions},
    {"blocks-late-early-cse", Stage::Blocks, kOptional, early_cse},
    {"blocks-licm", Stage::Blocks, kOptional, licm},
    {"defer-updates", Stage::Blocks, kOptional, defer_updates},
    {"blocks-dce", Stage::Blocks, kOptional, llvm_pass<llvm::DCEPass>},
};

std::string names_of(bool (*is_named)(const Pass&)) {
    std::string names;
    for (const Pass& pass : kPasses) {
        if (is_named(pass)) names += fmt::format("{}{}", names.empty() ? "" : ", ", pass.name);
    }
    return names;
}

void check_skipped(const std::string& name) {
    const auto* found = std::ranges::find(kPasses, name, &Pass::name);
    const bool is_known = found != std::end(kPasses);
    if (is_known && found->is_optional) return;
    throw ArgumentError(
        ArgumentError::Kind::Value,
        fmt::format("the pass {} that WARPWISE_SKIP_PASS or --warpwise-skip-pass names {}; "
                    "optional passes: {}",
                    quote(name), is_known ? "is mandatory" : "does not exist",
                    names_of([](const Pass& pass) { return pass.is_optional; })));
}

void check_dumped(const std::string& name) {
    if (name.empty() || name == "all") return;
    if (std::ranges::find(kPasses, name, &Pass::name) != std::end(kPasses)) return;
    throw ArgumentError(
        ArgumentError::Kind::Value,
        fmt::format("the pass {} that WARPWISE_DUMP names does not exist; use all, or one of: {}",
                    quote(name), names_of([](const Pass&) { return true; })));
}

}  // namespace

std::span<const Pass> passes() {
    return kPasses;
}

bool PipelineOptions::skips(std::string_view pass) const {
    return std::ranges::find(skipped, pass) != skipped.end();
}

void run_stage(Stage stage, llvm::Function& function, GangContext& context) {
    for (const Pass& pass : kPasses) {
        if (pass.stage != stage || context.options.skips(pass.name)) continue;
        if (pass.applies != nullptr && !pass.applies(context)) continue;
        const bool is_dumped = context.options.dumps(pass.name);
        leave_if_abandoned();
        ++context.passes_run;
        if (is_dumped) dump(function, pass.name, "before", context);
        const PreservedAnalyses preserved = pass.run(function, context);
        context.analyses().invalidate(function, preserved);
        if (is_dumped) dump(function, pass.name, "after", context);
        if (context.options.verifies) verify(function, pass.name, context.name);
        if (!context.refusal.empty()) return;
    }
}

PipelineOptions pipeline_options(const Translation& translation) {
    PipelineOptions options;
    options.skipped = translation.mode.skipped_passes.value_or(std::vector<std::string>());
    options.dump = settings().dump;
    options.dump_folder = settings().dump_folder;
#ifdef NDEBUG
    options.verifies = settings().verify;
#else
    options.verifies = true;
#endif
    std::ranges::for_each(options.skipped, check_skipped);
    check_dumped(options.dump);
    return options;
}

}  // namespace warpwise::cpu_compiler::gang
