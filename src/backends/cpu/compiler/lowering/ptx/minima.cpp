// Minima and maxima as PTX has them, of what LLVM leaves open or has no code for.
//
// Of two zeros the negative one is the smaller: LLVM's minnum may give either, and x86's
// instruction gives its second operand. After vectorisation, so that all executors get the same.
//
// 16-bit floats: LLVM shrinks minima of float to them when all around is 16 bits wide, and x86 has
// only calls of the C library for them. They are done in float, which is exact.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <utility>
#include <vector>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"

namespace warpwise::cpu_compiler {
namespace {

using llvm::Value;

bool is_narrow_minimum(const llvm::IntrinsicInst& call) {
    if (!call.getType()->getScalarType()->isHalfTy()) return false;
    switch (call.getIntrinsicID()) {
        case llvm::Intrinsic::minnum:
        case llvm::Intrinsic::maxnum:
        case llvm::Intrinsic::minimum:
        case llvm::Intrinsic::maximum:
            return true;
        default:
            return false;
    }
}

void widen(llvm::IntrinsicInst& call) {
    llvm::IRBuilder<> builder(&call);
    llvm::Type* wide = call.getType()->getWithNewType(builder.getFloatTy());
    Value* result = builder.CreateBinaryIntrinsic(call.getIntrinsicID(),
                                                  builder.CreateFPExt(call.getArgOperand(0), wide),
                                                  builder.CreateFPExt(call.getArgOperand(1), wide));
    call.replaceAllUsesWith(builder.CreateFPTrunc(result, call.getType()));
    call.eraseFromParent();
}

bool is_number_minimum(const llvm::IntrinsicInst& call) {
    const llvm::Intrinsic::ID id = call.getIntrinsicID();
    return (id == llvm::Intrinsic::minnum || id == llvm::Intrinsic::maxnum) &&
           !call.hasNoSignedZeros();
}

// Whether one operand may be a zero of one sign and the other that of the other.
bool may_have_both_zeros(const llvm::IntrinsicInst& call) {
    const llvm::DataLayout& target = call.getModule()->getDataLayout();
    const auto first = llvm::computeKnownFPClass(call.getArgOperand(0), target, llvm::fcZero);
    const auto second = llvm::computeKnownFPClass(call.getArgOperand(1), target, llvm::fcZero);
    return (!first.isKnownNever(llvm::fcNegZero) && !second.isKnownNever(llvm::fcPosZero)) ||
           (!first.isKnownNever(llvm::fcPosZero) && !second.isKnownNever(llvm::fcNegZero));
}

// max(x, 0) is x where that is greater, else 0, also of NaN: one instruction of x86's. So is
// min(x, -0).
Value* with_constant_zero(llvm::IRBuilder<>& builder, const llvm::IntrinsicInst& call) {
    const bool is_max = call.getIntrinsicID() == llvm::Intrinsic::maxnum;
    Value* x = call.getArgOperand(0);
    Value* zero = call.getArgOperand(1);
    if (llvm::isa<llvm::Constant>(x)) std::swap(x, zero);
    const bool is_that = is_max
                             ? llvm::PatternMatch::match(zero, llvm::PatternMatch::m_PosZeroFP())
                             : llvm::PatternMatch::match(zero, llvm::PatternMatch::m_NegZeroFP());
    if (!is_that) return nullptr;
    Value* is_beyond = is_max ? builder.CreateFCmpOGT(x, zero) : builder.CreateFCmpOLT(x, zero);
    return builder.CreateSelect(is_beyond, x, zero);
}

// Equal numbers have equal bits, but for zeros.
Value* with_bits_of_equals(llvm::IRBuilder<>& builder, llvm::IntrinsicInst& call) {
    Value *x = call.getArgOperand(0), *y = call.getArgOperand(1);
    llvm::Type* type = call.getType();
    llvm::Type* bits = type->getWithNewType(builder.getIntNTy(type->getScalarSizeInBits()));
    Value *x_bits = builder.CreateBitCast(x, bits), *y_bits = builder.CreateBitCast(y, bits);
    const bool is_max = call.getIntrinsicID() == llvm::Intrinsic::maxnum;
    Value* both = is_max ? builder.CreateAnd(x_bits, y_bits) : builder.CreateOr(x_bits, y_bits);
    Value* usual = builder.Insert(call.clone());
    return builder.CreateSelect(builder.CreateFCmpOEQ(x, y), builder.CreateBitCast(both, type),
                                usual);
}

void define_zeros(llvm::IntrinsicInst& call) {
    llvm::IRBuilder<> builder(&call);
    Value* result = with_constant_zero(builder, call);
    if (result == nullptr) result = with_bits_of_equals(builder, call);
    call.replaceAllUsesWith(result);
    call.eraseFromParent();
}

template <class Is>
std::vector<llvm::IntrinsicInst*> calls_that(llvm::Module& module, Is&& is) {
    std::vector<llvm::IntrinsicInst*> calls;
    for (llvm::Function& function : module) {
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
            auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
            if (call && is(*call)) calls.push_back(call);
        }
    }
    return calls;
}

}  // namespace

void define_minima(Lowering& job) {
    for (llvm::IntrinsicInst* call : calls_that(job.module, is_narrow_minimum)) widen(*call);
    const auto is_open = [](const llvm::IntrinsicInst& call) {
        return is_number_minimum(call) && may_have_both_zeros(call);
    };
    for (llvm::IntrinsicInst* call : calls_that(job.module, is_open)) define_zeros(*call);
}

}  // namespace warpwise::cpu_compiler
