// 1 / sqrt(x) without a division, and with the same bits: the processor's divider, which takes
// roots and quotients one after the other, is left with the roots.
//
// The reciprocal of a root is refined from the processor's estimate by Newton's steps with fused
// operations: one for a float, two for a double, whose error is then below 2^-28 and 2^-56, an
// eighth of a unit in the last place. Markstein's theorem (P. Markstein, "IA-64 and Elementary
// Functions", 2000, section 8.3) makes one step more exact: where y is less than one unit in the
// last place from 1 / s, y + y (1 - s y) rounds to the nearest, but for an s whose fraction is all
// ones, which needs y from above. So the step before rounds upwards. A root is neither subnormal
// nor large enough for its reciprocal to be: only 0, infinity and NaN are beside this, and the
// estimate is right there.
//
// Which divisions are replaced, and by what.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

#include <llvm/ADT/Sequence.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <vector>

namespace warpwise::cpu_compiler::gang {
namespace {

bool is_replaced(llvm::Instruction& instruction, const TargetTraits& target) {
    using namespace llvm::PatternMatch;
    auto* type = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
    if (type == nullptr) return false;
    const unsigned lanes = target.reciprocal_lanes(*type->getElementType());
    return lanes != 0 && type->getNumElements() % lanes == 0 &&
           match(&instruction, m_FDiv(m_FPOne(), m_Intrinsic<llvm::Intrinsic::sqrt>(m_Value())));
}

// The reciprocal of one vector of roots.
class Refinement {
  public:
    Refinement(llvm::IRBuilder<>& builder, const TargetTraits& target, llvm::Value* root)
        : builder_(builder), target_(target), root_(root) {}

    llvm::Value* reciprocal() {
        llvm::Value* estimate = target_.reciprocal_estimate(builder_, root_);
        llvm::Value* start = type()->getScalarType()->isDoubleTy() ? refined(estimate) : estimate;
        llvm::Value* above = target_.fma_upwards(builder_, start, error_of(start), start);
        llvm::Value* is_exact = target_.is_zero_or_infinite(builder_, estimate);
        return builder_.CreateSelect(is_exact, estimate, refined(above));
    }

  private:
    llvm::Type* type() const { return root_->getType(); }

    llvm::Value* error_of(llvm::Value* reciprocal) {
        return fma(builder_.CreateFNeg(root_), reciprocal, llvm::ConstantFP::get(type(), 1.0));
    }

    llvm::Value* refined(llvm::Value* reciprocal) {
        return fma(reciprocal, error_of(reciprocal), reciprocal);
    }

    llvm::Value* fma(llvm::Value* left, llvm::Value* right, llvm::Value* addend) {
        return builder_.CreateIntrinsic(llvm::Intrinsic::fma, {type()}, {left, right, addend});
    }

    llvm::IRBuilder<>& builder_;
    const TargetTraits& target_;
    llvm::Value* root_;
};

// As many lanes at a time as the target's operations take.
llvm::Value* reciprocal_of(llvm::Instruction& division, const TargetTraits& target) {
    llvm::IRBuilder<> builder(&division);
    llvm::Value* root = division.getOperand(1);
    auto* type = llvm::cast<llvm::FixedVectorType>(root->getType());
    const unsigned all = type->getNumElements();
    const unsigned lanes = target.reciprocal_lanes(*type->getElementType());
    if (lanes == all) return Refinement(builder, target, root).reciprocal();
    llvm::SmallVector<llvm::Value*, 4> parts;
    for (unsigned first = 0; first < all; first += lanes) {
        const auto of_part =
            llvm::to_vector(llvm::seq(static_cast<int>(first), static_cast<int>(first + lanes)));
        llvm::Value* part = builder.CreateShuffleVector(root, of_part);
        parts.push_back(Refinement(builder, target, part).reciprocal());
    }
    return llvm::concatenateVectors(builder, parts);
}

}  // namespace

PreservedAnalyses refine_reciprocal_roots(llvm::Function& gang, GangContext& context) {
    std::vector<llvm::Instruction*> divisions;
    for (llvm::Instruction& instruction : llvm::instructions(gang)) {
        if (is_replaced(instruction, *context.target)) divisions.push_back(&instruction);
    }
    for (llvm::Instruction* division : divisions) {
        llvm::Value* reciprocal = reciprocal_of(*division, *context.target);
        reciprocal->takeName(division);
        division->replaceAllUsesWith(reciprocal);
        division->eraseFromParent();
    }
    return divisions.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
