// Each kernel: accept or refuse, choose the layout, rewrite.
#include "src/backends/cpu/compiler/gang/gang.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/gang/assumptions.hpp"
#include "src/backends/cpu/compiler/gang/candidate.hpp"
#include "src/backends/cpu/compiler/gang/emitter.hpp"
#include "src/backends/cpu/compiler/gang/finish.hpp"
#include "src/backends/cpu/compiler/gang/full_loops.hpp"
#include "src/backends/cpu/compiler/gang/lane_loops.hpp"
#include "src/backends/cpu/compiler/gang/layout_choice.hpp"
#include "src/backends/cpu/compiler/gang/normal_form.hpp"
#include "src/backends/cpu/compiler/gang/waits.hpp"
#include "src/backends/cpu/compiler/lowering/call_graph.hpp"
#include "src/backends/cpu/compiler/lowering/target.hpp"
#include "src/base/log.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler {
namespace {

using cpu::kWarpSize;
using gang::Layout;

constexpr std::uint64_t kWholeShare = 1000;
constexpr unsigned kLargestCopy = 1000;       // instructions times pieces
constexpr unsigned kLargestKnownCopy = 4000;  // in the background there is time

llvm::Function* new_function(llvm::Function& scalar) {
    llvm::Function* made = llvm::Function::Create(scalar.getFunctionType(), scalar.getLinkage(), "",
                                                  scalar.getParent());
    made->copyAttributesFrom(&scalar);
    made->removeFnAttr(llvm::Attribute::Memory);
    // No memory of the program's is the thread's state: what is stored to shared memory may be kept
    // over the notes of active lanes.
    made->addParamAttr(0, llvm::Attribute::NoAlias);
    return made;
}

// Calls one of two gang functions.
llvm::Function* choose(llvm::Function& yes, llvm::Function& no,
                       llvm::function_ref<llvm::Value*(llvm::IRBuilder<>&, llvm::Value*)> asks) {
    for (llvm::Function* copy : {&yes, &no}) copy->setLinkage(llvm::GlobalValue::InternalLinkage);
    llvm::Function* made = new_function(yes);
    made->setLinkage(llvm::GlobalValue::ExternalLinkage);
    llvm::LLVMContext& context = made->getContext();
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", made));
    llvm::Value* answer = asks(builder, made->getArg(0));
    llvm::BasicBlock* ways[2];
    for (unsigned i = 0; i < 2; ++i) {
        ways[i] = llvm::BasicBlock::Create(context, "", made);
        llvm::IRBuilder<> way(ways[i]);
        llvm::CallInst* call =
            way.CreateCall(i == 0 ? &yes : &no, {made->getArg(0), made->getArg(1)});
        call->setTailCallKind(llvm::CallInst::TCK_Tail);
        way.CreateRetVoid();
    }
    builder.CreateCondBr(answer, ways[0], ways[1]);
    return made;
}

llvm::Value* load_at(llvm::IRBuilder<>& builder, llvm::Type* type, llvm::Value* base,
                     std::size_t offset) {
    return builder.CreateLoad(
        type, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset));
}

// Whether the threads of a linear gang stand in one row of the block.
llvm::Value* is_in_one_row(llvm::IRBuilder<>& builder, llvm::Value* thread) {
    constexpr std::size_t word = sizeof(std::uint32_t), dim = offsetof(cpu::BlockState, block_dim);
    llvm::Value* block =
        load_at(builder, builder.getPtrTy(), thread, offsetof(cpu::ThreadState, block));
    auto extent = [&](unsigned axis) {
        return load_at(builder, builder.getInt32Ty(), block, dim + axis * word);
    };
    llvm::Value* rest = builder.CreateAnd(extent(0), kWarpSize - 1);
    llvm::Value* has_whole_warps = builder.CreateICmpEQ(rest, builder.getInt32(0));
    llvm::Value* rows = builder.CreateMul(extent(1), extent(2));
    return builder.CreateOr(has_whole_warps, builder.CreateICmpEQ(rows, builder.getInt32(1)));
}

// What the emitter goes by. The parts refer to each other.
struct Analysis {
    llvm::DenseSet<const llvm::Value*> divergent;
    std::optional<gang::Uniformity> uniformity;
    std::optional<gang::Plan> plan;
    std::optional<gang::Shapes> shapes;
};

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

// Of the instructions of `scalar`, as they stand in it and in the functions they call, how many in
// a thousand run for one lane after the other.
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

struct Choice {
    Layout layout;
    std::unique_ptr<Analysis> analysis;
};

Choice choose(llvm::Function& scalar, llvm::DominatorTree& tree, llvm::LoopInfo& loops,
              llvm::TargetMachine& machine, Layout layout) {
    const std::optional<BlockShape> block = layout.block;
    const unsigned bits = vector_bits(machine);
    llvm::TargetTransformInfo target = machine.getTargetTransformInfo(scalar);
    gang::KernelFacts facts = gang::facts_of(scalar);
    if (std::optional<Layout> whole = block ? gang::whole_block(facts, *block) : std::nullopt) {
        std::unique_ptr<Analysis> found = analyse(scalar, tree, loops, *whole);
        bool is_good = !found->plan->has_divergent_barriers() &&
                       !gang::lanes_wait_for_each_other(*found->plan) &&
                       !has_gathering_loop(*found->plan, *found->shapes) &&
                       gang::fits_registers(*found->plan, *found->shapes, *whole, target, bits);
        if (is_good) return {*whole, std::move(found)};
    }
    std::unique_ptr<Analysis> found = analyse(scalar, tree, loops, layout);
    if (is_too_wide(*found, layout)) {
        layout = Layout();
        layout.block = block;
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
    const std::optional<BlockShape>& block = job.translation.block;
    Layout usual = gang::choose_layout(gang::facts_of(scalar), block, vector_bits(job.machine));
    gang::bring_to_normal_form(scalar, job.machine);
    if (!usual.is_warp) gang::take_out_lane_loops(scalar, usual, job.machine);
    Layout in_rows = usual;
    if (usual.is_warp) in_rows.cut = Layout::Cut::AlongX;
    gang::add_full_loops(scalar, in_rows);
    llvm::DominatorTree tree(scalar);
    llvm::LoopInfo loops(tree);
    llvm::TargetTransformInfo target = job.machine.getTargetTransformInfo(scalar);
    std::uint64_t share = 0;  // of the last form emitted, the one that runs most
    auto [layout, found] = choose(scalar, tree, loops, job.machine, usual);
    if (gang::lanes_wait_for_each_other(*found->plan)) return gang::kReasonToWait;
    auto emit_from = [&](llvm::Function& source, const Analysis& analysis, const Layout& form,
                         bool has_all_lanes) {
        llvm::Function* made = new_function(scalar);
        gang::Emitter emitter(
            {source, *made, *analysis.plan, *analysis.shapes, target, form, has_all_lanes});
        emitter.run();
        share = share_of(emitter.lane_by_lane(), source, graph);
        gang::finish(*made, job.machine);
        return made;
    };
    auto emit = [&](const Analysis& analysis, const Layout& form, bool has_all_lanes) {
        return emit_from(scalar, analysis, form, has_all_lanes);
    };
    // A gang without missing lanes needs no masks until its lanes part, which they hardly ever do
    // where comparisons usually come out alike: small kernels get a copy.
    auto emit_copies = [&](const Analysis& analysis, const Layout& form) {
        const unsigned size = gang::facts_of(scalar).size * form.pieces;
        llvm::Function* made = emit(analysis, form, form.is_always_full());
        bool may_be_full = form.is_always_full() || !form.is_block;
        if (!may_be_full || size > (block ? kLargestKnownCopy : kLargestCopy)) return made;
        gang::Assumptions assumptions(scalar, *analysis.plan, *analysis.shapes, form);
        if (form.is_always_full() && assumptions.empty()) return made;
        auto is_full = [&](llvm::IRBuilder<>& builder, llvm::Value* thread) -> llvm::Value* {
            if (form.is_always_full()) return builder.getTrue();
            llvm::Value* lanes =
                load_at(builder, builder.getInt32Ty(), thread, offsetof(cpu::ThreadState, lanes));
            return builder.CreateICmpEQ(lanes, builder.getInt32(form.lanes()));
        };
        if (assumptions.empty()) return choose(*emit(analysis, form, true), *made, is_full);
        llvm::Function* usual_way = assumptions.apply(job.machine);
        llvm::DominatorTree usual_tree(*usual_way);
        llvm::LoopInfo usual_loops(usual_tree);
        llvm::Function* quick =
            emit_from(*usual_way, *analyse(*usual_way, usual_tree, usual_loops, form), form, true);
        usual_way->eraseFromParent();
        return choose(*quick, *made, [&](llvm::IRBuilder<>& builder, llvm::Value* thread) {
            return builder.CreateAnd(is_full(builder, thread), assumptions.test(builder));
        });
    };
    llvm::Function* made = nullptr;
    if (layout.is_warp) {
        // Nearly always a warp stands in one row, where threadIdx.x ascends by one.
        Layout in_row = layout;
        in_row.cut = Layout::Cut::AlongX;
        made = emit_copies(*analyse(scalar, tree, loops, in_row), in_row);
        if (!in_row.is_always_full())
            made = choose(*made, *emit(*found, layout, false), is_in_one_row);
    } else {
        made = emit_copies(*found, layout);
    }
    made->addFnAttr(kGangColumnsAttribute, std::to_string(layout.columns() * layout.width));
    made->addFnAttr(kGangRowsAttribute, std::to_string(layout.rows()));
    if (layout.is_block) made->addFnAttr(kRegionsAttribute);
    if (layout.is_linear()) made->addFnAttr(kLinearGangsAttribute);
    made->addFnAttr(kLaneByLaneAttribute, std::to_string(share));
    made->takeName(&scalar);
    scalar.eraseFromParent();
    return {};
}

}  // namespace

void form_gangs(Lowering& job) {
    const std::string& wanted = job.translation.executor;
    if (wanted == "reference") return;
    for (const compiler::KernelInfo& kernel : job.translation.kernels) {
        llvm::Function& scalar = *job.module.getFunction(kernel.signature.symbol);
        gang::take_apart(scalar, job.machine);
        CallGraph graph(job.module);
        std::string reason = gang::reason_against(scalar, graph);
        if (reason.empty()) reason = vectorise(job, scalar, graph);
        if (reason.empty()) continue;
        if (wanted != "auto") {
            throw UnsupportedError(
                fmt::format("kernel '{}' cannot run on executor '{}': {}; leave the choice of the "
                            "executor to the compiler",
                            kernel.signature.name, wanted, reason));
        }
        log::info("kernel '{}' runs on executor reference: {}", kernel.signature.name, reason);
    }
}

}  // namespace warpwise::cpu_compiler
