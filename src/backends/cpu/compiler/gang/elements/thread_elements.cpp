// Elements are found by their stores and compared operand by operand, down to addresses and what
// threads share.
#include "src/backends/cpu/compiler/gang/elements/thread_elements.hpp"

#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

#include "src/backends/cpu/compiler/gang/target/costs.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

// Other elements than its own a thread must not have seen before, nor look at behind it.
bool is_all_there_is(const BasicBlock& block) {
    const BasicBlock* next = block.getSingleSuccessor();
    return llvm::isa<llvm::ReturnInst>(next ? next->front() : *block.getTerminator());
}

bool is_simple_access(const Instruction& instruction) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isSimple();
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    return store && store->isSimple();
}

}  // namespace

std::optional<ElementBlock> element_block_of(llvm::Function& kernel) {
    BasicBlock& entry = kernel.getEntryBlock();
    if (is_all_there_is(entry)) return ElementBlock{&entry};
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(entry.getTerminator());
    if (!branch || !branch->isConditional()) return std::nullopt;
    auto* guard = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
    auto writes = [](const Instruction& one) { return one.mayWriteToMemory(); };
    if (!guard || llvm::any_of(entry, writes)) return std::nullopt;
    for (unsigned side = 0; side < 2; ++side) {
        BasicBlock* block = branch->getSuccessor(side);
        const bool is_guarded = block->getSinglePredecessor() == &entry;
        if (is_guarded && is_all_there_is(*block) && llvm::any_of(*block, writes))
            return ElementBlock{block, guard, side == 0};
    }
    return std::nullopt;
}

Value* address_of(Instruction& access) {
    return access.getOperand(llvm::isa<llvm::StoreInst>(access) ? 1 : 0);
}

bool ThreadElements::find_stores() {
    std::vector<ThreadSum> arrays;
    for (Instruction& one : *body_.block) {
        if (llvm::isa<llvm::AllocaInst>(one)) return false;
        if (one.isTerminator() || !(one.mayReadOrWriteMemory() || one.mayHaveSideEffects()))
            continue;
        if (!is_simple_access(one)) return false;
        auto* store = llvm::dyn_cast<llvm::StoreInst>(&one);
        if (!store) continue;
        auto sum = sums.of(store->getPointerOperand());
        if (!sum || sum->step <= 0) return false;
        sum->number = 0;
        auto array = llvm::find(arrays, *sum);
        if (array == arrays.end()) {
            arrays.push_back(*sum);
            stores_.emplace_back();
            array = std::prev(arrays.end());
        }
        stores_[array - arrays.begin()].push_back(store);
    }
    if (stores_.empty()) return false;
    count = static_cast<unsigned>(stores_.front().size());
    auto number = [&](llvm::StoreInst* store) {
        return sums.of(store->getPointerOperand())->number;
    };
    for (auto& array : stores_) {
        if (array.size() != count) return false;
        llvm::stable_sort(array, [&](auto* a, auto* b) { return number(a) < number(b); });
    }
    return count > 1 && count <= costs::kMostElements;
}

bool ThreadElements::are_alike() {
    if (body_.block->size() > costs::kLargestChain || !find_stores()) return false;
    for (const auto& array : stores_) {
        const std::int64_t step = sums.of(array[0]->getPointerOperand())->step;
        if (step % count != 0 || bytes(*array[0]) > step / count) return false;
    }
    for (unsigned element = 0; element < count; ++element) {
        alike_.clear();
        for (const auto& array : stores_) {
            if (!are_instructions_alike(*array[0], *array[element], element)) return false;
        }
    }
    std::set<Value*> seen;
    for (const auto& array : stores_) find_accesses(array[0], seen);
    llvm::sort(accesses, [](auto* a, auto* b) { return a->comesBefore(b); });
    return are_ordered_alike();
}

// Whether `other` is to element `element` what `first` is to the first one.
bool ThreadElements::is_alike(Value* first, Value* other, unsigned element) {
    if (first->getType() != other->getType()) return false;
    const auto sum = sums.of(first), others = sums.of(other);
    if (sum || others) {
        if (!sum || !others || sum->step % count != 0) return false;
        ThreadSum moved = *sum;
        moved.number += sum->step / count * element;
        return moved == *others;
    }
    if (llvm::isa<llvm::Constant>(first) || sums.is_shared(first)) {
        if (first == other) return true;
        if (llvm::isa<llvm::Constant>(first)) return false;
    }
    if (auto known = alike_.find({first, other}); known != alike_.end()) return known->second;
    auto* one = llvm::dyn_cast<Instruction>(first);
    auto* two = llvm::dyn_cast<Instruction>(other);
    return alike_[{first, other}] = one && two && are_instructions_alike(*one, *two, element);
}

bool ThreadElements::are_instructions_alike(Instruction& first, Instruction& other,
                                            unsigned element) {
    if (!first.isSameOperationAs(&other, Instruction::CompareIgnoringAlignment) ||
        !first.hasSameSubclassOptionalData(&other))
        return false;
    if (llvm::isa<llvm::PHINode>(first) || llvm::isa<llvm::AllocaInst>(first)) return false;
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&first)) {
        if (!llvm::isa<llvm::IntrinsicInst>(call) || call->isConvergent() || call->arg_empty())
            return false;
    }
    if (first.mayReadOrWriteMemory()) {
        const bool are_here = first.getParent() == body_.block && other.getParent() == body_.block;
        if (!are_here || !is_simple_access(first)) return false;
        partners_.emplace_back(&first, &other);
    }
    auto agree = [&](unsigned left, unsigned right) {
        return is_alike(first.getOperand(left), other.getOperand(right), element);
    };
    if (first.isCommutative() && first.getNumOperands() >= 2 && !(agree(0, 0) && agree(1, 1))) {
        if (!llvm::isa<llvm::BinaryOperator>(first)) return false;
        return agree(0, 1) && agree(1, 0);
    }
    for (unsigned place = 0; place < first.getNumOperands(); ++place) {
        if (!agree(place, place)) return false;
    }
    return true;
}

// Those that stores of the first element need, and the stores.
void ThreadElements::find_accesses(Value* value, std::set<Value*>& seen) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction || sums.of(value) || sums.is_shared(value)) return;
    if (!seen.insert(value).second) return;
    if (instruction->mayReadOrWriteMemory()) accesses.push_back(instruction);
    for (Value* operand : instruction->operands()) find_accesses(operand, seen);
}

// Inside each element accesses follow each other as in the first one.
bool ThreadElements::are_ordered_alike() const {
    std::map<Instruction*, std::vector<Instruction*>> others;
    for (const auto& [first, other] : partners_) others[first].push_back(other);
    for (const auto& [first, other] : partners_) {
        if (!llvm::isa<llvm::StoreInst>(first)) continue;
        for (const auto& [access, partner] : partners_) {
            if (access == first || others.at(access).size() != count) continue;
            // Both lists are by element.
            const std::size_t element =
                llvm::find(others.at(first), other) - others.at(first).begin();
            if (partner != others.at(access)[element]) continue;
            if (access->comesBefore(first) != partner->comesBefore(other)) return false;
        }
    }
    return llvm::all_of(accesses, [&](Instruction* one) { return others[one].size() == count; });
}

void ThreadElements::align(Instruction& first, Instruction& copy) const {
    llvm::Align least = llvm::getLoadStoreAlignment(&first);
    for (const auto& [access, partner] : partners_) {
        if (access == &first) least = std::min(least, llvm::getLoadStoreAlignment(partner));
    }
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&copy)) load->setAlignment(least);
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&copy)) store->setAlignment(least);
}

bool ThreadElements::are_apart() {
    for (const auto& array : stores_) {
        const auto written = sums.of(array[0]->getPointerOperand());
        const std::int64_t step = written->step / count, size = bytes(*array[0]);
        for (Instruction* access : accesses) {
            const auto sum = sums.of(address_of(*access));
            if (!sum || sum->step < 0 || sum->step % count != 0) return false;
            if (access == array[0]) continue;
            if (sum->terms != written->terms || sum->step != written->step) {
                to_ask.emplace_back(array[0], access);
                continue;
            }
            const std::int64_t distance = sum->number - written->number;
            for (std::int64_t other = 1; other < count; ++other) {
                for (std::int64_t at : {distance + other * step, distance - other * step}) {
                    if (at < size && at > -bytes(*access)) return false;
                }
            }
        }
    }
    return true;
}

}  // namespace warpwise::cpu_compiler::gang
