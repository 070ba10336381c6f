// Whole parts of floating-point numbers that have 64 bits, as Python's int(x) has, and are used
// where a comparison has shown that they are small: `if 0 <= at < 64`. With 32 bits they saturate,
// which such comparisons do not notice. Vectors of doubles and of 32 bits are converted by one
// instruction; to 64 bits, lane by lane without AVX-512.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <limits>
#include <optional>

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::CmpInst;
using llvm::Instruction;
using llvm::Value;

constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

struct Conversion {
    llvm::IntrinsicInst* call = nullptr;
    llvm::SelectInst* selection = nullptr;  // no number ? the least : call; may be null
    llvm::SmallVector<llvm::ICmpInst*, 4> comparisons;
    llvm::SmallVector<llvm::Use*, 4> uses;  // where it is natural and has 31 bits
};

Instruction& value_of(const Conversion& conversion) {
    if (conversion.selection) return *conversion.selection;
    return *conversion.call;
}

// Whether numbers beyond the limits compare as the limits do.
bool saturates(const llvm::ICmpInst& comparison) {
    auto* constant = llvm::dyn_cast<llvm::ConstantInt>(comparison.getOperand(1));
    if (!constant) return false;
    const std::int64_t number = constant->getSExtValue();
    const bool is_above_least = number > kLeast && number <= kMost;
    const bool is_below_most = number >= kLeast && number < kMost;
    switch (comparison.getPredicate()) {
        case CmpInst::ICMP_SLT:
            return is_above_least;
        case CmpInst::ICMP_SGT:
            return is_below_most;
        case CmpInst::ICMP_EQ:
        case CmpInst::ICMP_NE:
            return is_above_least && is_below_most;
        case CmpInst::ICMP_ULT:
            return number >= 0 && number <= kMost;
        case CmpInst::ICMP_UGT:
            return number >= 0 && number < kMost;
        default:
            return false;
    }
}

bool implies_small(const Value* condition, const Value* value) {
    using llvm::PatternMatch::m_LogicalAnd;
    using llvm::PatternMatch::m_Value;
    const Value *first = nullptr, *second = nullptr;
    if (llvm::PatternMatch::match(condition, m_LogicalAnd(m_Value(first), m_Value(second)))) {
        return implies_small(first, value) || implies_small(second, value);
    }
    auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(condition);
    return comparison && comparison->getOperand(0) == value &&
           comparison->getPredicate() == CmpInst::ICMP_ULT && saturates(*comparison);
}

// Whether it is natural and has 31 bits at that use.
bool is_small_at(const llvm::Use& use, const Value* value, const llvm::DominatorTree& tree) {
    auto* user = llvm::cast<Instruction>(use.getUser());
    const llvm::BasicBlock* block = user->getParent();
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) block = phi->getIncomingBlock(use);
    for (const llvm::DomTreeNode* node = tree.getNode(block); node != nullptr;
         node = node->getIDom()) {
        const llvm::BasicBlock* before = node->getBlock()->getSinglePredecessor();
        auto* branch = before ? llvm::dyn_cast<llvm::BranchInst>(before->getTerminator()) : nullptr;
        if (branch && branch->isConditional() &&
            branch->getSuccessor(0) != branch->getSuccessor(1) &&
            branch->getSuccessor(0) == node->getBlock() &&
            implies_small(branch->getCondition(), value)) {
            return true;
        }
    }
    return false;
}

llvm::SelectInst* selection_of(llvm::IntrinsicInst& call) {
    using namespace llvm::PatternMatch;
    auto* selection =
        call.hasOneUse() ? llvm::dyn_cast<llvm::SelectInst>(call.user_back()) : nullptr;
    const bool is_without_number =
        selection && selection->getFalseValue() == &call &&
        match(selection->getTrueValue(), m_SpecificInt(llvm::APInt::getSignedMinValue(64)));
    return is_without_number ? selection : nullptr;
}

std::optional<Conversion> conversion_of(Instruction& instruction, const llvm::DominatorTree& tree) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    const bool converts = call && call->getIntrinsicID() == llvm::Intrinsic::fptosi_sat &&
                          call->getType()->isIntegerTy(64);
    if (!converts) return std::nullopt;
    Conversion found{call, selection_of(*call), {}, {}};
    Instruction& value = value_of(found);
    for (llvm::Use& use : value.uses()) {
        auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(use.getUser());
        if (comparison && use.getOperandNo() == 0 && saturates(*comparison)) {
            found.comparisons.push_back(comparison);
        } else if (is_small_at(use, &value, tree)) {
            found.uses.push_back(&use);
        } else {
            return std::nullopt;
        }
    }
    if (found.comparisons.empty()) return std::nullopt;
    return found;
}

void narrow(const Conversion& conversion) {
    Instruction& value = value_of(conversion);
    llvm::IRBuilder<> builder(&value);
    llvm::Type* type = builder.getInt32Ty();
    Value* from = conversion.call->getArgOperand(0);
    Value* made =
        builder.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {type, from->getType()}, {from});
    if (conversion.selection) {
        Value* least = builder.getInt(llvm::APInt::getSignedMinValue(32));
        made = builder.CreateSelect(conversion.selection->getCondition(), least, made);
    }
    if (!conversion.uses.empty()) {
        Value* wide = builder.CreateZExt(made, value.getType());
        for (llvm::Use* use : conversion.uses) use->set(wide);
    }
    for (llvm::ICmpInst* comparison : conversion.comparisons) {
        auto* number = llvm::cast<llvm::ConstantInt>(comparison->getOperand(1));
        builder.SetInsertPoint(comparison);
        Value* narrowed = builder.CreateICmp(comparison->getPredicate(), made,
                                             builder.getInt(number->getValue().trunc(32)));
        comparison->replaceAllUsesWith(narrowed);
        comparison->eraseFromParent();
    }
    value.eraseFromParent();
    if (conversion.selection) conversion.call->eraseFromParent();
}

}  // namespace

PreservedAnalyses narrow_conversions(llvm::Function& kernel, GangContext& context) {
    llvm::SmallVector<Conversion, 4> found;
    for (Instruction& instruction : llvm::instructions(kernel)) {
        if (auto conversion = conversion_of(instruction, context.dominators(kernel))) {
            found.push_back(std::move(*conversion));
        }
    }
    for (const Conversion& conversion : found) narrow(conversion);
    return found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
