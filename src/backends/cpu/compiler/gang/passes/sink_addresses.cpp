// An address that has no step from lane to lane is computed in the block of each access that uses
// it, from the same index. There the lanes that compute it are those that use it: what is known of
// them, or tested, holds for the address too, and the access sees the index, of half the width.
//
// What all lanes add to such an address is added to what they have in common first: the elements of
// a row that each lane has to itself are one index of 32 bits a lane behind one pointer.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include <algorithm>

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

bool has_uniform_indices(const llvm::GetElementPtrInst& address, const Shapes& shapes) {
    return llvm::all_of(address.indices(), [&](const Value* index) {
        return llvm::isa<llvm::Constant>(index) || shapes.of(index).is_uniform();
    });
}

// One pointer and one index that varies, widened to the pointer's width.
bool is_behind_one_pointer(const llvm::GetElementPtrInst& address, const Shapes& shapes) {
    if (address.getNumIndices() != 1 || shapes.of(&address).has_scalars()) return false;
    const Value* index = address.getOperand(1);
    return llvm::isa<llvm::SExtInst, llvm::ZExtInst>(index) &&
           shapes.of(address.getPointerOperand()).is_uniform();
}

// The access's address, from the one that has an index; empty: there is none, or all add a number.
llvm::SmallVector<llvm::GetElementPtrInst*, 2> added_by_all(Instruction& access,
                                                            const Shapes& shapes) {
    llvm::SmallVector<llvm::GetElementPtrInst*, 2> added;
    bool are_numbers = true;
    auto* address =
        llvm::dyn_cast_or_null<llvm::GetElementPtrInst>(llvm::getLoadStorePointerOperand(&access));
    while (address != nullptr && has_uniform_indices(*address, shapes)) {
        are_numbers &= address->hasAllConstantIndices();
        added.push_back(address);
        address = llvm::dyn_cast<llvm::GetElementPtrInst>(address->getPointerOperand());
    }
    if (address == nullptr || are_numbers || !is_behind_one_pointer(*address, shapes)) return {};
    added.push_back(address);
    std::reverse(added.begin(), added.end());
    return added;
}

bool add_to_pointer(Instruction& access, const Shapes& shapes) {
    const auto addresses = added_by_all(access, shapes);
    if (addresses.empty()) return false;
    llvm::IRBuilder<> builder(&access);
    Value* pointer = addresses[0]->getPointerOperand();
    for (llvm::GetElementPtrInst* one : llvm::drop_begin(addresses)) {
        const llvm::SmallVector<Value*, 2> indices(one->indices());
        pointer = builder.CreateGEP(one->getSourceElementType(), pointer, indices);
    }
    Instruction* index = llvm::cast<Instruction>(addresses[0]->getOperand(1))->clone();
    Value* address =
        builder.CreateGEP(addresses[0]->getSourceElementType(), pointer, builder.Insert(index));
    access.setOperand(llvm::isa<llvm::LoadInst>(access) ? 0 : 1, address);
    return true;
}

}  // namespace

PreservedAnalyses sink_addresses(llvm::Function& kernel, GangContext& context) {
    const llvm::LoopInfo& loops = context.loops(kernel);
    const Shapes& shapes = *context.analysis(kernel, context.layout).shapes;
    Copies copies;
    bool has_added = false;
    for (Instruction& access : llvm::make_early_inc_range(llvm::instructions(kernel))) {
        if (add_to_pointer(access, shapes)) {
            has_added = true;
            continue;
        }
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
    return copies.empty() && !has_added ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
