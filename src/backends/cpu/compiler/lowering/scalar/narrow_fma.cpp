// Fused multiply-add of 16-bit floats, for which LLVM's own expansion rounds twice: to float, then
// to 16 bits. Here the sum is first rounded to odd in a wider type: inexact results get an odd last
// bit, so that the rounding that follows sees on which side of a tie they lie.
//
// The product must be exact in the wider type: float does for half, double for bfloat, whose range
// is that of float.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"

namespace warpwise::cpu_compiler {
namespace {

using llvm::IRBuilder;
using llvm::Type;
using llvm::Value;

Type* bits_of(IRBuilder<>& b, Type* real) {
    return real->getWithNewType(b.getIntNTy(real->getScalarSizeInBits()));
}

// `rounded` is the number nearest to an exact value: where `is_inexact` it differs from that, and
// where `is_beneath` it is smaller in magnitude.
Value* to_odd(IRBuilder<>& b, Value* rounded, Value* is_inexact, Value* is_beneath) {
    Type* bits = bits_of(b, rounded->getType());
    Value* number = b.CreateBitCast(rounded, bits);
    Value* is_even = b.CreateICmpEQ(b.CreateAnd(number, llvm::ConstantInt::get(bits, 1)),
                                    llvm::ConstantInt::get(bits, 0));
    Value* step = b.CreateSelect(is_beneath, llvm::ConstantInt::get(bits, 1),
                                 llvm::ConstantInt::getAllOnesValue(bits));
    Value* moved = b.CreateBitCast(b.CreateAdd(number, step), rounded->getType());
    return b.CreateSelect(b.CreateAnd(is_inexact, is_even), moved, rounded);
}

Value* has_sign(IRBuilder<>& b, Value* value) {
    Type* bits = bits_of(b, value->getType());
    return b.CreateICmpSLT(b.CreateBitCast(value, bits), llvm::ConstantInt::get(bits, 0));
}

// x + y. Its error is exact (Knuth); it is NaN, and the sum left as it is, where that is no number.
Value* sum_to_odd(IRBuilder<>& b, Value* x, Value* y) {
    Value* sum = b.CreateFAdd(x, y);
    Value* part = b.CreateFSub(sum, x);
    Value* error = b.CreateFAdd(b.CreateFSub(x, b.CreateFSub(sum, part)), b.CreateFSub(y, part));
    Value* zero = llvm::ConstantFP::getZero(sum->getType());
    Value* is_beneath = b.CreateICmpEQ(has_sign(b, sum), has_sign(b, error));
    return to_odd(b, sum, b.CreateFCmpONE(error, zero), is_beneath);
}

// Infinite where it overflows: so would the number of 16 bits be.
Value* narrowed_to_odd(IRBuilder<>& b, Value* wide, Type* type) {
    Value* narrow = b.CreateFPTrunc(wide, type);
    Value* again = b.CreateFPExt(narrow, wide->getType());
    const auto magnitude = [&](Value* value) {
        return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
    };
    Value* size = magnitude(again);
    Value* infinity = llvm::ConstantFP::getInfinity(wide->getType());
    Value* is_inexact = b.CreateAnd(b.CreateFCmpONE(again, wide), b.CreateFCmpOLT(size, infinity));
    return to_odd(b, narrow, is_inexact, b.CreateFCmpOLT(size, magnitude(wide)));
}

void round_once(llvm::IntrinsicInst& call) {
    IRBuilder<> b(&call);
    const bool is_half = call.getType()->getScalarType()->isHalfTy();
    Type* real = call.getType()->getWithNewType(b.getFloatTy());
    Type* wide = is_half ? real : call.getType()->getWithNewType(b.getDoubleTy());
    Value* operands[3];
    for (unsigned i = 0; i < 3; ++i) operands[i] = b.CreateFPExt(call.getArgOperand(i), wide);
    Value* sum = sum_to_odd(b, b.CreateFMul(operands[0], operands[1]), operands[2]);
    if (!is_half) sum = narrowed_to_odd(b, sum, real);
    call.replaceAllUsesWith(b.CreateFPTrunc(sum, call.getType()));
    call.eraseFromParent();
}

bool is_narrow_fma(const llvm::IntrinsicInst& call) {
    const Type* type = call.getType()->getScalarType();
    return call.getIntrinsicID() == llvm::Intrinsic::fma &&
           (type->isHalfTy() || type->isBFloatTy());
}

}  // namespace

void expand_narrow_fma(Lowering& job) {
    std::vector<llvm::IntrinsicInst*> narrow;
    for (llvm::Function& function : job.module) {
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
            auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
            if (call && is_narrow_fma(*call)) narrow.push_back(call);
        }
    }
    for (llvm::IntrinsicInst* call : narrow) round_once(*call);
}

}  // namespace warpwise::cpu_compiler
