// One call of the emitter for each form, behind scalar tests where there are several.
#include "src/backends/cpu/compiler/gang/emit/form_writer.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/gang/analysis/candidate.hpp"
#include "src/backends/cpu/compiler/gang/emit/emitter.hpp"
#include "src/backends/cpu/compiler/gang/gang.hpp"
#include "src/backends/cpu/compiler/gang/passes/cut.hpp"
#include "src/backends/cpu/compiler/gang/passes/finish.hpp"
#include "src/backends/cpu/compiler/lowering/threads/thread_state.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using cpu::kWarpSize;

constexpr std::uint64_t kWholeShare = 1000;
constexpr std::uint32_t kUsually = 1000;  // gangs of the first of two forms for one of the other
constexpr unsigned kLargestCopy = 1000;   // instructions times pieces
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
    yes.addFnAttr(kGangCopyAttribute);
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
    builder.CreateCondBr(answer, ways[0], ways[1],
                         llvm::MDBuilder(context).createBranchWeights(kUsually, 1));
    return made;
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

llvm::Value* has_all_lanes(llvm::IRBuilder<>& builder, llvm::Value* thread, const Layout& layout) {
    if (layout.is_always_full()) return builder.getTrue();
    llvm::Value* lanes =
        load_at(builder, builder.getInt32Ty(), thread, offsetof(cpu::ThreadState, lanes));
    return builder.CreateICmpEQ(lanes, builder.getInt32(layout.lanes()));
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

}  // namespace

FormWriter::FormWriter(llvm::Function& scalar, llvm::DominatorTree& tree, llvm::LoopInfo& loops,
                       const CallGraph& graph, llvm::TargetMachine& machine)
    : scalar_(scalar),
      tree_(tree),
      loops_(loops),
      graph_(graph),
      machine_(machine),
      target_(machine.getTargetTransformInfo(scalar)) {}

llvm::Function* FormWriter::write(const Analysis& analysis, const Layout& layout) {
    if (!layout.is_warp) return write_with_copies(analysis, layout);
    // Nearly always a warp stands in one row, where threadIdx.x ascends by one.
    Layout in_row = layout;
    in_row.cut = Layout::Cut::AlongX;
    llvm::Function* made = write_with_copies(*analyse(scalar_, tree_, loops_, in_row), in_row);
    if (in_row.is_always_full()) return made;
    return choose(*made, *write_one(scalar_, analysis, layout, false), is_in_one_row);
}

// A gang without missing lanes needs no masks until its lanes part, which they hardly ever do where
// comparisons usually come out alike: small kernels get a copy.
llvm::Function* FormWriter::write_with_copies(const Analysis& analysis, const Layout& layout) {
    const unsigned size = facts_of(scalar_).size * layout.pieces;
    const bool is_full = layout.is_always_full();
    llvm::Function* made = write_one(scalar_, analysis, layout, is_full);
    bool may_be_full = is_full || !layout.is_block;
    if (!may_be_full || size > (layout.block ? kLargestKnownCopy : kLargestCopy)) return made;
    Assumptions assumptions(scalar_, *analysis.plan, *analysis.shapes, layout);
    if (assumptions.empty()) {
        if (is_full) return made;
        return choose(*write_one(scalar_, analysis, layout, true), *made,
                      [&](llvm::IRBuilder<>& builder, llvm::Value* thread) {
                          return has_all_lanes(builder, thread, layout);
                      });
    }
    llvm::Function* quick = write_quick_copy(assumptions, layout);
    return choose(*quick, *made, [&](llvm::IRBuilder<>& builder, llvm::Value* thread) {
        return builder.CreateAnd(has_all_lanes(builder, thread, layout), assumptions.test(builder));
    });
}

llvm::Function* FormWriter::write_quick_copy(const Assumptions& assumptions, const Layout& layout) {
    llvm::Function* usual_way = assumptions.apply(machine_);
    llvm::DominatorTree tree(*usual_way);
    llvm::LoopInfo loops(tree);
    llvm::Function* quick =
        write_one(*usual_way, *analyse(*usual_way, tree, loops, layout), layout, true);
    usual_way->eraseFromParent();
    return quick;
}

llvm::Function* FormWriter::write_one(llvm::Function& source, const Analysis& analysis,
                                      const Layout& layout, bool has_all_lanes) {
    llvm::Function* made = new_function(scalar_);
    Emitter emitter(
        {source, *made, *analysis.plan, *analysis.shapes, target_, layout, has_all_lanes});
    emitter.run();
    lane_by_lane_ = share_of(emitter.lane_by_lane(), source, graph_);
    finish(*made, machine_);
    if (layout.is_cut) frame_bytes_ = std::max(frame_bytes_, cut_at_stops(*made));
    return made;
}

}  // namespace warpwise::cpu_compiler::gang
