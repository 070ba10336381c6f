// Each kernel: accept or refuse, choose the layout, rewrite.
#include "src/backends/cpu/compiler/gang/gang.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/gang/analysis/analysis.hpp"
#include "src/backends/cpu/compiler/gang/analysis/candidate.hpp"
#include "src/backends/cpu/compiler/gang/analysis/waits.hpp"
#include "src/backends/cpu/compiler/gang/emit/form_writer.hpp"
#include "src/backends/cpu/compiler/gang/layout/layout_choice.hpp"
#include "src/backends/cpu/compiler/gang/passes/full_loops.hpp"
#include "src/backends/cpu/compiler/gang/passes/lane_loops.hpp"
#include "src/backends/cpu/compiler/gang/passes/normal_form.hpp"
#include "src/backends/cpu/compiler/gang/passes/split_conditions.hpp"
#include "src/backends/cpu/compiler/lowering/scalar/call_graph.hpp"
#include "src/backends/cpu/compiler/lowering/target.hpp"
#include "src/base/log.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler {
namespace {

using cpu::kWarpSize;
using gang::analyse;
using gang::Analysis;
using gang::Layout;

constexpr const char* kReasonForFibers =
    "its threads also meet or wait elsewhere than at barriers of the whole block";

constexpr const char* kReasonOfWork =
    "threads leave a loop with barriers before others, and touch memory before they end";

// Whether lanes that run a loop by their own counts also walk through memory of their own there:
// then more of them gain nothing from each other's company.
bool has_gathering_loop(const gang::Plan& plan, const gang::Shapes& shapes) {
    return llvm::any_of(plan.blocks(), [&](const gang::PlannedBlock& planned) {
        if (!planned.loop || !plan.is_divergent(planned.loop)) return false;
        return llvm::any_of(*planned.block, [&](const llvm::Instruction& instruction) {
            auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
            return load && !shapes.of(load->getPointerOperand()).has_scalars();
        });
    });
}

bool is_too_wide(const Analysis& found, const Layout& layout) {
    // Warps may part ways at barriers, so a gang must be no more than a part of one.
    bool is_part_of_warp = layout.lanes() <= kWarpSize && !layout.has_rows();
    if (!is_part_of_warp && found.plan->has_divergent_meetings()) return true;
    return layout.cut == Layout::Cut::AlongX && layout.pieces > 1 && !layout.is_warp &&
           has_gathering_loop(*found.plan, *found.shapes);
}

struct Choice {
    Layout layout;
    std::unique_ptr<Analysis> analysis;
};

Choice choose(llvm::Function& scalar, llvm::DominatorTree& tree, llvm::LoopInfo& loops,
              llvm::TargetMachine& machine, Layout layout, bool may_be_block) {
    const std::optional<BlockShape> block = layout.block;
    const unsigned bits = vector_bits(machine);
    llvm::TargetTransformInfo target = machine.getTargetTransformInfo(scalar);
    gang::KernelFacts facts = gang::facts_of(scalar);
    std::optional<Layout> whole;
    if (may_be_block && block) whole = gang::whole_block(facts, *block);
    if (whole) {
        std::unique_ptr<Analysis> found = analyse(scalar, tree, loops, *whole);
        bool is_good = !found->plan->has_divergent_barriers() &&
                       !gang::lanes_wait_for_each_other(*found->plan) &&
                       !has_gathering_loop(*found->plan, *found->shapes) &&
                       gang::fits_registers(*found->plan, *found->shapes, *whole, target, bits);
        if (is_good) return {*whole, std::move(found)};
    }
    std::unique_ptr<Analysis> found = analyse(scalar, tree, loops, layout);
    if (is_too_wide(*found, layout)) {
        const bool is_cut = layout.is_cut;
        layout = Layout();
        layout.block = block;
        layout.is_cut = is_cut;
        found = analyse(scalar, tree, loops, layout);
    }
    unsigned pieces = gang::pieces_that_fit(*found->plan, *found->shapes, layout, target, bits);
    if (!layout.is_warp && pieces < layout.pieces) {
        layout.pieces = pieces;
        found = analyse(scalar, tree, loops, layout);
    }
    return {layout, std::move(found)};
}

// Returns the reason if it cannot be done after all, and leaves `scalar`, simpler, as it was.
std::string vectorise(Lowering& job, llvm::Function& scalar, const CallGraph& graph) {
    const std::optional<BlockShape>& block = job.translation.mode.block;
    const Executor target = job.translation.mode.chosen_executor();
    const gang::KernelFacts facts = gang::facts_of(scalar);
    const bool needs_fibers = facts.has_other_meetings || facts.yields;
    const bool is_quick = job.translation.mode.is_quick();
    Layout usual = is_quick ? gang::narrowest_layout(facts, block)
                            : gang::choose_layout(facts, block, vector_bits(job.machine));
    usual.is_cut = facts.has_meetings && !needs_fibers && target != Executor::Gang;
    gang::bring_to_normal_form(scalar, job.machine);
    if (!usual.is_warp) gang::take_out_lane_loops(scalar, usual, job.machine);
    Layout in_rows = usual;
    if (usual.is_warp) in_rows.cut = Layout::Cut::AlongX;
    if (!is_quick) {
        gang::split_conditions(scalar, in_rows);
        gang::add_full_loops(scalar, in_rows);
    }
    llvm::DominatorTree tree(scalar);
    llvm::LoopInfo loops(tree);
    auto [layout, found] =
        choose(scalar, tree, loops, job.machine, usual, !is_quick && target != Executor::Gang);
    std::string reason;
    if (gang::lanes_wait_for_each_other(*found->plan)) {
        reason = gang::kReasonToWait;
    } else if (found->plan->leaves_work_behind_barriers()) {
        reason = kReasonOfWork;
    } else if (target == Executor::Regions && needs_fibers && !layout.is_block) {
        reason = kReasonForFibers;
    }
    if (!reason.empty()) {
        gang::forget_full_loops(scalar);
        return reason;
    }
    gang::FormWriter writer(scalar, tree, loops, graph, job.machine);
    llvm::Function* made =
        is_quick ? writer.write_alone(*found, layout) : writer.write(*found, layout);
    made->addFnAttr(kGangColumnsAttribute, std::to_string(layout.columns() * layout.width));
    made->addFnAttr(kGangRowsAttribute, std::to_string(layout.rows()));
    if (layout.is_block || layout.is_cut) made->addFnAttr(kRegionsAttribute);
    if (layout.is_cut) made->addFnAttr(kFrameAttribute, std::to_string(writer.frame_bytes()));
    if (layout.is_linear()) made->addFnAttr(kLinearGangsAttribute);
    made->addFnAttr(kLaneByLaneAttribute, std::to_string(writer.lane_by_lane()));
    made->takeName(&scalar);
    scalar.eraseFromParent();
    return {};
}

}  // namespace

void form_gangs(Lowering& job) {
    const Executor target = job.translation.mode.chosen_executor();
    if (target == Executor::Reference) return;
    for (const compiler::KernelInfo& kernel : job.translation.kernels) {
        llvm::Function& scalar = *job.module.getFunction(kernel.signature.symbol);
        gang::take_apart(scalar, job.machine);
        CallGraph graph(job.module);
        std::string reason = gang::reason_against(scalar, graph);
        if (reason.empty()) reason = vectorise(job, scalar, graph);
        if (reason.empty()) continue;
        if (target != Executor::Auto) {
            throw UnsupportedError(
                fmt::format("kernel '{}' cannot run on executor '{}': {}; leave the choice of the "
                            "executor to the compiler",
                            kernel.signature.name, compiler::name_of(target), reason));
        }
        log::info("kernel '{}' runs on executor reference: {}", kernel.signature.name, reason);
    }
}

}  // namespace warpwise::cpu_compiler
