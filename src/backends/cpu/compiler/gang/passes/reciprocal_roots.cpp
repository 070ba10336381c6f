// 1 / sqrt(x) without a division, and with the same bits: the processor's divider, which takes
// roots and quotients one after the other, is left with the roots.
//
// The reciprocal of a root is refined from the processor's estimate by Newton's steps with fused
// operations. Markstein's theorem (P. Markstein, "IA-64 and Elementary Functions", 2000, section
// 8.3) makes the last one exact: where y is less than one unit in the last place from 1 / s,
// y + y (1 - s y) rounds to the nearest, but for an s whose fraction is all ones, which needs y
// from above. So the step before rounds upwards. A root of a float is neither subnormal nor large
// enough for its reciprocal to be: only 0, infinity and NaN are beside this, and the estimate is
// right there.
//
// Which divisions are meant, and what takes their place.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <vector>

namespace warpwise::cpu_compiler::gang {
namespace {

bool is_meant(llvm::Instruction& instruction, const TargetTraits& target) {
    using namespace llvm::PatternMatch;
    auto* type = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
    return type != nullptr && target.has_reciprocal_estimate(*type) &&
           match(&instruction, m_FDiv(m_FPOne(), m_Intrinsic<llvm::Intrinsic::sqrt>(m_Value())));
}

class Refinement {
  public:
    Refinement(llvm::Instruction& division, const TargetTraits& target)
        : builder_(&division),
          target_(target),
          type_(division.getType()),
          root_(division.getOperand(1)) {}

    llvm::Value* reciprocal() {
        llvm::Value* estimate = target_.reciprocal_estimate(builder_, root_);
        llvm::Value* above = target_.fma_upwards(builder_, estimate, error_of(estimate), estimate);
        llvm::Value* nearest = builder_.CreateIntrinsic(llvm::Intrinsic::fma, {type_},
                                                        {above, error_of(above), above});
        llvm::Value* is_exact = target_.is_zero_or_infinite(builder_, estimate);
        return builder_.CreateSelect(is_exact, estimate, nearest);
    }

  private:
    llvm::Value* error_of(llvm::Value* reciprocal) {
        return builder_.CreateIntrinsic(
            llvm::Intrinsic::fma, {type_},
            {builder_.CreateFNeg(root_), reciprocal, llvm::ConstantFP::get(type_, 1.0)});
    }

    llvm::IRBuilder<> builder_;
    const TargetTraits& target_;
    llvm::Type* type_;
    llvm::Value* root_;
};

}  // namespace

PreservedAnalyses refine_reciprocal_roots(llvm::Function& gang, GangContext& context) {
    std::vector<llvm::Instruction*> divisions;
    for (llvm::Instruction& instruction : llvm::instructions(gang)) {
        if (is_meant(instruction, *context.target)) divisions.push_back(&instruction);
    }
    for (llvm::Instruction* division : divisions) {
        llvm::Value* reciprocal = Refinement(*division, *context.target).reciprocal();
        reciprocal->takeName(division);
        division->replaceAllUsesWith(reciprocal);
        division->eraseFromParent();
    }
    return divisions.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
