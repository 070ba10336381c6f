// Integer division of vectors, which no processor has: by double precision, exactly.
//
// A double has 53 bits. The quotient of integers a and d below 2^52 is at least 1 / d short of the
// next integer, a relative distance of 1 / (a + d) or more, so that a rounded a / d never reaches
// it. Where all lanes share d, (a + 1/2) * (1 / d) replaces the division: it is at least 1 / (2 d)
// away from every integer, for a and d below 2^50 more than the two roundings.
//
// Sixteen lanes of 32 bits take 8 instructions by one divisor, 34 cycles by several, and took 100
// cycles and more one after the other.
#include "src/backends/cpu/compiler/gang/emit/arithmetic_emitter.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Instruction;
using llvm::Value;

namespace {

constexpr unsigned kExactBits = 50;

bool is_signed_division(const Instruction& division) {
    return division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::SRem;
}

bool is_remainder(const Instruction& division) {
    return division.getOpcode() == Instruction::URem || division.getOpcode() == Instruction::SRem;
}

// Lanes below 2^50, as signed ones if they are: above -2^49 and below 2^49.
Value* are_small(llvm::IRBuilder<>& builder, Value* lanes, bool is_signed) {
    auto number = [&](unsigned bits) {
        return llvm::ConstantInt::get(lanes->getType(), std::uint64_t{1} << bits);
    };
    if (is_signed) lanes = builder.CreateAdd(lanes, number(kExactBits - 1));
    return builder.CreateICmpULT(lanes, number(kExactBits));
}

}  // namespace

// Of lanes that double precision holds; `left` and `right` are vectors.
Value* ArithmeticEmitter::divide_by_doubles(Instruction& division, Value* left, Value* right) {
    const bool is_signed = is_signed_division(division);
    llvm::Type* real = builder_.getDoubleTy();
    auto as_real = [&](Value* integer) {
        llvm::Type* type = integer->getType()->isVectorTy() ? vector_of(real) : real;
        return is_signed ? builder_.CreateSIToFP(integer, type)
                         : builder_.CreateUIToFP(integer, type);
    };
    Value* dividend = as_real(left);
    Value* quotient = nullptr;
    if (shapes_.of(division.getOperand(1)).is_uniform()) {
        Value* divisor = as_real(values_.scalar(division.getOperand(1), 0));
        Value* reciprocal = builder_.CreateFDiv(llvm::ConstantFP::get(real, 1), divisor);
        Value* half = llvm::ConstantFP::get(dividend->getType(), 0.5);
        if (is_signed) {
            half = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, half, dividend);
        }
        quotient =
            builder_.CreateFMul(builder_.CreateFAdd(dividend, half), values_.splat(reciprocal));
    } else {
        quotient = builder_.CreateFDiv(dividend, as_real(right));
    }
    quotient = is_signed ? builder_.CreateFPToSI(quotient, left->getType())
                         : builder_.CreateFPToUI(quotient, left->getType());
    if (!is_remainder(division)) return quotient;
    return builder_.CreateSub(left, builder_.CreateMul(quotient, right));
}

// 64 bits are looked at: sizes and places are far below 2^50.
Value* ArithmeticEmitter::divide_wide(Instruction& division, Value* left, Value* right,
                                      Value* mask) {
    const bool is_signed = is_signed_division(division);
    Value* small = builder_.CreateAnd(are_small(builder_, left, is_signed),
                                      are_small(builder_, right, is_signed));
    Value* are_all =
        builder_.CreateSelect(mask, small, llvm::Constant::getAllOnesValue(small->getType()));
    are_all = masks_.is_full(builder_.CreateFreeze(are_all));
    return masks_.either(
        are_all, [&] { return Parts{divide_by_doubles(division, left, right)}; },
        [&] { return Parts{divide_lanes(division, left, right, mask)}; })[0];
}

}  // namespace warpwise::cpu_compiler::gang
