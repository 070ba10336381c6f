// Grid-stride loops, `for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x *
// blockDim.x)`: in one round all threads of the grid run one iteration each, over memory that lies
// side by side, and the next round's lies as far away as the grid is wide. Block after block, a
// processor's thread reads a piece of each round: it waits for memory that it does not foresee.
//
// Where iterations share nothing but the index, one of them is a kernel of its own, without a loop:
// what is known of indices of threads holds for its index, and a run of blocks goes through the
// first round, then through the second one (passes/blocks/block_runs.cpp). Each thread still runs
// its iterations in their order.
//
// A function beside it counts the rounds, or says that the index might wrap: then the blocks run
// one after the other, as they would without this.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <optional>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/gang/analysis/registers.hpp"
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"
#include "src/backends/cpu/compiler/lowering/threads/shared_variables.hpp"
#include "src/backends/cpu/compiler/lowering/threads/thread_state.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Loop;
using llvm::Value;
using namespace llvm::PatternMatch;

constexpr unsigned kDeepest = 8;  // blocks behind the loop

struct GridStride {
    llvm::PHINode* index;
    Value* start;   // the thread's number in the grid
    Value* stride;  // of all threads
    Value* bound;   // index < bound keeps a thread in the loop
    bool is_signed;
    BasicBlock* latch;
    BasicBlock* exit;
};

bool is_read_of(const Value* value, llvm::Intrinsic::ID id) {
    auto* read = llvm::dyn_cast<llvm::IntrinsicInst>(value);
    return read != nullptr && read->getIntrinsicID() == id;
}

Value* without_widening(Value* value) {
    return llvm::isa<llvm::ZExtInst, llvm::SExtInst>(value)
               ? llvm::cast<llvm::CastInst>(value)->getOperand(0)
               : value;
}

// blockIdx.x * blockDim.x + threadIdx.x, of 32 bits or of 64, where blockDim.x is known.
bool is_number_in_grid(Value* value, std::uint32_t extent) {
    using namespace llvm::Intrinsic;
    Value *left = nullptr, *right = nullptr, *block = nullptr;
    const llvm::APInt* number = nullptr;
    value = without_widening(value);
    if (!match(value, m_AddLike(m_Value(left), m_Value(right)))) return false;
    const auto is_thread = [](Value* one) {
        return is_read_of(without_widening(one), nvvm_read_ptx_sreg_tid_x);
    };
    if (is_thread(left)) std::swap(left, right);
    left = without_widening(left);
    const bool is_product =
        (match(left, m_Mul(m_Value(block), m_APInt(number))) && *number == extent) ||
        (match(left, m_Shl(m_Value(block), m_APInt(number))) && number->ult(32) &&
         std::uint64_t{1} << number->getZExtValue() == extent);
    return is_thread(right) && is_product &&
           is_read_of(without_widening(block), nvvm_read_ptx_sreg_ctaid_x);
}

std::optional<GridStride> grid_stride(const Loop& loop, std::uint32_t extent) {
    BasicBlock* header = loop.getHeader();
    if (!loop.isLoopSimplifyForm() || loop.getExitingBlock() != header) return std::nullopt;
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(header->getTerminator());
    if (branch == nullptr || !branch->isConditional()) return std::nullopt;
    auto* test = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
    // Nothing but the index, its comparison and the branch.
    if (test == nullptr || header->size() != 3 || test->getParent() != header) return std::nullopt;
    auto* index = llvm::dyn_cast<llvm::PHINode>(&header->front());
    if (index == nullptr) return std::nullopt;
    llvm::CmpInst::Predicate stays = test->getPredicate();
    if (!loop.contains(branch->getSuccessor(0))) stays = test->getInversePredicate();
    Value* bound = test->getOperand(1);
    if (test->getOperand(0) != index) {
        bound = test->getOperand(0);
        if (test->getOperand(1) != index) return std::nullopt;
        stays = llvm::CmpInst::getSwappedPredicate(stays);
    }
    const bool is_below = stays == llvm::CmpInst::ICMP_SLT || stays == llvm::CmpInst::ICMP_ULT;
    BasicBlock *latch = loop.getLoopLatch(), *exit = loop.getExitBlock();
    Value* next = index->getIncomingValueForBlock(latch);
    Value *left = nullptr, *right = nullptr;
    const bool has_type = index->getType()->isIntegerTy(32) || index->getType()->isIntegerTy(64);
    if (!is_below || !has_type || exit == nullptr ||
        !match(next, m_Add(m_Value(left), m_Value(right)))) {
        return std::nullopt;
    }
    Value* stride = left == index ? right : left;
    if (left != index && right != index) return std::nullopt;
    Value* start = index->getIncomingValueForBlock(loop.getLoopPreheader());
    if (!is_of_launch(stride) || !is_of_launch(bound) || !is_number_in_grid(start, extent)) {
        return std::nullopt;
    }
    return GridStride{index, start, stride, bound, stays == llvm::CmpInst::ICMP_SLT, latch, exit};
}

// What a thread may do in any round: nothing that others wait for, that has an order among threads,
// or that is kept in the block's memory or the thread's own.
bool is_free_of_others(const Instruction& instruction) {
    if (llvm::isa<llvm::AllocaInst>(instruction) || instruction.isAtomic()) return false;
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        if (load->isVolatile()) return false;
        // The block's own memory is found by a pointer of its state.
        const bool is_of_state =
            load->getType()->isPointerTy() && is_parameter(*load) &&
            llvm::isa<llvm::LoadInst>(load->getPointerOperand()->stripInBoundsConstantOffsets());
        return !is_of_state;
    }
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return !store->isVolatile();
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr) return !instruction.mayHaveSideEffects();
    return !call->isConvergent() && call->doesNotAccessMemory() && call->willReturn();
}

// Repeated in each round, so nothing that a round may change.
bool is_repeatable(const Instruction& instruction) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load != nullptr) return load->hasMetadata(llvm::LLVMContext::MD_invariant_load);
    return !instruction.mayReadOrWriteMemory();
}

// Behind the loop, until the thread ends.
bool ends_at(const BasicBlock* exit) {
    for (unsigned blocks = 0; blocks < kDeepest; ++blocks) {
        if (exit->size() != 1) return false;
        if (llvm::isa<llvm::ReturnInst>(exit->getTerminator())) return true;
        exit = exit->getSingleSuccessor();
        if (exit == nullptr) return false;
    }
    return false;
}

std::optional<GridStride> find_grid_stride(llvm::Function& kernel, GangContext& context) {
    const llvm::LoopInfo& loops = context.loops(kernel);
    if (std::distance(loops.begin(), loops.end()) != 1) return std::nullopt;
    const Loop& loop = **loops.begin();
    const auto found = grid_stride(loop, (*context.block)[0]);
    if (!found || !ends_at(found->exit)) return std::nullopt;
    unsigned repeated = 0;
    for (const Instruction& instruction : llvm::instructions(kernel)) {
        const bool is_inside = loop.contains(instruction.getParent());
        if (!is_inside && ++repeated > costs::kMostRepeatedInRounds) return std::nullopt;
        if (!is_free_of_others(instruction)) return std::nullopt;
        if (!is_inside && !is_repeatable(instruction)) return std::nullopt;
    }
    return found;
}

Value* repeated(llvm::IRBuilder<>& builder, Value* value);

// The round is a field of the thread's state that the loop over rounds sets.
llvm::Function* write_round(llvm::Function& kernel, const GridStride& found) {
    llvm::ValueToValueMapTy copies;
    llvm::Function* made = llvm::CloneFunction(&kernel, copies);
    made->setLinkage(llvm::GlobalValue::InternalLinkage);
    const auto copy_of = [&](Value* value) -> Value* {
        Value* copy = copies.lookup(value);
        return copy != nullptr ? copy : value;
    };
    auto* index = llvm::cast<llvm::PHINode>(copy_of(found.index));
    auto* latch = llvm::cast<BasicBlock>(copy_of(found.latch));
    BasicBlock* before = index->getIncomingBlock(index->getBasicBlockIndex(latch) == 0 ? 1 : 0);
    BasicBlock& entry = made->getEntryBlock();
    llvm::IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
    llvm::LoadInst* round =
        load_at(builder, builder.getInt64Ty(), made->getArg(0), offsetof(cpu::ThreadState, round));
    round->setMetadata(llvm::LLVMContext::MD_invariant_load,
                       llvm::MDNode::get(made->getContext(), {}));
    builder.SetInsertPoint(before->getTerminator());
    // Counted so that none of these wraps, nor is any index negative.
    Value* number = builder.CreateTrunc(round, index->getType());
    Value* first = builder.CreateMul(number, repeated(builder, found.stride), "", true, true);
    // It is none, which nothing says of the stride.
    first = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, first,
                                          llvm::Constant::getNullValue(first->getType()));
    Value* value = builder.CreateAdd(copy_of(found.start), first, "", true, true);
    for (llvm::User* user : index->users()) {
        if (auto* widening = llvm::dyn_cast<llvm::ZExtInst>(user)) widening->setNonNeg();
    }
    index->replaceAllUsesWith(value);
    index->eraseFromParent();
    llvm::ReplaceInstWithInst(
        latch->getTerminator(),
        llvm::BranchInst::Create(llvm::cast<BasicBlock>(copy_of(found.exit))));
    // As of a kernel that is written so: passes look for its guard at the end of the first block.
    for (BasicBlock& block : llvm::make_early_inc_range(*made)) {
        llvm::MergeBlockIntoPredecessor(&block);
    }
    return made;
}

// The value for a launch, as the thread knows it at its start.
Value* repeated(llvm::IRBuilder<>& builder, Value* value) {
    llvm::Function* made = builder.GetInsertBlock()->getParent();
    if (auto* argument = llvm::dyn_cast<llvm::Argument>(value)) {
        return made->getArg(argument->getArgNo());
    }
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction == nullptr) return value;
    Instruction* copy = instruction->clone();
    for (llvm::Use& operand : copy->operands()) {
        if (!llvm::isa<llvm::Function>(operand)) operand.set(repeated(builder, operand));
    }
    if (!llvm::isa<llvm::LoadInst>(copy)) copy->dropPoisonGeneratingAnnotations();
    return builder.Insert(copy);
}

// (thread, arguments) -> the rounds that the block of `thread` and those behind it take part in;
// below 0: the index may wrap.
llvm::Function* write_count(llvm::Function& kernel, const GridStride& found, std::uint32_t extent) {
    llvm::LLVMContext& context = kernel.getContext();
    llvm::Type* word = llvm::Type::getInt64Ty(context);
    auto* type = llvm::FunctionType::get(word, kernel.getFunctionType()->params(), false);
    auto* made =
        llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, "", kernel.getParent());
    made->addFnAttrs(llvm::AttrBuilder(context, kernel.getAttributes().getFnAttrs()));
    llvm::IRBuilder<> builder(BasicBlock::Create(context, "", made));
    const auto number = [&](std::uint64_t value) { return builder.getInt64(value); };
    const auto read = [&](llvm::Intrinsic::ID id) {
        return builder.CreateZExt(builder.CreateIntrinsic(id, {}, {}), word);
    };
    const auto of_launch = [&](Value* value) {
        return builder.CreateIntCast(repeated(builder, value), word, found.is_signed);
    };
    constexpr std::uint64_t most_threads = std::uint64_t{1} << 31;
    const std::uint64_t farthest =
        found.index->getType()->isIntegerTy(32) ? most_threads - 1 : std::uint64_t{1} << 62;
    Value* threads =
        builder.CreateMul(read(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x), number(extent));
    Value* first =
        builder.CreateMul(read(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x), number(extent));
    Value *stride = of_launch(found.stride), *bound = of_launch(found.bound);
    Value* fits = builder.CreateICmpULE(threads, number(most_threads - 1));
    // No two threads run one index, and the last ones stay below the limit.
    fits = builder.CreateAnd(fits, builder.CreateICmpUGE(stride, threads));
    fits = builder.CreateAnd(fits, builder.CreateICmpULE(stride, number(farthest)));
    fits = builder.CreateAnd(
        fits, builder.CreateICmpULE(bound, builder.CreateSub(number(farthest), stride)));
    Value* divisor = builder.CreateSelect(fits, stride, number(1));
    Value* left = builder.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, bound, first);
    Value* rounds =
        builder.CreateUDiv(builder.CreateAdd(left, builder.CreateSub(divisor, number(1))), divisor);
    builder.CreateRet(builder.CreateSelect(fits, rounds, llvm::Constant::getAllOnesValue(word)));
    return made;
}

}  // namespace

PreservedAnalyses split_rounds(llvm::Function& kernel, GangContext& context) {
    const auto found = find_grid_stride(kernel, context);
    if (!found) return PreservedAnalyses::all();
    context.rounds = {write_round(kernel, *found),
                      write_count(kernel, *found, (*context.block)[0])};
    return PreservedAnalyses::all();
}

}  // namespace warpwise::cpu_compiler::gang
