// Floating-point numbers to integers as PTX converts them: what is out of range becomes the nearest
// limit. Fewer than 32 bits are converted to 32 and then cut. NaN becomes 0 when neither side has
// 64 bits, else the number with the highest bit alone. Seen on an H200 for all pairs of types. Runs
// before any optimisation, which may put anything in the place of such a conversion.
//
// Of vectors, LLVM has no code for conversions with limits but one lane after the other. After
// vectorisation they become plain ones, of what was clamped before.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cmath>

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

bool is_limited_of_vectors(const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (call == nullptr || !call->getType()->isVectorTy()) return false;
    const llvm::Intrinsic::ID id = call->getIntrinsicID();
    if (id != llvm::Intrinsic::fptosi_sat && id != llvm::Intrinsic::fptoui_sat) return false;
    const llvm::Type* number = call->getArgOperand(0)->getType()->getScalarType();
    const unsigned bits = call->getType()->getScalarSizeInBits();
    return (number->isFloatTy() || number->isDoubleTy()) &&
           (bits == kLeastBits || bits == kMostBits);
}

// The lower limit and what lies one above the upper one are powers of two, or 0: exact in `number`.
void expand(llvm::IntrinsicInst& call) {
    llvm::IRBuilder<> builder(&call);
    llvm::Value* number = call.getArgOperand(0);
    llvm::Type* type = call.getType();
    const unsigned bits = type->getScalarSizeInBits();
    const bool is_signed = call.getIntrinsicID() == llvm::Intrinsic::fptosi_sat;
    const int value_bits = static_cast<int>(is_signed ? bits - 1 : bits);
    llvm::Value* least =
        llvm::ConstantFP::get(number->getType(), is_signed ? -std::ldexp(1.0, value_bits) : 0.0);
    llvm::Value* beyond = llvm::ConstantFP::get(number->getType(), std::ldexp(1.0, value_bits));
    llvm::Value* most = llvm::ConstantInt::get(
        type, is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits));
    // NaN becomes the lower limit here, which is its result where that is 0.
    llvm::Value* clamped =
        builder.CreateSelect(builder.CreateFCmpOGT(number, least), number, least);
    llvm::Value* result = builder.CreateFreeze(is_signed ? builder.CreateFPToSI(clamped, type)
                                                         : builder.CreateFPToUI(clamped, type));
    result = builder.CreateSelect(builder.CreateFCmpOGE(number, beyond), most, result);
    if (is_signed) {
        llvm::Value* is_nan = builder.CreateFCmpUNO(number, number);
        result = builder.CreateSelect(is_nan, llvm::Constant::getNullValue(type), result);
    }
    result->takeName(&call);
    call.replaceAllUsesWith(result);
    call.eraseFromParent();
}

}  // namespace

void expand_vector_conversions(Lowering& job) {
    for (llvm::Function& function : job.module) {
        for (llvm::Instruction& instruction :
             llvm::make_early_inc_range(llvm::instructions(function))) {
            if (is_limited_of_vectors(instruction)) {
                expand(llvm::cast<llvm::IntrinsicInst>(instruction));
            }
        }
    }
}

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
