// Floating-point numbers to integers as PTX converts them: what is out of range becomes the nearest
// limit. Fewer than 32 bits are converted to 32 and then cut. NaN becomes 0 when neither side has
// 64 bits, else the number with the highest bit alone. Seen on an H200 for all pairs of types. Runs
// before any optimisation, which may put anything in the place of such a conversion.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/scalar/mathematics.hpp"

namespace warpwise::cpu_compiler {
namespace {

constexpr unsigned kLeastBits = 32;
constexpr unsigned kMostBits = 64;

bool is_conversion(const llvm::Instruction& instruction) {
    return llvm::isa<llvm::FPToSIInst, llvm::FPToUIInst>(instruction) &&
           instruction.getType()->getScalarSizeInBits() <= kMostBits;
}

void define(llvm::CastInst& conversion) {
    llvm::IRBuilder<> builder(&conversion);
    llvm::Value* number = conversion.getOperand(0);
    const bool is_signed = conversion.getOpcode() == llvm::Instruction::FPToSI;
    const unsigned target = conversion.getType()->getScalarSizeInBits();
    llvm::Type* type = builder.getIntNTy(target <= kLeastBits ? kLeastBits : kMostBits);
    llvm::Value* result = builder.CreateIntrinsic(
        is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
        {type, number->getType()}, {number});
    if (number->getType()->isDoubleTy() || target > kLeastBits) {
        llvm::Value* highest = llvm::ConstantInt::get(
            type, llvm::APInt::getSignedMinValue(type->getScalarSizeInBits()));
        result = builder.CreateSelect(builder.CreateFCmpUNO(number, number), highest, result);
    }
    result = builder.CreateTrunc(result, conversion.getType());
    result->takeName(&conversion);
    conversion.replaceAllUsesWith(result);
    conversion.eraseFromParent();
}

}  // namespace

void define_conversions(Lowering& job) {
    for (llvm::Function& function : job.module) {
        if (is_own_mathematics(function)) continue;
        for (llvm::Instruction& instruction :
             llvm::make_early_inc_range(llvm::instructions(function))) {
            if (is_conversion(instruction)) define(llvm::cast<llvm::CastInst>(instruction));
        }
    }
}

}  // namespace warpwise::cpu_compiler
