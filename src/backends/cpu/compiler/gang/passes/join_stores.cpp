// Stores of several blocks to one place, `if (a) x[i] = p; else if (b) x[i] = q;`, as one store of
// what the lane's own block chose.
//
// A masked store costs as much as all its lanes where a target has none of its width, and a block
// for each value was a mask, a test for lanes and a store for each. Where every way to a block ends
// in such a store, the joined one needs no mask of its own at all.
#include <llvm/ADT/MapVector.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>

#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::BasicBlock;
using llvm::StoreInst;
using llvm::Value;

// The last that a block does with memory, on its only way to another one, if it is a store.
StoreInst* last_store(BasicBlock& block) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (branch == nullptr || branch->isConditional()) return nullptr;
    llvm::Instruction* last = branch->getPrevNode();
    while (last != nullptr && !last->mayReadOrWriteMemory() && !last->mayHaveSideEffects()) {
        last = last->getPrevNode();
    }
    auto* store = llvm::dyn_cast_or_null<StoreInst>(last);
    return store != nullptr && store->isSimple() ? store : nullptr;
}

// The same value, or the same sum of what both blocks have.
bool is_same_place(Value* one, Value* other) {
    if (one == other) return true;
    auto* first = llvm::dyn_cast<llvm::GetElementPtrInst>(one);
    auto* second = llvm::dyn_cast<llvm::GetElementPtrInst>(other);
    return first != nullptr && second != nullptr && first->isIdenticalTo(second);
}

bool are_alike(StoreInst& one, StoreInst& other) {
    return one.getValueOperand()->getType() == other.getValueOperand()->getType() &&
           is_same_place(one.getPointerOperand(), other.getPointerOperand());
}

// What arrives from the blocks of `stores`, chosen at the head of `joined`.
Value* chosen(BasicBlock& joined, llvm::ArrayRef<StoreInst*> stores,
              llvm::function_ref<Value*(StoreInst&)> value_of) {
    Value* first = value_of(*stores.front());
    if (llvm::all_of(stores, [&](StoreInst* one) { return value_of(*one) == first; })) return first;
    auto* phi = llvm::PHINode::Create(first->getType(), static_cast<unsigned>(stores.size()),
                                      "stored", joined.begin());
    for (StoreInst* one : stores) phi->addIncoming(value_of(*one), one->getParent());
    return phi;
}

// Before the branch of `joined`, which the blocks of `stores` lead to from now on.
void join(BasicBlock& joined, llvm::ArrayRef<StoreInst*> stores) {
    StoreInst* first = stores.front();
    Value* value = chosen(joined, stores, [](StoreInst& one) { return one.getValueOperand(); });
    Value* place = first->getPointerOperand();
    if (!llvm::all_of(stores, [&](StoreInst* one) { return one->getPointerOperand() == place; })) {
        auto* sum = llvm::cast<llvm::Instruction>(place)->clone();
        sum->insertBefore(joined.getTerminator());
        place = sum;
    }
    auto* store = llvm::cast<StoreInst>(first->clone());
    store->insertBefore(joined.getTerminator());
    store->setOperand(0, value);
    store->setOperand(1, place);
    store->dropUnknownNonDebugMetadata();
    for (StoreInst* one : stores) {
        store->setAlignment(std::min(store->getAlign(), one->getAlign()));
        store->applyMergedLocation(store->getDebugLoc(), one->getDebugLoc());
        one->eraseFromParent();
    }
}

void join_before(BasicBlock& next, llvm::ArrayRef<StoreInst*> stores) {
    BasicBlock* joined = BasicBlock::Create(next.getContext(), "stores", next.getParent(), &next);
    auto* onwards = llvm::BranchInst::Create(&next, joined);
    onwards->setDebugLoc(stores.front()->getParent()->getTerminator()->getDebugLoc());
    for (llvm::PHINode& phi : next.phis()) {
        Value* value = chosen(*joined, stores, [&](StoreInst& one) {
            return phi.getIncomingValueForBlock(one.getParent());
        });
        for (StoreInst* one : stores) phi.removeIncomingValue(one->getParent(), false);
        phi.addIncoming(value, joined);
    }
    for (StoreInst* one : stores) {
        one->getParent()->getTerminator()->replaceSuccessorWith(&next, joined);
    }
    join(*joined, stores);
}

// Whether there were any.
bool join_alike(llvm::Function& kernel) {
    llvm::MapVector<BasicBlock*, llvm::SmallVector<llvm::SmallVector<StoreInst*, 4>, 2>> found;
    for (BasicBlock& block : kernel) {
        StoreInst* store = last_store(block);
        if (store == nullptr) continue;
        auto& groups = found[block.getSingleSuccessor()];
        auto* group =
            llvm::find_if(groups, [&](const auto& one) { return are_alike(*one.front(), *store); });
        if (group == groups.end()) {
            groups.push_back({store});
        } else {
            group->push_back(store);
        }
    }
    bool has_changed = false;
    for (auto& [next, groups] : found) {
        for (auto& stores : groups) {
            if (stores.size() < 2) continue;
            join_before(*next, stores);
            has_changed = true;
        }
    }
    return has_changed;
}

}  // namespace

PreservedAnalyses join_stores(llvm::Function& kernel, GangContext&) {
    if (!join_alike(kernel)) return PreservedAnalyses::all();
    // Stores in front of those that were joined are the last ones now.
    while (join_alike(kernel)) continue;
    return PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
