// The levels of trees, `for (int d = 128; d > 0; d /= 2) { __syncthreads(); if (t < d) ... }`, and
// the steps of eliminations, in blocks that are one gang: which lanes take part in each, and how
// far apart they read and write, become constants. Vectors without a lane are gone then, and so are
// the tests for them.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"
#include "src/backends/cpu/compiler/lowering/scalar/unroll.hpp"
#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Loop;
using llvm::Value;

bool is_barrier(const Instruction& instruction) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const Service* service = call ? find_service(*call) : nullptr;
    return service && service->is_barrier();
}

// Whether the iteration decides which threads branch, or where they read and write.
bool is_by_level(const Instruction& instruction, const Loop& loop) {
    auto is_by_turn = [&](const Value* value) {
        auto* made = llvm::dyn_cast<Instruction>(value);
        return made && loop.contains(made);
    };
    if (const Value* address = llvm::getLoadStorePointerOperand(&instruction)) {
        return is_by_turn(address);
    }
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(&instruction);
    return branch && branch->isConditional() && instruction.getParent() != loop.getHeader() &&
           is_by_turn(branch->getCondition());
}

bool has_levels(const Loop& loop) {
    bool has_barrier = false, differs = false;
    for (const BasicBlock* block : loop.blocks()) {
        for (const Instruction& instruction : *block) {
            has_barrier |= is_barrier(instruction);
            differs |= is_by_level(instruction, loop);
        }
    }
    return has_barrier && differs;
}

std::size_t size_of(const Loop& loop) {
    std::size_t size = 0;
    for (const BasicBlock* block : loop.blocks()) size += block->size();
    return size;
}

}  // namespace

PreservedAnalyses unroll_levels(llvm::Function& kernel, GangContext& context) {
    std::size_t size = kernel.getInstructionCount();
    return unroll_loops(kernel, context.analyses(), [&](const Loop& loop, unsigned iterations) {
        if (iterations > costs::kMostLevels || !has_levels(loop)) return false;
        const std::size_t grown = size + (iterations - 1) * size_of(loop);
        if (grown * context.layout.pieces > costs::kLargestLevels) return false;
        size = grown;
        return true;
    });
}

}  // namespace warpwise::cpu_compiler::gang
