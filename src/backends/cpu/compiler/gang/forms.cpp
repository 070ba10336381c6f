// The forms of one kernel, and what chooses among them at run time: a gang without missing lanes
// needs no masks until its lanes diverge, and a warp that stands in one row of its block has
// threadIdx.x in ascending order.
#include "src/backends/cpu/compiler/gang/forms.hpp"

#include <llvm/IR/MDBuilder.h>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/gang/analysis/usual/assumptions.hpp"
#include "src/backends/cpu/compiler/gang/pipeline.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"
#include "src/backends/cpu/compiler/lowering/threads/thread_state.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using cpu::kWarpSize;

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
                       std::vector<llvm::Function*>& preferred,
                       llvm::function_ref<llvm::Value*(llvm::IRBuilder<>&, llvm::Value*)> asks) {
    for (llvm::Function* copy : {&yes, &no}) copy->setLinkage(llvm::GlobalValue::InternalLinkage);
    preferred.push_back(&yes);
    llvm::Function* made = new_function(yes);
    made->setLinkage(llvm::GlobalValue::ExternalLinkage);
    llvm::LLVMContext& context = made->getContext();
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", made));
    llvm::Value* answer = asks(builder, made->getArg(0));
    llvm::BasicBlock* sides[2];
    for (unsigned i = 0; i < 2; ++i) {
        sides[i] = llvm::BasicBlock::Create(context, "", made);
        llvm::IRBuilder<> side(sides[i]);
        llvm::CallInst* call =
            side.CreateCall(i == 0 ? &yes : &no, {made->getArg(0), made->getArg(1)});
        call->setTailCallKind(llvm::CallInst::TCK_Tail);
        side.CreateRetVoid();
    }
    builder.CreateCondBr(answer, sides[0], sides[1],
                         llvm::MDBuilder(context).createBranchWeights(costs::kUsually, 1));
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

class Forms {
  public:
    Forms(llvm::Function& scalar, GangContext& context) : scalar_(scalar), context_(context) {}

    llvm::Function* write();

  private:
    llvm::Function* write_with_copies(const Layout& layout);
    void write_split_rows();
    llvm::Function* write_question(llvm::Type* result,
                                   llvm::function_ref<llvm::Value*(llvm::IRBuilder<>&)> answer);
    Assumptions assumptions_of(const Layout& layout, Assumptions::Rows rows);
    llvm::Function* with_usual_copy(llvm::Function& other, const Assumptions& assumptions,
                                    const Layout& layout);
    llvm::Function* write_usual_copy(const Assumptions& assumptions, const Layout& layout,
                                     bool has_all_lanes = true);
    llvm::Function* write_one(llvm::Function& source, const Layout& layout, bool has_all_lanes);

    llvm::Function& scalar_;
    GangContext& context_;
};

llvm::Function* Forms::write() {
    const Layout layout = context_.layout;
    if (context_.is_quick) return write_one(scalar_, layout, layout.is_always_full());
    if (!layout.is_warp) return write_with_copies(layout);
    // Nearly always a warp stands in one row, where threadIdx.x ascends by one.
    const Layout in_row = context_.layout_in_rows();
    llvm::Function* made = write_with_copies(in_row);
    if (in_row.is_always_full()) return made;
    llvm::Function* other = write_one(scalar_, layout, false);
    return choose(*made, *other, context_.form.preferred, is_in_one_row);
}

// A gang without missing lanes needs no masks until its lanes diverge, which they hardly ever do
// where comparisons usually come out alike: small kernels get a copy.
llvm::Function* Forms::write_with_copies(const Layout& layout) {
    const unsigned size = facts_of(scalar_).size * layout.pieces;
    const bool is_full = layout.is_always_full();
    llvm::Function* made = write_one(scalar_, layout, is_full);
    bool may_be_full = is_full || !layout.is_block;
    if (!may_be_full || size > (layout.block ? costs::kLargestKnownCopy : costs::kLargestCopy))
        return made;
    const Assumptions assumptions = assumptions_of(layout, Assumptions::Rows::Assumed);
    if (context_.splits_rows) {
        made = with_usual_copy(*made, assumptions_of(layout, Assumptions::Rows::Ignored), layout);
        write_split_rows();
        return made;
    }
    if (!assumptions.count_on_rows()) return with_usual_copy(*made, assumptions, layout);
    // Where rows are short, gangs run what they would if nothing were assumed of rows.
    llvm::Function* other =
        with_usual_copy(*made, assumptions_of(layout, Assumptions::Rows::Ignored), layout);
    if (other != made) context_.form.preferred.push_back(other);
    return with_usual_copy(*other, assumptions, layout);
}

// Of gangs that end with rows: a copy for usual outcomes and all lanes, and behind it one for all
// outcomes and any number of lanes. Without mask registers, where a missing lane costs more than
// another gang, both with a single piece, and in front of them one for usual outcomes with all.
void Forms::write_split_rows() {
    Layout whole = context_.layout;
    whole.begins_anywhere = true;
    Layout narrow = whole;
    if (!context_.target->has_mask_registers()) narrow.pieces = 1;
    Assumptions rows = assumptions_of(narrow, Assumptions::Rows::Split);
    const Assumptions usual = rows;
    rows.forget_bounds();
    llvm::Function* some = write_usual_copy(rows, narrow, /*has_all_lanes=*/false);
    std::vector<llvm::Function*>& preferred = context_.form.preferred;
    preferred.push_back(some);
    llvm::Function* gang = with_usual_copy(*some, usual, narrow);
    const Assumptions of_all = assumptions_of(whole, Assumptions::Rows::Split);
    if (whole != narrow) {
        preferred.push_back(gang);
        gang = choose(*write_usual_copy(of_all, whole), *gang, preferred,
                      [&](llvm::IRBuilder<>& builder, llvm::Value* thread) {
                          return has_all_lanes(builder, thread, whole);
                      });
    }
    SplitRows& split = context_.form.split_rows;
    split.gang = gang;
    split.are_worth = write_question(
        llvm::Type::getInt1Ty(scalar_.getContext()),
        [&](llvm::IRBuilder<>& builder) { return rows.are_rows_worth_splitting(builder); });
    split.threads =
        write_question(llvm::Type::getInt32Ty(scalar_.getContext()),
                       [&](llvm::IRBuilder<>& builder) { return rows.threads_in_rows(builder); });
    split.is_usual =
        write_question(llvm::Type::getInt1Ty(scalar_.getContext()),
                       [&](llvm::IRBuilder<>& builder) { return of_all.test(builder); });
    split.width = narrow.lanes();
}

// A function with the parameters of the kernel.
llvm::Function* Forms::write_question(llvm::Type* result,
                                      llvm::function_ref<llvm::Value*(llvm::IRBuilder<>&)> answer) {
    auto* type =
        llvm::FunctionType::get(result, scalar_.getFunctionType()->params(), /*isVarArg=*/false);
    auto* made =
        llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, "", scalar_.getParent());
    made->addFnAttrs(llvm::AttrBuilder(made->getContext(), scalar_.getAttributes().getFnAttrs()));
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(made->getContext(), "", made));
    builder.CreateRet(answer(builder));
    return made;
}

Assumptions Forms::assumptions_of(const Layout& layout, Assumptions::Rows rows) {
    const Analysis& analysis = context_.analysis(scalar_, layout);
    return Assumptions(scalar_, *analysis.plan, *analysis.shapes, layout, rows);
}

// `other`, behind a copy for gangs without missing lanes for which the assumptions hold.
llvm::Function* Forms::with_usual_copy(llvm::Function& other, const Assumptions& assumptions,
                                       const Layout& layout) {
    std::vector<llvm::Function*>& preferred = context_.form.preferred;
    if (assumptions.empty()) {
        if (layout.is_always_full()) return &other;
        return choose(*write_one(scalar_, layout, true), other, preferred,
                      [&](llvm::IRBuilder<>& builder, llvm::Value* thread) {
                          return has_all_lanes(builder, thread, layout);
                      });
    }
    llvm::Function* usual = write_usual_copy(assumptions, layout);
    return choose(*usual, other, preferred, [&](llvm::IRBuilder<>& builder, llvm::Value* thread) {
        return builder.CreateAnd(has_all_lanes(builder, thread, layout), assumptions.test(builder));
    });
}

llvm::Function* Forms::write_usual_copy(const Assumptions& assumptions, const Layout& layout,
                                        bool has_all_lanes) {
    llvm::Function* usual = assumptions.apply();
    run_stage(Stage::Assume, *usual, context_);
    run_stage(Stage::Scalar, *usual, context_);  // InstCombine has moved what extracts elements
    run_stage(Stage::Normal, *usual, context_);
    llvm::Function* made = write_one(*usual, layout, has_all_lanes);
    context_.forget(*usual);
    usual->eraseFromParent();
    return made;
}

llvm::Function* Forms::write_one(llvm::Function& source, const Layout& layout, bool has_all_lanes) {
    llvm::Function* made = new_function(scalar_);
    context_.emission = {&source, layout, has_all_lanes};
    run_stage(Stage::Gang, *made, context_);
    context_.forget(*made);
    return made;
}

}  // namespace

llvm::Function* write_forms(llvm::Function& scalar, GangContext& context) {
    return Forms(scalar, context).write();
}

}  // namespace warpwise::cpu_compiler::gang
