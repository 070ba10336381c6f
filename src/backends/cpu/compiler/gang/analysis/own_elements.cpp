// Which stores are such, by the one walk over the function that looks at all of its stores.
#include "src/backends/cpu/compiler/gang/analysis/own_elements.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "src/backends/cpu/compiler/lowering/threads/shared_variables.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

const llvm::Value* object_of(const llvm::Value* pointer) {
    return llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0);
}

bool is_parameter(const llvm::Value* object) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(object);
    return load != nullptr && llvm::isa<llvm::Argument>(object_of(load->getPointerOperand()));
}

// An array that other threads may access, and which no pointer of another object leads into.
bool is_array(const llvm::Value* pointer) {
    const llvm::Value* object = object_of(pointer);
    return !is_in_shared(pointer) &&
           (is_parameter(object) || llvm::isa<llvm::GlobalVariable>(object));
}

// Whether a thread's accesses may be ordered with those of others by `instruction`.
bool may_order(const llvm::Instruction& instruction) {
    if (instruction.isAtomic() || instruction.isVolatile()) return true;
    if (llvm::isa<llvm::StoreInst>(instruction) || !instruction.mayWriteToMemory()) return false;
    auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    return intrinsic == nullptr || !intrinsic->isAssumeLikeIntrinsic();
}

using Stores = std::vector<const llvm::StoreInst*>;

bool is_of_other_object(const llvm::StoreInst& store, const llvm::Value* array) {
    const llvm::Value* pointer = store.getPointerOperand();
    if (is_in_shared(pointer) || llvm::isa<llvm::AllocaInst>(object_of(pointer))) return true;
    return is_array(pointer) && object_of(pointer) != array;
}

bool stores_own_elements_only(const Stores& stores, const llvm::Value* pointer) {
    return llvm::all_of(stores, [&](const llvm::StoreInst* store) {
        return store->getPointerOperand() == pointer ||
               is_of_other_object(*store, object_of(pointer));
    });
}

// A load of the same place, in this iteration of all loops that `store` is in.
const llvm::LoadInst* load_before(const llvm::StoreInst& store, const Plan& plan,
                                  const llvm::DominatorTree& tree) {
    for (const llvm::User* user : store.getPointerOperand()->users()) {
        auto* load = llvm::dyn_cast<llvm::LoadInst>(user);
        if (load == nullptr || load->getType() != store.getValueOperand()->getType()) continue;
        const llvm::Loop* loop = plan[plan.index_of(load->getParent())].loop;
        const bool is_of_iteration = loop == nullptr || loop->contains(store.getParent());
        if (is_of_iteration && tree.dominates(load, &store)) return load;
    }
    return nullptr;
}

}  // namespace

OwnElements::OwnElements(const Plan& plan) {
    Stores stores, candidates;
    for (const PlannedBlock& planned : plan.blocks()) {
        for (const llvm::Instruction& instruction : *planned.block) {
            if (may_order(instruction)) return;
            auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
            if (store == nullptr) continue;
            stores.push_back(store);
            if (planned.may_lack_lanes && is_array(store->getPointerOperand())) {
                candidates.push_back(store);
            }
        }
    }
    if (candidates.empty()) return;
    const llvm::DominatorTree tree(*plan[0].block->getParent());
    for (const llvm::StoreInst* store : candidates) {
        if (!stores_own_elements_only(stores, store->getPointerOperand())) continue;
        const llvm::LoadInst* load = load_before(*store, plan, tree);
        if (load == nullptr) continue;
        const unsigned block = plan.index_of(load->getParent());
        const unsigned own = plan.index_of(store->getParent());
        if (plan[block].mask_owner != plan[own].mask_owner) readers_[store] = block;
    }
}

std::optional<unsigned> OwnElements::readers_of(const llvm::StoreInst& store) const {
    const auto known = readers_.find(&store);
    if (known == readers_.end()) return std::nullopt;
    return known->second;
}

}  // namespace warpwise::cpu_compiler::gang
