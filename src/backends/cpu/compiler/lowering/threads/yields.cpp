// Threads of a block share one OS thread, so a thread that waits for another through memory would
// wait for ever. Such loops let the others run on their back edges.
//
// A loop waits when its exit depends on a value other threads may write: a volatile or atomic load,
// an exchange, a read by atomicAdd(p, 0), or a compare-and-swap that can only succeed once another
// thread writes. A compare-and-swap that expects what the loop has just read there (the usual
// atomic update), or at an address that moves (hash insertion), makes progress alone; but if the
// function also writes the expected value back, the places are slots of a pool, and threads wait
// for one. One that expects something computed from what was read (a version without its lock bit)
// waits if the function writes there elsewhere. An exchange that hands on what it got, to another
// address, makes progress too (cuckoo hashing).
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"

namespace warpwise::cpu_compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

// Whether `value` changes from one iteration to the next by the loop's own doing.
bool is_carried_by(const llvm::Loop& loop, const Value* value) {
    llvm::SmallSetVector<const Value*, 16> seen;
    seen.insert(value);
    for (unsigned next = 0; next < seen.size(); ++next) {
        auto* instruction = llvm::dyn_cast<Instruction>(seen[next]);
        if (!instruction || !loop.contains(instruction)) continue;
        if (llvm::isa<llvm::PHINode>(instruction)) return true;
        seen.insert(instruction->op_begin(), instruction->op_end());
    }
    return false;
}

bool only_reads(const llvm::AtomicRMWInst& update) {
    auto* operand = llvm::dyn_cast<llvm::ConstantInt>(update.getValOperand());
    if (!operand) return false;
    switch (update.getOperation()) {
        case llvm::AtomicRMWInst::Add:
        case llvm::AtomicRMWInst::Sub:
        case llvm::AtomicRMWInst::Or:
        case llvm::AtomicRMWInst::Xor:
        case llvm::AtomicRMWInst::UMax:
            return operand->isZero();
        case llvm::AtomicRMWInst::And:
        case llvm::AtomicRMWInst::UMin:
            return operand->isMinusOne();
        default:
            return false;
    }
}

// Distinct arguments and variables are taken for distinct: a lock is released through the pointer
// it was taken by.
bool may_be_one_object(const Value* a, const Value* b) {
    const Value* of_a = llvm::getUnderlyingObject(a);
    const Value* of_b = llvm::getUnderlyingObject(b);
    const auto is_known = [](const Value* object) {
        return llvm::isa<llvm::Argument, llvm::GlobalVariable, llvm::AllocaInst>(object);
    };
    return of_a == of_b || !is_known(of_a) || !is_known(of_b);
}

// Whether `instruction` may put `value` into the object of `pointer`.
bool may_write_back(const Instruction& instruction, const Value* value, const Value* pointer) {
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        return store->getValueOperand() == value &&
               may_be_one_object(store->getPointerOperand(), pointer);
    }
    if (auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
        return swap->getNewValOperand() == value &&
               may_be_one_object(swap->getPointerOperand(), pointer);
    }
    auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
    if (!update || only_reads(*update)) return false;
    const bool fits =
        update->getOperation() != llvm::AtomicRMWInst::Xchg || update->getValOperand() == value;
    return fits && may_be_one_object(update->getPointerOperand(), pointer);
}

bool is_written_back(const llvm::AtomicCmpXchgInst& swap) {
    for (const Instruction& instruction : llvm::instructions(swap.getFunction())) {
        if (may_write_back(instruction, swap.getCompareOperand(), swap.getPointerOperand())) {
            return true;
        }
    }
    return false;
}

// Whether the compare-and-swap expects the very value that the loop has read there last: then it
// fails only if another thread has succeeded meanwhile.
bool expects_what_was_read(const llvm::Loop& loop, const llvm::AtomicCmpXchgInst& swap) {
    llvm::SmallSetVector<const Value*, 8> seen;
    seen.insert(swap.getCompareOperand());
    for (unsigned next = 0; next < seen.size(); ++next) {
        auto* instruction = llvm::dyn_cast<Instruction>(seen[next]);
        if (!instruction || !loop.contains(instruction)) continue;  // the first attempt
        if (auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(instruction)) {
            if (llvm::isa<llvm::AtomicCmpXchgInst>(extract->getAggregateOperand())) continue;
            return false;
        }
        if (llvm::isa<llvm::LoadInst, llvm::AtomicRMWInst>(instruction)) continue;
        if (auto* select = llvm::dyn_cast<llvm::SelectInst>(instruction)) {
            seen.insert(select->getTrueValue());
            seen.insert(select->getFalseValue());
            continue;
        }
        const bool passes_on = llvm::isa<llvm::PHINode, llvm::FreezeInst>(instruction) ||
                               llvm::isa<llvm::BitCastInst, llvm::PtrToIntInst>(instruction) ||
                               llvm::isa<llvm::IntToPtrInst>(instruction);
        if (!passes_on) return false;
        seen.insert(instruction->op_begin(), instruction->op_end());
    }
    return true;
}

bool is_written_elsewhere(const llvm::AtomicCmpXchgInst& swap) {
    return llvm::any_of(llvm::instructions(swap.getFunction()), [&](const Instruction& other) {
        if (&other == &swap) return false;
        const Value* pointer = llvm::getLoadStorePointerOperand(&other);
        if (llvm::isa<llvm::LoadInst>(other)) return false;
        if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&other)) {
            if (only_reads(*update)) return false;
            pointer = update->getPointerOperand();
        } else if (auto* second = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&other)) {
            pointer = second->getPointerOperand();
        }
        return pointer && may_be_one_object(pointer, swap.getPointerOperand());
    });
}

bool reads_what_others_write(const llvm::Loop& loop, const Instruction& instruction) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return !load->isSimple();
    if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
        if (update->getOperation() != llvm::AtomicRMWInst::Xchg) return only_reads(*update);
        return !is_carried_by(loop, update->getValOperand()) ||
               !is_carried_by(loop, update->getPointerOperand());
    }
    if (auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
        const bool moves = is_carried_by(loop, swap->getPointerOperand());
        if (is_carried_by(loop, swap->getCompareOperand())) {
            return !moves && !expects_what_was_read(loop, *swap) && is_written_elsewhere(*swap);
        }
        return !moves || is_written_back(*swap);
    }
    return false;
}

// Everything inside the loop that decides whether it goes on: the operands of its exits'
// conditions and, for values merged by control flow, the conditions of the branches before.
class ExitSlice {
  public:
    ExitSlice(const llvm::Loop& loop, const llvm::DominatorTree& tree,
              const llvm::PostDominatorTree& post_tree)
        : loop_(loop), tree_(tree), post_tree_(post_tree) {
        llvm::SmallVector<llvm::BasicBlock*, 8> exiting;
        loop.getExitingBlocks(exiting);
        for (const llvm::BasicBlock* block : exiting) add_control(block);
        for (unsigned next = 0; next < slice_.size(); ++next) {
            for (const Value* operand : slice_[next]->operands()) add(operand);
            if (auto* phi = llvm::dyn_cast<llvm::PHINode>(slice_[next])) {
                for (const llvm::BasicBlock* block : phi->blocks()) add_control(block);
            }
        }
    }

    bool waits() const {
        return llvm::any_of(slice_, [&](const Instruction* instruction) {
            return reads_what_others_write(loop_, *instruction);
        });
    }

  private:
    void add(const Value* value) {
        auto* instruction = llvm::dyn_cast<Instruction>(value);
        if (instruction && loop_.contains(instruction)) slice_.insert(instruction);
    }

    // The branches that lead to `block`: of the blocks that dominate it, within the loop, those
    // from which it is not reached anyway.
    void add_control(const llvm::BasicBlock* block) {
        if (!controlled_.insert(block)) return;
        for (auto* node = tree_.getNode(block); node && loop_.contains(node->getBlock());
             node = node->getIDom()) {
            const llvm::BasicBlock* before = node->getBlock();
            const bool decides = before == block || !post_tree_.dominates(block, before);
            if (decides) add(before->getTerminator());
        }
    }

    const llvm::Loop& loop_;
    const llvm::DominatorTree& tree_;
    const llvm::PostDominatorTree& post_tree_;
    llvm::SetVector<const Instruction*> slice_;
    llvm::SetVector<const llvm::BasicBlock*> controlled_;
};

// Cheap test first: most loops touch nothing shared.
bool may_wait(const llvm::Loop& loop) {
    for (const llvm::BasicBlock* block : loop.blocks()) {
        for (const Instruction& instruction : *block) {
            if (reads_what_others_write(loop, instruction)) return true;
        }
    }
    return false;
}

// "file:line" of the loop, for the run time to name when no thread ends the wait.
llvm::Value* place_of(const llvm::Loop& loop, llvm::IRBuilder<>& builder) {
    const llvm::DILocation* location = loop.getStartLoc();
    while (location && location->getInlinedAt() &&
           location->getFilename().starts_with(kHeaderFolder)) {
        location = location->getInlinedAt();
    }
    if (!location) return llvm::ConstantPointerNull::get(builder.getPtrTy());
    const std::string text =
        (location->getFilename() + ":" + llvm::Twine(location->getLine())).str();
    return builder.CreateGlobalString(text, "waits.at");
}

}  // namespace

void insert_yields(Lowering& job) {
    for (llvm::Function& function : job.module) {
        if (function.isDeclaration()) continue;
        llvm::DominatorTree tree(function);
        llvm::PostDominatorTree post_tree(function);
        llvm::LoopInfo loops(tree);
        llvm::MapVector<llvm::BasicBlock*, const llvm::Loop*> latches;
        for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
            if (!may_wait(*loop) || !ExitSlice(*loop, tree, post_tree).waits()) continue;
            llvm::SmallVector<llvm::BasicBlock*, 4> found;
            loop->getLoopLatches(found);
            for (llvm::BasicBlock* latch : found) latches.insert({latch, loop});
        }
        for (auto [latch, loop] : latches) {
            llvm::IRBuilder<> builder(latch->getTerminator());
            builder.CreateCall(declare_service(job.module, ServiceId::yield),
                               {place_of(*loop, builder)});
        }
    }
}

}  // namespace warpwise::cpu_compiler
