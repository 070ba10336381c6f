// Threads that work on several elements ask for each of them whether it is still inside:
// `if (start + k < n)`, k = 0, 1, 2 ... One test of the outermost decides for all, in front of a
// copy of the whole chain without the others. There the accesses stand side by side, for
// emit_strided.cpp.
//
// Finding chains, and copying them.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "src/backends/cpu/compiler/gang/analysis/exact_sum.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::BasicBlock;
using llvm::Value;

// `head` asks; `guarded` runs if the answer is `when`; both go on at `join`.
struct Link {
    BasicBlock* head;
    BasicBlock* guarded;
    BasicBlock* join;
    bool when;
    llvm::ICmpInst* asks;
};

std::optional<Link> link_at(BasicBlock& head) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(head.getTerminator());
    if (!branch || !branch->isConditional()) return std::nullopt;
    auto* asks = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
    if (!asks) return std::nullopt;
    for (unsigned side = 0; side < 2; ++side) {
        BasicBlock *guarded = branch->getSuccessor(side), *join = branch->getSuccessor(1 - side);
        if (guarded == join || guarded->getSinglePredecessor() != &head) continue;
        if (guarded->getSingleSuccessor() != join || !join->hasNPredecessors(2)) continue;
        return Link{&head, guarded, join, side == 0, asks};
    }
    return std::nullopt;
}

// start + offset <predicate> limit, which holds for all smaller (or, with is_lower, larger) offsets
// too if it holds for this one.
struct Guard {
    llvm::CmpInst::Predicate predicate;
    Value* start;
    std::int64_t offset;
    Value* limit;
    bool is_lower;
};

std::optional<Guard> guard_of(const Link& link) {
    llvm::CmpInst::Predicate predicate =
        link.when ? link.asks->getPredicate() : link.asks->getInversePredicate();
    if (!llvm::CmpInst::isRelational(predicate)) return std::nullopt;
    Guard guard{predicate, link.asks->getOperand(0), 0, link.asks->getOperand(1),
                llvm::ICmpInst::isGT(predicate) || llvm::ICmpInst::isGE(predicate)};
    // Wider offsets might not fit one number.
    if (!guard.start->getType()->isIntegerTy() || guard.start->getType()->getIntegerBitWidth() > 32)
        return guard;
    const bool is_signed = llvm::CmpInst::isSigned(predicate);
    const ExactSum sum = exact_sum(guard.start, is_signed ? NoWrap::Signed : NoWrap::Unsigned);
    guard.start = sum.rest;
    guard.offset = sum.number;
    return guard;
}

bool may_be_copied(const BasicBlock& block) {
    return llvm::all_of(block, [](const llvm::Instruction& instruction) {
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        return !call || (llvm::isa<llvm::IntrinsicInst>(call) && !call->isConvergent());
    });
}

struct Chain {
    std::vector<Link> links;
    std::size_t outermost = 0;  // the link whose guard implies the others

    BasicBlock& head() const { return *links.front().head; }
    BasicBlock& end() const { return *links.back().join; }
    // All blocks but the first head and the end, in order.
    std::vector<BasicBlock*> inner() const {
        std::vector<BasicBlock*> blocks;
        for (const Link& link : links) {
            if (&link != &links.front()) blocks.push_back(link.head);
            blocks.push_back(link.guarded);
        }
        return blocks;
    }
};

bool is_in(const Value* value, const std::vector<BasicBlock*>& blocks) {
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    return instruction && llvm::is_contained(blocks, instruction->getParent());
}

Chain chain_from(BasicBlock& head) {
    Chain chain;
    std::optional<Guard> first, outermost;
    for (BasicBlock* block = &head;;) {
        std::optional<Link> link = link_at(*block);
        if (!link || !may_be_copied(*link->guarded)) break;
        if (!chain.links.empty() && !may_be_copied(*block)) break;
        std::optional<Guard> guard = guard_of(*link);
        if (!guard) break;
        if (!first) first = outermost = guard;
        if (guard->predicate != first->predicate || guard->start != first->start ||
            guard->limit != first->limit) {
            break;
        }
        if (guard->is_lower ? guard->offset < outermost->offset
                            : guard->offset > outermost->offset) {
            outermost = guard;
            chain.outermost = chain.links.size();
        }
        chain.links.push_back(*link);
        block = link->join;
    }
    return chain;
}

bool is_worth_a_copy(const Chain& chain) {
    if (chain.links.size() < 2) return false;
    const std::vector<BasicBlock*> blocks = chain.inner();
    const std::optional<Guard> guard = guard_of(chain.links.front());
    if (is_in(guard->start, blocks) || is_in(guard->limit, blocks)) return false;
    std::size_t size = 0;
    for (const BasicBlock* block : blocks) size += block->size();
    return size <= costs::kLargestChain;
}

// What every thread computes in the chain from what is known before it goes before it, so that it
// does not become a phi behind it.
void hoist_arithmetic(const Chain& chain, const std::vector<BasicBlock*>& blocks) {
    for (const Link& link : llvm::drop_begin(chain.links)) {
        for (llvm::Instruction& instruction : llvm::make_early_inc_range(*link.head)) {
            const bool is_pure =
                llvm::isa<llvm::CastInst, llvm::GetElementPtrInst, llvm::CmpInst>(instruction) ||
                (llvm::isa<llvm::BinaryOperator>(instruction) && !instruction.isIntDivRem());
            if (!is_pure) continue;
            if (llvm::none_of(instruction.operands(),
                              [&](const Value* operand) { return is_in(operand, blocks); })) {
                instruction.moveBefore(chain.head().getTerminator());
            }
        }
    }
}

// What is known on both paths through the chain, behind it.
void join_values(const std::vector<BasicBlock*>& blocks, const std::vector<BasicBlock*>& copies,
                 llvm::ValueToValueMapTy& copy_of) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        for (llvm::Instruction& instruction : *blocks[i]) {
            llvm::SmallVector<llvm::Use*> outside;
            for (llvm::Use& use : instruction.uses()) {
                auto* user = llvm::cast<llvm::Instruction>(use.getUser());
                auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
                BasicBlock* place = phi ? phi->getIncomingBlock(use) : user->getParent();
                if (!llvm::is_contained(blocks, place)) outside.push_back(&use);
            }
            if (outside.empty()) continue;
            llvm::SSAUpdater updater;
            updater.Initialize(instruction.getType(), instruction.getName());
            updater.AddAvailableValue(blocks[i], &instruction);
            updater.AddAvailableValue(copies[i], copy_of[&instruction]);
            for (llvm::Use* use : outside) updater.RewriteUse(*use);
        }
    }
}

// Makes the copy run straight through; its first block is the one to enter.
void straighten(const std::vector<BasicBlock*>& blocks, const std::vector<BasicBlock*>& copies,
                BasicBlock& end, llvm::ValueToValueMapTy& copy_of) {
    for (std::size_t i = 0; i < copies.size(); ++i) {
        // Heads are reached from the guarded block before them.
        for (llvm::PHINode& phi : llvm::make_early_inc_range(blocks[i]->phis())) {
            auto* copied = llvm::cast<llvm::PHINode>(&*copy_of[&phi]);
            Value* passed = copied->getIncomingValueForBlock(copies[i - 1]);
            copied->replaceAllUsesWith(passed);
            copied->eraseFromParent();
            copy_of[&phi] = passed;
        }
        copies[i]->getTerminator()->eraseFromParent();
        llvm::BranchInst::Create(i + 1 < copies.size() ? copies[i + 1] : &end, copies[i]);
    }
}

void copy_without_guards(const Chain& chain) {
    BasicBlock &head = chain.head(), &end = chain.end();
    const std::vector<BasicBlock*> blocks = chain.inner();
    hoist_arithmetic(chain, blocks);
    llvm::ValueToValueMapTy copy_of;
    std::vector<BasicBlock*> copies;
    for (BasicBlock* block : blocks) {
        copies.push_back(llvm::CloneBasicBlock(block, copy_of, ".inside", head.getParent()));
        copy_of[block] = copies.back();
    }
    llvm::remapInstructionsInBlocks(copies, copy_of);

    const Guard guard = *guard_of(chain.links[chain.outermost]);
    llvm::IRBuilder<> builder(head.getTerminator());
    Value* offset = llvm::ConstantInt::getSigned(guard.start->getType(), guard.offset);
    Value* outermost = builder.CreateAdd(guard.start, offset);
    Value* is_inside = builder.CreateICmp(guard.predicate, outermost, guard.limit);
    BasicBlock* as_before = llvm::SplitBlock(&head, head.getTerminator());
    llvm::ReplaceInstWithInst(head.getTerminator(),
                              llvm::BranchInst::Create(copies.front(), as_before, is_inside));

    straighten(blocks, copies, end, copy_of);
    for (llvm::PHINode& phi : end.phis()) {
        Value* passed = phi.getIncomingValueForBlock(blocks.back());
        Value* copied = copy_of.lookup(passed);
        phi.addIncoming(copied ? copied : passed, copies.back());
    }
    join_values(blocks, copies, copy_of);
    for (std::size_t i = 1; i < copies.size(); ++i) llvm::MergeBlockIntoPredecessor(copies[i]);
}

}  // namespace

PreservedAnalyses merge_guard_chains(llvm::Function& function, GangContext&) {
    std::vector<Chain> chains;
    llvm::SmallPtrSet<BasicBlock*, 16> known;
    for (BasicBlock& head : function) {
        if (known.contains(&head)) continue;
        Chain chain = chain_from(head);
        for (const Link& link : chain.links) known.insert(link.head);
        if (is_worth_a_copy(chain)) chains.push_back(std::move(chain));
    }
    // Later ones may ask again what an earlier one has asked: then its answer becomes a phi.
    for (const Chain& chain : llvm::reverse(chains)) copy_without_guards(chain);
    return chains.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
