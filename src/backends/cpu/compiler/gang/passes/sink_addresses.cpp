// An address that has no step from lane to lane is computed in the block of each access that uses
// it, from the same index. There the lanes that compute it are those that use it: what is known of
// them, or tested, holds for the address too, and the access sees the index, of half the width.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

#include <llvm/IR/InstIterator.h>

#include "src/backends/cpu/compiler/gang/analysis/shape.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Instruction;
using llvm::Value;

using Copies = llvm::DenseMap<std::pair<const llvm::BasicBlock*, Instruction*>, Instruction*>;

// A copy in front of the first access that asks for it serves those behind it in its block.
Instruction* copy_in(Instruction& access, Instruction& original, Copies& copies) {
    if (Instruction* known = copies.lookup({access.getParent(), &original})) return known;
    Instruction* copy = original.clone();
    copy->insertBefore(&access);
    for (llvm::Use& operand : copy->operands()) {
        auto* widening = llvm::dyn_cast<llvm::CastInst>(operand.get());
        const bool is_widening = llvm::isa<llvm::SExtInst, llvm::ZExtInst>(operand.get());
        if (!is_widening || widening->getParent() == access.getParent()) continue;
        Instruction* widened = copies.lookup({access.getParent(), widening});
        if (widened == nullptr) {
            widened = widening->clone();
            widened->insertBefore(copy);
            copies[{access.getParent(), widening}] = widened;
        }
        operand.set(widened);
    }
    return copies[{access.getParent(), &original}] = copy;
}

}  // namespace

PreservedAnalyses sink_addresses(llvm::Function& kernel, GangContext& context) {
    const llvm::LoopInfo& loops = context.loops(kernel);
    const Shapes& shapes = *context.analysis(kernel, context.layout).shapes;
    Copies copies;
    for (Instruction& access : llvm::make_early_inc_range(llvm::instructions(kernel))) {
        auto* address = llvm::dyn_cast_or_null<llvm::GetElementPtrInst>(
            llvm::getLoadStorePointerOperand(&access));
        if (address == nullptr || address->getParent() == access.getParent()) continue;
        if (address->hasAllConstantIndices() || shapes.of(address).has_scalars()) continue;
        // A loop does not compute again what its iterations share.
        if (loops.getLoopFor(address->getParent()) != loops.getLoopFor(access.getParent()))
            continue;
        const unsigned operand = llvm::isa<llvm::LoadInst>(access) ? 0 : 1;
        access.setOperand(operand, copy_in(access, *address, copies));
    }
    return copies.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
