// Each kernel through the stages of the pipeline: accept or refuse, choose the layout, write.
#include "src/backends/cpu/compiler/gang/gang.hpp"

#include <fmt/format.h>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/gang/analysis/index_range.hpp"
#include "src/backends/cpu/compiler/gang/forms.hpp"
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"
#include "src/backends/cpu/compiler/gang/pipeline.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"
#include "src/backends/cpu/kernel_record.hpp"
#include "src/base/log.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler {
namespace {

using gang::GangContext;
using gang::Stage;

void note_form(GangContext& context) {
    const gang::Layout& layout = context.layout;
    GangForm& form = context.form;
    form.columns = layout.columns() * layout.width;
    form.rows = layout.rows();
    form.is_linear = layout.is_linear();
    form.needs_no_fibers = layout.is_block || layout.is_cut;
}

// The gang function, or null for a kernel that is refused: it is left as it was, simpler.
llvm::Function* vectorise(llvm::Function& scalar, GangContext& context) {
    for (Stage stage :
         {Stage::Scalar, Stage::Candidate, Stage::Normal, Stage::Loops, Stage::Layout}) {
        run_stage(stage, scalar, context);
        if (!context.refusal.empty()) {
            gang::forget_markers(scalar);
            return nullptr;
        }
    }
    context.form.numbers_in_31_bits = gang::numbers_in_31_bits(scalar, context.layout);
    llvm::Function* made = write_forms(scalar, context);
    note_form(context);
    return made;
}

// Of a grid-stride loop, one iteration.
void form_round(Lowering& job, const std::string& symbol, const gang::GridRounds& rounds,
                const gang::PipelineOptions& options) {
    if (rounds.round == nullptr) return;
    GangContext context(job, symbol + ".round", options);
    llvm::Function* made = vectorise(*rounds.round, context);
    context.forget(*rounds.round);
    rounds.round->eraseFromParent();
    if (made == nullptr) {
        rounds.count->eraseFromParent();
        return;
    }
    made->setName(symbol + ".round");
    made->setLinkage(llvm::GlobalValue::InternalLinkage);
    job.rounds[symbol] = {std::move(context.form), made, rounds.count};
}

// How a block is cut, where no gang of it lacks a thread.
bool is_cut_evenly(const GangForm& form, const BlockShape& block) {
    if (form.is_linear) return block[0] * block[1] * block[2] % form.columns == 0;
    return block[0] % form.columns == 0 && block[1] % form.rows == 0;
}

// Takes the name and linkage of `gang`.
llvm::Function& declare_block_loop(llvm::Function& gang) {
    llvm::LLVMContext& context = gang.getContext();
    llvm::Type* pointer = llvm::PointerType::get(context, 0);
    llvm::Type* word = llvm::Type::getInt32Ty(context);
    auto* type =
        llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer, word}, false);
    auto* made = llvm::Function::Create(type, gang.getLinkage(), "", gang.getParent());
    made->addFnAttrs(llvm::AttrBuilder(context, gang.getAttributes().getFnAttrs()));
    made->addParamAttr(0, llvm::Attribute::NoAlias);
    made->takeName(&gang);
    gang.setLinkage(llvm::GlobalValue::InternalLinkage);
    return *made;
}

// A function that calls `usual` where `asks` says so, else `other`, whose name and linkage it
// takes.
llvm::Function& choose_run(llvm::Function& usual, llvm::Function& other,
                           llvm::function_ref<llvm::Value*(llvm::IRBuilder<>&)> asks) {
    llvm::Function* made =
        llvm::Function::Create(other.getFunctionType(), other.getLinkage(), "", other.getParent());
    made->copyAttributesFrom(&other);
    made->takeName(&other);
    llvm::LLVMContext& context = made->getContext();
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", made));
    llvm::Value* choice = asks(builder);
    llvm::BasicBlock* sides[2];
    for (unsigned i = 0; i < 2; ++i) {
        llvm::Function& side = i == 0 ? usual : other;
        side.setLinkage(llvm::GlobalValue::InternalLinkage);
        sides[i] = llvm::BasicBlock::Create(context, "", made);
        llvm::IRBuilder<> call(sides[i]);
        call.CreateCall(&side, {made->getArg(0), made->getArg(1), made->getArg(2)});
        call.CreateRetVoid();
    }
    builder.CreateCondBr(choice, sides[0], sides[1]);
    return *made;
}

// Whether several blocks may run round by round.
llvm::Value* may_run_rounds(llvm::IRBuilder<>& builder, const gang::BlockLoop& input) {
    llvm::Function& made = *builder.GetInsertBlock()->getParent();
    llvm::Value* threads = builder.CreateMul(made.getArg(2), builder.getInt32(input.block[0]));
    llvm::Value* are_many =
        builder.CreateICmpUGE(threads, builder.getInt32(gang::costs::kLeastThreadsOfRound));
    llvm::Value* count = builder.CreateCall(input.rounds, {made.getArg(0), made.getArg(1)});
    llvm::Value* have_order = builder.CreateICmpSLT(count, builder.getInt64(0));
    return builder.CreateAnd(are_many, builder.CreateNot(have_order));
}

// `run`, the loop over blocks of `input`, or in front of it one whose gangs end with rows.
llvm::Function& with_split_rows(Lowering& job, const std::string& symbol, llvm::Function& run,
                                const gang::BlockLoop& input,
                                const gang::PipelineOptions& options) {
    const SplitRows& split = input.form->split_rows;
    if (split.gang == nullptr) return run;
    GangContext context(job, symbol, options);
    context.block_loop = input;
    context.block_loop.gang = split.gang;
    context.block_loop.split_rows = &split;
    split.gang->setName(symbol + ".rows");
    llvm::Function& in_rows = declare_block_loop(*split.gang);
    run_stage(Stage::Blocks, in_rows, context);
    return choose_run(in_rows, run, [&](llvm::IRBuilder<>& builder) {
        llvm::Function& made = *builder.GetInsertBlock()->getParent();
        return builder.CreateCall(split.are_worth, {made.getArg(0), made.getArg(1)});
    });
}

// Beside `run`, the loop over blocks of a kernel's own. Where that calls the run time, the state of
// the gang is where a fault is looked up, in both.
bool loop_over_rounds(Lowering& job, const std::string& symbol, llvm::Function& run,
                      const gang::BlockLoop& input, const gang::PipelineOptions& options) {
    const auto found = job.rounds.find(symbol);
    if (found == job.rounds.end() || !is_cut_evenly(found->second.form, input.block)) {
        return false;
    }
    const RoundForm& form = found->second;
    GangContext context(job, symbol, options);
    context.block_loop = {form.gang, &form.form, input.block, input.calls_runtime, form.count};
    llvm::Function& rounds = declare_block_loop(*form.gang);
    run_stage(Stage::Blocks, rounds, context);
    llvm::Function& chosen = with_split_rows(job, symbol, rounds, context.block_loop, options);
    choose_run(chosen, run, [&](llvm::IRBuilder<>& builder) {
        return may_run_rounds(builder, context.block_loop);
    });
    return true;
}

}  // namespace

void form_gangs(Lowering& job) {
    const Executor target = job.translation.mode.chosen_executor();
    if (target == Executor::Reference) return;
    const gang::PipelineOptions options = gang::pipeline_options(job.translation);
    for (const compiler::KernelInfo& kernel : job.translation.kernels) {
        const std::string& symbol = kernel.signature.symbol;
        llvm::Function& scalar = *job.module.getFunction(symbol);
        GangContext context(job, symbol, options);
        if (llvm::Function* made = vectorise(scalar, context)) {
            made->takeName(&scalar);
            context.forget(scalar);
            scalar.eraseFromParent();
            job.gangs[symbol] = std::move(context.form);
            form_round(job, symbol, context.rounds, options);
            continue;
        }
        if (target != Executor::Auto) {
            throw UnsupportedError(
                fmt::format("kernel '{}' cannot run on executor '{}': {}; leave the choice of the "
                            "executor to the compiler",
                            kernel.signature.name, compiler::name_of(target), context.refusal));
        }
        log::info("kernel '{}' runs on executor reference: {}", kernel.signature.name,
                  context.refusal);
    }
}

void loop_over_blocks(Lowering& job) {
    const std::optional<BlockShape>& block = job.translation.mode.block;
    if (!block) return;
    const gang::PipelineOptions options = gang::pipeline_options(job.translation);
    if (options.skips("loop-over-blocks")) return;
    for (compiler::KernelInfo& kernel : job.translation.kernels) {
        constexpr std::uint32_t kWaits =
            cpu::kKernelNeedsFibers | cpu::kKernelSyncsGrid | cpu::kKernelStops;
        const auto form = job.gangs.find(kernel.signature.symbol);
        cpu::KernelRecord record = cpu::decode_record(kernel.backend_data);
        if ((record.flags & kWaits) != 0 || form == job.gangs.end()) continue;
        if (!is_cut_evenly(form->second, *block)) continue;
        llvm::Function& gang = *job.module.getFunction(kernel.signature.symbol);
        GangContext context(job, kernel.signature.symbol, options);
        const bool calls_runtime = (record.flags & cpu::kKernelCallsRuntime) != 0;
        context.block_loop = {&gang, &form->second, *block, calls_runtime};
        llvm::Function& run = declare_block_loop(gang);
        run_stage(Stage::Blocks, run, context);
        record.flags |= cpu::kKernelRunsBlocks;
        llvm::Function& chosen =
            with_split_rows(job, kernel.signature.symbol, run, context.block_loop, options);
        if (loop_over_rounds(job, kernel.signature.symbol, chosen, context.block_loop, options)) {
            record.flags |= cpu::kKernelRunsRounds;
        }
        kernel.backend_data = cpu::encode_record(record);
    }
}

}  // namespace warpwise::cpu_compiler
