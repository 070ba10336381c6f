// Each kernel: accept or refuse, choose the layout, rewrite.
#include "src/backends/cpu/compiler/gang/gang.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/gang/candidate.hpp"
#include "src/backends/cpu/compiler/gang/emitter.hpp"
#include "src/backends/cpu/compiler/gang/finish.hpp"
#include "src/backends/cpu/compiler/gang/normal_form.hpp"
#include "src/backends/cpu/compiler/lowering/call_graph.hpp"
#include "src/base/log.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler {
namespace {

using gang::Layout;

constexpr unsigned kWarpSize = 32;
constexpr unsigned kLargestCopy = 1000;  // instructions times pieces

// More pieces hide latencies and share the work between lanes; too many spill and take long to
// compile. Blocks of one dimension have 64 threads and more; of tiles, 16 by 16 is the usual one.
unsigned choose_pieces(const gang::KernelFacts& facts, bool has_rows) {
    if (facts.size > 400) return 1;
    if (facts.size > 200) return 2;
    bool is_small = has_rows || facts.size < 90;
    return is_small && facts.has_meetings ? 8 : 4;
}

Layout choose_layout(const gang::KernelFacts& facts) {
    Layout layout;
    if (facts.has_warp_operations) {
        layout.cut = Layout::Cut::Linear;
        layout.is_warp = true;
        layout.pieces = kWarpSize / layout.width;
        return layout;
    }
    if (facts.reads_rows) layout.cut = Layout::Cut::Tiles;
    layout.pieces = choose_pieces(facts, facts.reads_rows);
    if (layout.pieces == 1) layout.cut = Layout::Cut::AlongX;
    return layout;
}

llvm::Function* new_function(llvm::Function& scalar) {
    llvm::Function* made = llvm::Function::Create(scalar.getFunctionType(), scalar.getLinkage(), "",
                                                  scalar.getParent());
    made->copyAttributesFrom(&scalar);
    made->removeFnAttr(llvm::Attribute::Memory);
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

void vectorise(Lowering& job, llvm::Function& scalar, Layout layout) {
    gang::bring_to_normal_form(scalar, job.machine);
    llvm::DominatorTree tree(scalar);
    llvm::LoopInfo loops(tree);
    std::unique_ptr<Analysis> found = analyse(scalar, tree, loops, layout);
    if (is_too_wide(*found, layout)) {
        layout = Layout();
        found = analyse(scalar, tree, loops, layout);
    }
    llvm::TargetTransformInfo target = job.machine.getTargetTransformInfo(scalar);
    auto emit = [&](const Analysis& analysis, const Layout& form, bool has_all_lanes) {
        llvm::Function* made = new_function(scalar);
        gang::Emitter(
            {scalar, *made, *analysis.plan, *analysis.shapes, target, form, has_all_lanes})
            .run();
        gang::finish(*made, job.machine);
        return made;
    };
    // A gang without missing lanes needs no masks until its lanes part: small kernels get a copy.
    auto emit_copies = [&](const Analysis& analysis, const Layout& form) {
        llvm::Function* made = emit(analysis, form, false);
        if (gang::facts_of(scalar).size * form.pieces > kLargestCopy) return made;
        return choose(*emit(analysis, form, true), *made,
                      [&](llvm::IRBuilder<>& builder, llvm::Value* thread) {
                          llvm::Value* lanes = load_at(builder, builder.getInt32Ty(), thread,
                                                       offsetof(cpu::ThreadState, lanes));
                          return builder.CreateICmpEQ(lanes, builder.getInt32(form.lanes()));
                      });
    };
    llvm::Function* made = nullptr;
    if (layout.is_warp) {
        // Nearly always a warp stands in one row, where threadIdx.x ascends by one.
        Layout in_row = layout;
        in_row.cut = Layout::Cut::AlongX;
        llvm::Function* general = emit(*found, layout, false);
        made = choose(*emit_copies(*analyse(scalar, tree, loops, in_row), in_row), *general,
                      is_in_one_row);
    } else {
        made = emit_copies(*found, layout);
    }
    unsigned columns = layout.has_rows() ? layout.width : layout.lanes();
    made->addFnAttr(kGangColumnsAttribute, std::to_string(columns));
    made->addFnAttr(kGangRowsAttribute, std::to_string(layout.has_rows() ? layout.pieces : 1));
    if (layout.is_linear()) made->addFnAttr(kLinearGangsAttribute);
    made->takeName(&scalar);
    scalar.eraseFromParent();
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
        if (reason.empty()) {
            vectorise(job, scalar, choose_layout(gang::facts_of(scalar)));
            continue;
        }
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
