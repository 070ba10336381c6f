// Loops that lanes leave by a count of their own, `for (i = thread; i < n; i += threads)`: as long
// as all lanes stay, no lane needs a mask, and one scalar comparison finds that out.
//
// The copy ends at the loop's own header, with the same values, so that nothing is run twice.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cstddef>
#include <optional>
#include <utility>

#include "src/backends/cpu/compiler/gang/analysis/markers.hpp"
#include "src/backends/cpu/compiler/gang/analysis/plan.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"
#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Loop;
using llvm::Value;

// `left < right` keeps a lane in the loop.
struct Count {
    Value* left = nullptr;
    Value* right = nullptr;
    bool is_signed = true;
};

std::optional<Count> count_of(const Loop& loop) {
    BasicBlock* header = loop.getHeader();
    if (!loop.isLoopSimplifyForm() || loop.getExitingBlock() != header) return std::nullopt;
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(header->getTerminator());
    if (!branch || !branch->isConditional()) return std::nullopt;
    auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
    if (!comparison || comparison->getParent() != header) return std::nullopt;
    llvm::CmpInst::Predicate stays = comparison->getPredicate();
    if (!loop.contains(branch->getSuccessor(0))) stays = comparison->getInversePredicate();
    Count count{comparison->getOperand(0), comparison->getOperand(1)};
    if (stays == llvm::CmpInst::ICMP_SGT || stays == llvm::CmpInst::ICMP_UGT) {
        std::swap(count.left, count.right);
        stays = llvm::CmpInst::getSwappedPredicate(stays);
    }
    count.is_signed = stays == llvm::CmpInst::ICMP_SLT;
    bool is_below = count.is_signed || stays == llvm::CmpInst::ICMP_ULT;
    const llvm::Type* type = count.left->getType();
    if (!is_below || !(type->isIntegerTy(32) || type->isIntegerTy(64))) return std::nullopt;
    return count;
}

// The lanes of a gang, which is whole warps, leave the copy together.
bool is_warp_operation(const llvm::CallBase& call) {
    const Service* service = find_service(call);
    return service != nullptr && service->is_warp_operation() && !call.cannotDuplicate();
}

bool is_fit(const Loop& loop, const Plan& plan, const Shapes& shapes) {
    std::optional<Count> count = count_of(loop);
    if (!count || !plan.is_divergent(&loop)) return false;
    Shape left = shapes.of(count->left);
    if (!left.is_single() || !left.is_stepped() || !shapes.of(count->right).is_uniform()) {
        return false;
    }
    for (const Instruction& instruction : *loop.getHeader()) {
        if (!instruction.isTerminator() && instruction.mayHaveSideEffects()) return false;
    }
    std::size_t size = 0;
    for (const BasicBlock* block : loop.blocks()) {
        size += block->size();
        for (const Instruction& instruction : *block) {
            // Atomic updates run lane by lane, with a mask or without: a histogram takes 2.2 times
            // as long with a copy.
            if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction)) return false;
            auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            if (call && (call->isConvergent() || call->cannotDuplicate()) &&
                !is_warp_operation(*call)) {
                return false;
            }
        }
    }
    return size <= costs::kLargestFullLoop;
}

void put_copy_before(Loop& loop, llvm::DominatorTree& tree, llvm::LoopInfo& loops) {
    Count count = *count_of(loop);
    BasicBlock* header = loop.getHeader();
    BasicBlock* before = loop.getLoopPreheader();
    BasicBlock* between = llvm::SplitBlock(before, before->getTerminator(), &tree, &loops);
    llvm::ValueToValueMapTy copies;
    llvm::SmallVector<BasicBlock*, 8> blocks;
    llvm::cloneLoopWithPreheader(between, before, &loop, copies, ".full", &loops, &tree, blocks);
    llvm::remapInstructionsInBlocks(blocks, copies);
    auto copy_of = [&](Value* value) -> Value* {
        auto found = copies.find(value);
        return found == copies.end() ? value : static_cast<Value*>(found->second);
    };
    auto* full = llvm::cast<BasicBlock>(copy_of(header));
    before->getTerminator()->replaceSuccessorWith(between, blocks[0]);

    auto* branch = llvm::cast<llvm::BranchInst>(full->getTerminator());
    BasicBlock* inside = branch->getSuccessor(0);
    if (!loop.contains(llvm::cast<llvm::BranchInst>(header->getTerminator())->getSuccessor(0))) {
        inside = branch->getSuccessor(1);
    }
    llvm::IRBuilder<> builder(branch);
    Value* left = copy_of(count.left);
    Value* all = call_marker(builder, kAllBelow, builder.getInt1Ty(),
                             {left, copy_of(count.right), builder.getInt1(count.is_signed)});
    builder.CreateCondBr(all, inside, between);
    branch->eraseFromParent();

    for (llvm::PHINode& phi : header->phis()) {
        builder.SetInsertPoint(between, between->begin());
        llvm::PHINode* last = builder.CreatePHI(phi.getType(), 1);
        last->addIncoming(copy_of(&phi), full);
        phi.setIncomingValueForBlock(between, last);
    }
    // Bases of 64 bits do not wrap anyway.
    if (!inside->getSinglePredecessor() || left->getType()->isIntegerTy(64)) return;
    builder.SetInsertPoint(inside, inside->getFirstInsertionPt());
    Value* exact = call_marker(builder, kWithoutWrap, left->getType(),
                               {left, builder.getInt1(count.is_signed)});
    left->replaceUsesWithIf(exact, [&](const llvm::Use& use) {
        auto* user = llvm::cast<Instruction>(use.getUser());
        bool is_in_copy = llvm::is_contained(blocks, user->getParent());
        return is_in_copy && user->getParent() != full && user != exact &&
               !llvm::isa<llvm::PHINode>(user);
    });
}

}  // namespace

void forget_markers(llvm::Function& kernel) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel))) {
        if (is_call_of(instruction, kAllBelow)) {
            instruction.replaceAllUsesWith(llvm::ConstantInt::getFalse(kernel.getContext()));
        } else if (is_call_of(instruction, kAnyBits)) {
            llvm::IRBuilder<> builder(&instruction);
            instruction.replaceAllUsesWith(builder.CreateIsNotNull(
                builder.CreateAnd(instruction.getOperand(0), instruction.getOperand(1))));
        } else if (is_call_of(instruction, kWithoutWrap)) {
            instruction.replaceAllUsesWith(instruction.getOperand(0));
        } else {
            continue;
        }
        instruction.eraseFromParent();
    }
}

PreservedAnalyses copy_full_loops(llvm::Function& kernel, GangContext& context) {
    llvm::LoopInfo& loops = context.loops(kernel);
    if (loops.empty()) return PreservedAnalyses::all();
    const Analysis& analysis = context.analysis(kernel, context.layout_in_rows());
    llvm::SmallVector<Loop*, 2> found;
    for (Loop* loop : loops.getLoopsInPreorder()) {
        if (!loop->isInnermost()) continue;
        if (is_fit(*loop, *analysis.plan, *analysis.shapes)) found.push_back(loop);
    }
    if (found.empty()) return PreservedAnalyses::all();
    auto& tree = context.analyses().getResult<llvm::DominatorTreeAnalysis>(kernel);
    for (Loop* loop : found) put_copy_before(*loop, tree, loops);
    return PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
