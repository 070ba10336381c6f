// Which divisions are meant, and what takes their place.
#include "src/backends/cpu/compiler/gang/passes/reciprocal_roots.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>

#include <vector>

namespace warpwise::cpu_compiler::gang {
namespace {

constexpr unsigned kLanes = 16;       // only operations on whole registers name their rounding
constexpr unsigned kUpwards = 2 | 8;  // as in the instruction; without exceptions
constexpr unsigned kZeroOrInfinity = 0x02 | 0x04 | 0x08 | 0x10;

bool is_meant(llvm::Instruction& instruction) {
    using namespace llvm::PatternMatch;
    auto* type = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
    return type != nullptr && type->getNumElements() == kLanes &&
           type->getElementType()->isFloatTy() &&
           match(&instruction, m_FDiv(m_FPOne(), m_Intrinsic<llvm::Intrinsic::sqrt>(m_Value())));
}

class Refinement {
  public:
    explicit Refinement(llvm::Instruction& division)
        : builder_(&division), type_(division.getType()), root_(division.getOperand(1)) {}

    llvm::Value* reciprocal() {
        llvm::Value* estimate = builder_.CreateIntrinsic(
            llvm::Intrinsic::x86_avx512_rcp14_ps_512, {},
            {root_, llvm::Constant::getNullValue(type_), builder_.getInt16(0xffff)});
        llvm::Value* above = builder_.CreateIntrinsic(
            llvm::Intrinsic::x86_avx512_vfmadd_ps_512, {},
            {estimate, error_of(estimate), estimate, builder_.getInt32(kUpwards)});
        llvm::Value* nearest = builder_.CreateIntrinsic(llvm::Intrinsic::fma, {type_},
                                                        {above, error_of(above), above});
        llvm::Value* is_exact =
            builder_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_fpclass_ps_512, {},
                                     {estimate, builder_.getInt32(kZeroOrInfinity)});
        return builder_.CreateSelect(is_exact, estimate, nearest);
    }

  private:
    llvm::Value* error_of(llvm::Value* reciprocal) {
        return builder_.CreateIntrinsic(
            llvm::Intrinsic::fma, {type_},
            {builder_.CreateFNeg(root_), reciprocal, llvm::ConstantFP::get(type_, 1.0)});
    }

    llvm::IRBuilder<> builder_;
    llvm::Type* type_;
    llvm::Value* root_;
};

}  // namespace

void refine_reciprocal_roots(llvm::Function& gang) {
    std::vector<llvm::Instruction*> divisions;
    for (llvm::Instruction& instruction : llvm::instructions(gang)) {
        if (is_meant(instruction)) divisions.push_back(&instruction);
    }
    for (llvm::Instruction* division : divisions) {
        llvm::Value* reciprocal = Refinement(*division).reciprocal();
        reciprocal->takeName(division);
        division->replaceAllUsesWith(reciprocal);
        division->eraseFromParent();
    }
}

}  // namespace warpwise::cpu_compiler::gang
