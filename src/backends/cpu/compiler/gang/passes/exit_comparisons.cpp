// Comparisons of what a loop has counted with what all lanes share, `k < n` behind
// `while (k < n && x[k] != key) ++k`, where lanes leave the loop: there the count is still the same
// for all, and a bit a lane is kept, not a number.
//
// One comparison of scalars more for each exit and iteration.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>

#include <optional>
#include <utility>

#include "src/backends/cpu/compiler/gang/analysis/uniformity.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Value;

class Exits {
  public:
    Exits(const Uniformity& uniformity, const llvm::DominatorTree& tree)
        : uniformity_(uniformity), tree_(tree) {}

    // A phi where lanes leave a loop at different times, with what all in it have in common, and
    // that is only compared.
    bool is_count(const llvm::PHINode& phi, const llvm::Loop& loop) const;
    void compare(llvm::PHINode& phi) const;

  private:
    bool is_comparison(const llvm::User& user, const llvm::PHINode& phi,
                       const llvm::Loop& loop) const;

    const Uniformity& uniformity_;
    const llvm::DominatorTree& tree_;
};

bool Exits::is_comparison(const llvm::User& user, const llvm::PHINode& phi,
                          const llvm::Loop& loop) const {
    auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&user);
    if (!comparison) return false;
    const bool is_first = comparison->getOperand(0) == &phi;
    const Value* other = comparison->getOperand(is_first ? 1 : 0);
    if (other == &phi || !uniformity_.is_uniform(*other)) return false;
    auto* computed = llvm::dyn_cast<llvm::Instruction>(other);
    return !computed || tree_.dominates(computed, loop.getHeader());
}

bool Exits::is_count(const llvm::PHINode& phi, const llvm::Loop& loop) const {
    if (!phi.getType()->isIntegerTy() || phi.use_empty() || uniformity_.is_uniform(phi)) {
        return false;
    }
    const bool is_shared = llvm::all_of(
        phi.incoming_values(), [&](const Value* value) { return uniformity_.is_uniform(*value); });
    return is_shared && llvm::all_of(phi.users(), [&](const llvm::User* user) {
               return is_comparison(*user, phi, loop);
           });
}

void Exits::compare(llvm::PHINode& phi) const {
    const llvm::DataLayout& data = phi.getDataLayout();
    llvm::SmallVector<llvm::ICmpInst*, 2> comparisons;
    for (llvm::User* user : phi.users()) comparisons.push_back(llvm::cast<llvm::ICmpInst>(user));
    for (llvm::ICmpInst* comparison : comparisons) {
        const bool is_first = comparison->getOperand(0) == &phi;
        Value* other = comparison->getOperand(is_first ? 1 : 0);
        const llvm::CmpInst::Predicate predicate =
            is_first ? comparison->getPredicate() : comparison->getSwappedPredicate();
        llvm::IRBuilder<> builder(&phi);
        llvm::PHINode* result =
            builder.CreatePHI(comparison->getType(), phi.getNumIncomingValues());
        for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
            Value* count = phi.getIncomingValue(i);
            llvm::Instruction* end = phi.getIncomingBlock(i)->getTerminator();
            const std::optional<bool> known =
                llvm::isImpliedByDomCondition(predicate, count, other, end, data);
            builder.SetInsertPoint(end);
            Value* value =
                known ? builder.getInt1(*known) : builder.CreateICmp(predicate, count, other);
            result->addIncoming(value, phi.getIncomingBlock(i));
        }
        comparison->replaceAllUsesWith(result);
        comparison->eraseFromParent();
    }
    phi.eraseFromParent();
}

}  // namespace

PreservedAnalyses compare_at_exits(llvm::Function& kernel, GangContext& context) {
    llvm::SmallVector<std::pair<llvm::PHINode*, const llvm::Loop*>, 4> candidates;
    for (const llvm::Loop* loop : context.loops(kernel).getLoopsInPreorder()) {
        llvm::SmallVector<llvm::BasicBlock*, 4> exits;
        loop->getUniqueExitBlocks(exits);
        for (llvm::BasicBlock* exit : exits) {
            for (llvm::PHINode& phi : exit->phis()) {
                const bool is_compared = llvm::all_of(phi.users(), llvm::IsaPred<llvm::ICmpInst>);
                if (is_compared) candidates.emplace_back(&phi, loop);
            }
        }
    }
    if (candidates.empty()) return PreservedAnalyses::all();
    const Uniformity& uniformity = *context.analysis(kernel, context.layout_in_rows()).uniformity;
    const Exits exits(uniformity, context.dominators(kernel));
    llvm::erase_if(candidates, [&](auto& one) { return !exits.is_count(*one.first, *one.second); });
    // Several loops may have an exit in common.
    llvm::SmallPtrSet<const llvm::PHINode*, 4> compared;
    for (auto& [phi, loop] : candidates) {
        if (compared.insert(phi).second) exits.compare(*phi);
    }
    return candidates.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
