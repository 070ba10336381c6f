// Atomics on shared memory as plain operations: a block stays on one OS thread, and threads switch
// at barriers, collectives and yields only. They are marked, by their scope, while shared memory
// has an address space, and made plain after the last optimisation.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"

namespace warpwise::cpu_compiler {
namespace {

constexpr unsigned kSharedSpace = 3;
constexpr llvm::SyncScope::ID kOneThread = llvm::SyncScope::SingleThread;

}  // namespace

void mark_block_atomics(Lowering& job) {
    for (llvm::Function& function : job.module) {
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
            if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
                if (update->getPointerAddressSpace() == kSharedSpace && !update->isVolatile()) {
                    update->setSyncScopeID(kOneThread);
                }
            } else if (auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
                if (swap->getPointerAddressSpace() == kSharedSpace && !swap->isVolatile()) {
                    swap->setSyncScopeID(kOneThread);
                }
            }
        }
    }
}

void make_block_atomics_plain(Lowering& job) {
    for (llvm::Function& function : job.module) {
        for (llvm::Instruction& instruction :
             llvm::make_early_inc_range(llvm::instructions(function))) {
            if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
                if (update->getSyncScopeID() == kOneThread) llvm::lowerAtomicRMWInst(update);
            } else if (auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
                if (swap->getSyncScopeID() == kOneThread) llvm::lowerAtomicCmpXchgInst(swap);
            }
        }
    }
}

}  // namespace warpwise::cpu_compiler
