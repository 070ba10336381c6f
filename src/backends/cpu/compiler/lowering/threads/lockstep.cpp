// Code older than __syncwarp() counts on the lanes of a warp going in step, and marks the shared
// memory through which they communicate volatile. Here the lanes that run together converge
// before each such access that another lane's access may have to precede.
//
// The convergence point is activemask, its result unused: it completes when no other lane of the
// warp can run, so lanes that took another path, or left, are not waited for.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"

namespace warpwise::cpu_compiler {
namespace {

constexpr unsigned kSharedSpace = 3;

bool is_shared(const llvm::Value* pointer) {
    llvm::SmallVector<const llvm::Value*, 4> objects;
    llvm::getUnderlyingObjects(pointer, objects);
    return llvm::any_of(objects, [](const llvm::Value* object) {
        return object->getType()->getPointerAddressSpace() == kSharedSpace;
    });
}

// The volatile loads and stores of shared memory in one block, in order.
llvm::SmallVector<llvm::Instruction*, 16> accesses_of(llvm::BasicBlock& block) {
    llvm::SmallVector<llvm::Instruction*, 16> accesses;
    for (llvm::Instruction& instruction : block) {
        const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
        if (pointer && instruction.isVolatile() && is_shared(pointer))
            accesses.push_back(&instruction);
    }
    return accesses;
}

// Consecutive loads need one convergence point, before the first; so does every store, and what
// follows it.
void keep_in_step(llvm::BasicBlock& block) {
    const auto accesses = accesses_of(block);
    if (accesses.empty()) return;
    llvm::FunctionCallee converge = declare_service(*block.getModule(), ServiceId::activemask);
    bool follows_loads = false;
    for (llvm::Instruction* access : accesses) {
        const bool is_load = llvm::isa<llvm::LoadInst>(access);
        if (!is_load || !follows_loads) llvm::IRBuilder<>(access).CreateCall(converge);
        follows_loads = is_load;
    }
    if (!follows_loads) llvm::IRBuilder<>(accesses.back()->getNextNode()).CreateCall(converge);
}

}  // namespace

void keep_warps_in_step(Lowering& job) {
    for (llvm::Function& function : job.module) {
        for (llvm::BasicBlock& block : function) keep_in_step(block);
    }
}

}  // namespace warpwise::cpu_compiler
