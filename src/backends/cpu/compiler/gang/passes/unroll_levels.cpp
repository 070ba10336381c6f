// The levels of trees, `for (int d = 128; d > 0; d /= 2) { __syncthreads(); if (t < d) ... }`, of
// transforms and sorting networks, and the steps of eliminations: how far apart the lanes read and
// write becomes a constant, and, in blocks that are one gang, which lanes take part in each.
// Vectors without a lane are gone then, and so are the tests for them.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Scalar/SCCP.h>

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

// Whether the iteration decides how far the lanes lie from each other: a product, or bits, of a
// number that it changes and one that differs from lane to lane.
bool moves_lanes(const Instruction& instruction, const Loop& loop, const Shapes& shapes) {
    auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
    if (operation == nullptr || !operation->getType()->isIntegerTy()) return false;
    if (operation->getOpcode() == Instruction::Add || operation->getOpcode() == Instruction::Sub) {
        return false;
    }
    const auto is_by_turn = [&](const Value* value) {
        auto* made = llvm::dyn_cast<Instruction>(value);
        return made && loop.contains(made) && shapes.of(made).is_uniform();
    };
    const Value *left = operation->getOperand(0), *right = operation->getOperand(1);
    return (is_by_turn(left) && !shapes.of(right).is_uniform()) ||
           (is_by_turn(right) && !shapes.of(left).is_uniform());
}

bool moves_lanes(const Loop& loop, const Shapes& shapes) {
    return llvm::any_of(loop.blocks(), [&](const BasicBlock* block) {
        return llvm::any_of(*block, [&](const Instruction& instruction) {
            return moves_lanes(instruction, loop, shapes);
        });
    });
}

std::size_t size_of(const Loop& loop) {
    std::size_t size = 0;
    for (const BasicBlock* block : loop.blocks()) size += block->size();
    return size;
}

// A constant stands behind the other operand: there the analyses look for it.
void order_operands(Instruction& instruction) {
    auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
    if (operation == nullptr || !operation->isCommutative()) return;
    const bool is_first = llvm::isa<llvm::Constant>(operation->getOperand(0)) &&
                          !llvm::isa<llvm::Constant>(operation->getOperand(1));
    if (is_first) operation->swapOperands();
}

void order_all_operands(llvm::Function& kernel) {
    for (Instruction& instruction : llvm::instructions(kernel)) order_operands(instruction);
}

// What follows from a level's number that has become a constant, in the levels of other loops too,
// and without the turn that a loop begins only to end. The distances of those are constants then:
// without fast gathers, accesses in such steps are slow otherwise. With them they stay
// gathers, which take less time on Xeon processors of the fourth generation than a load and an
// insertion a lane: Blelloch's scan 0.87.
void fold_constants(llvm::Function& kernel, GangContext& context) {
    order_all_operands(kernel);
    llvm::SCCPPass().run(kernel, context.analyses());
    if (!context.target->has_fast_gathers()) order_all_operands(kernel);
}

bool unroll_outermost(llvm::Function& kernel, GangContext& context) {
    std::size_t size = kernel.getInstructionCount();
    const Shapes& shapes = *context.analysis(kernel, context.layout).shapes;
    // Which of its gangs has which lanes is not known of a block that is several.
    const auto pays = [&](const Loop& loop) {
        return has_levels(loop) && (context.layout.is_block || moves_lanes(loop, shapes));
    };
    const PreservedAnalyses preserved =
        unroll_loops(kernel, context.analyses(), Iterations::Exactly,
                     [&](const Loop& loop, unsigned iterations) {
                         if (iterations > costs::kMostLevels || !pays(loop)) return false;
                         const std::size_t grown = size + (iterations - 1) * size_of(loop);
                         if (grown * context.layout.pieces > costs::kLargestLevels) return false;
                         size = grown;
                         return true;
                     });
    if (preserved.areAllPreserved()) return false;
    fold_constants(kernel, context);
    context.forget(kernel);
    return true;
}

// A gang that is no block may be of any number of pieces: more gangs run less code each.
void narrow(Layout& layout, std::size_t size) {
    if (layout.is_block || layout.is_warp || layout.has_rows()) return;
    while (layout.pieces > 1 && size * layout.pieces > costs::kLargestLevelsOfGang) {
        layout.pieces /= 2;
    }
}

}  // namespace

// How often a loop within the levels of another runs is known when those are numbers.
PreservedAnalyses unroll_levels(llvm::Function& kernel, GangContext& context) {
    if (!unroll_outermost(kernel, context)) return PreservedAnalyses::all();
    while (unroll_outermost(kernel, context)) {
    }
    narrow(context.layout, kernel.getInstructionCount());
    return PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
