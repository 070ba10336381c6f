// Indices that were read and may count from the end, as Python's do: x[i < 0 ? i + n : i]. Hardly
// any does, so the sum has a block of its own, behind a branch that asks all lanes at once. As a
// selection it stands between an index and the access that waits for it, in chains of loads at each
// link; of 64 bits it is two or three operations a lane.
//
// Indices that are computed of the threads' numbers stay as they are: their lanes may be
// neighbours, which emit/memory/computed_place.hpp sees through selections.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include "src/backends/cpu/compiler/gang/analysis/shape.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Instruction;
using llvm::Value;

const Value* before_widening(const Value* value) {
    auto* widening = llvm::dyn_cast<llvm::SExtInst>(value);
    return widening != nullptr ? widening->getOperand(0) : value;
}

bool is_index(const Value* value, const Value* tested) {
    return value->getType()->isIntegerTy(64) && before_widening(value) == before_widening(tested);
}

// The address of one access, base + selection + index in either order.
struct Address {
    llvm::GetElementPtrInst* address = nullptr;
    llvm::GetElementPtrInst* first = nullptr;  // of base and one of the two
};

struct Wrap {
    llvm::SelectInst* selection = nullptr;  // negative ? length : 0, or the index itself
    Value* tested = nullptr;
    Value* length = nullptr;
    Instruction* index = nullptr;  // of the type of what is tested; or, of 64 bits:
    llvm::SmallVector<Address, 2> addresses;
};

bool is_plain(const llvm::GetElementPtrInst& address, const llvm::Type& element) {
    return address.getNumIndices() == 1 && address.getSourceElementType() == &element;
}

// Empty where the selection has other uses.
llvm::SmallVector<Address, 2> addresses_of(llvm::SelectInst& selection, const Value* tested) {
    llvm::SmallVector<Address, 2> found;
    for (llvm::User* user : selection.users()) {
        auto* inner = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
        if (inner == nullptr || inner->getNumIndices() != 1) return {};
        const llvm::Type& element = *inner->getSourceElementType();
        auto* before = llvm::dyn_cast<llvm::GetElementPtrInst>(inner->getPointerOperand());
        if (before && is_plain(*before, element) && is_index(before->getOperand(1), tested)) {
            found.push_back({inner, before});
            continue;
        }
        auto* outer = inner->hasOneUse()
                          ? llvm::dyn_cast<llvm::GetElementPtrInst>(inner->user_back())
                          : nullptr;
        const bool is_outer = outer && outer->getPointerOperand() == inner &&
                              is_plain(*outer, element) && is_index(outer->getOperand(1), tested);
        if (!is_outer) return {};
        found.push_back({outer, inner});
    }
    return found;
}

// The index, tested + selection, where that is the only use; else null.
Instruction* sum_of(llvm::SelectInst& selection, const Value* tested) {
    using namespace llvm::PatternMatch;
    Instruction* sum = selection.hasOneUse() ? selection.user_back() : nullptr;
    const bool is_sum = sum && match(sum, m_c_Add(m_Specific(&selection), m_Specific(tested)));
    return is_sum ? sum : nullptr;
}

// In this turn of a loop or in the one before.
bool was_read(const Value* value) {
    auto* joined = llvm::dyn_cast<llvm::PHINode>(value);
    if (joined == nullptr) return llvm::isa<llvm::LoadInst>(value);
    return llvm::any_of(joined->incoming_values(),
                        [](const Value* one) { return llvm::isa<llvm::LoadInst>(one); });
}

std::optional<Wrap> wrap_of(Instruction& instruction, const Shapes& shapes) {
    using namespace llvm::PatternMatch;
    Value *tested = nullptr, *length = nullptr;
    llvm::ICmpInst::Predicate predicate{};
    const auto test = m_ICmp(predicate, m_Value(tested), m_Zero());
    const bool is_index =
        match(&instruction,
              m_Select(test, m_c_Add(m_Deferred(tested), m_Value(length)), m_Deferred(tested)));
    const bool is_wrap = is_index || match(&instruction, m_Select(test, m_Value(length), m_Zero()));
    if (!is_wrap || predicate != llvm::ICmpInst::ICMP_SLT) return std::nullopt;
    if (!was_read(before_widening(tested)) || shapes.of(tested).has_scalars()) return std::nullopt;
    if (!shapes.of(length).is_uniform()) return std::nullopt;
    auto& selection = llvm::cast<llvm::SelectInst>(instruction);
    Wrap wrap{&selection, tested, length, is_index ? &selection : sum_of(selection, tested), {}};
    if (wrap.index != nullptr) return wrap;
    if (selection.getType()->isIntegerTy(64)) wrap.addresses = addresses_of(selection, tested);
    if (wrap.addresses.empty()) return std::nullopt;
    return wrap;
}

// What stands at the selection's place: the index, from the end where it is negative.
Value* index_of(const Wrap& wrap) {
    llvm::SelectInst* selection = wrap.selection;
    llvm::IRBuilder<> builder(selection);
    Value* index = builder.CreateSExt(wrap.tested, selection->getType());
    Value* is_negative = builder.CreateFreeze(selection->getCondition());
    llvm::BasicBlock* head = selection->getParent();
    Instruction* end = llvm::SplitBlockAndInsertIfThen(
        is_negative, selection, /*Unreachable=*/false,
        llvm::MDBuilder(selection->getContext()).createBranchWeights(1, costs::kUsually));
    builder.SetInsertPoint(end);
    Value* from_end = builder.CreateAdd(index, wrap.length);
    builder.SetInsertPoint(selection->getParent(), selection->getParent()->begin());
    llvm::PHINode* joined = builder.CreatePHI(selection->getType(), 2);
    joined->addIncoming(index, head);
    joined->addIncoming(from_end, end->getParent());
    return joined;
}

void split(const Wrap& wrap) {
    Value* index = index_of(wrap);
    if (wrap.index != nullptr) {
        wrap.index->replaceAllUsesWith(index);
        llvm::RecursivelyDeleteTriviallyDeadInstructions(wrap.index);
        return;
    }
    for (const auto& [address, first] : wrap.addresses) {
        llvm::IRBuilder<> builder(address);
        Value* made =
            builder.CreateGEP(address->getSourceElementType(), first->getPointerOperand(), index);
        address->replaceAllUsesWith(made);
    }
    for (const Address& one : wrap.addresses) {
        llvm::RecursivelyDeleteTriviallyDeadInstructions(one.address);
    }
}

}  // namespace

PreservedAnalyses split_wraps(llvm::Function& kernel, GangContext& context) {
    const bool has_one = llvm::any_of(llvm::instructions(kernel), [](const Instruction& one) {
        return llvm::isa<llvm::SelectInst>(one) && one.getType()->isIntegerTy();
    });
    if (!has_one) return PreservedAnalyses::all();
    const Shapes& shapes = *context.analysis(kernel, context.layout).shapes;
    llvm::SmallVector<Wrap, 4> found;
    for (Instruction& instruction : llvm::instructions(kernel)) {
        if (auto wrap = wrap_of(instruction, shapes)) found.push_back(*wrap);
    }
    for (const Wrap& wrap : found) split(wrap);
    return found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
