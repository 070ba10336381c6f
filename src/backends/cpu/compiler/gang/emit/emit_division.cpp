// Integer division of vectors, which no processor has: by double precision, exactly.
//
// A double has 53 bits. The quotient of integers a and d below 2^52 is at least 1 / d short of the
// next integer, a relative distance of 1 / (a + d) or more, so that a rounded a / d never reaches
// it. Where all lanes share d, (a + 1/2) * (1 / d) replaces the division: it is at least 1 / (2 d)
// away from every integer, for a and d below 2^50 more than the two roundings.
//
// Indices of neighbouring lanes, divided by the width of a row, have one quotient or two: one
// scalar division and a comparison, where a test has shown that no row is shorter than a vector.
//
// Sixteen lanes of 32 bits take 8 instructions by one divisor, 34 cycles by several, and took 100
// cycles and more one after the other.
#include "src/backends/cpu/compiler/gang/emit/arithmetic_emitter.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Instruction;
using llvm::Value;

namespace {

constexpr unsigned kExactBits = 50;
// From lane to lane: rows that are shorter than a vector in such steps have another form.
constexpr std::int64_t kFarthestStep = 1 << 16;

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

bool ArithmeticEmitter::is_divided_in_steps(const Instruction& division,
                                            const Shape& result) const {
    const Shape dividend = shapes_.of(division.getOperand(0));
    const unsigned bits = division.getType()->getIntegerBitWidth();
    const bool has_form = !result.has_scalars() && (bits == 32 || bits == 64);
    if (!has_form || !dividend.lane || !shapes_.of(division.getOperand(1)).is_uniform())
        return false;
    const std::int64_t span = *dividend.lane * (layout_.width - 1);
    if (*dividend.lane <= 0 || *dividend.lane > kFarthestStep) return false;
    auto* known = llvm::dyn_cast<llvm::ConstantInt>(division.getOperand(1));
    return known == nullptr || (known->getValue().sge(span) && !known->getValue().isPowerOf2());
}

// The remainder beside a quotient, and the other way round, where it is written later and in the
// same way.
Instruction* ArithmeticEmitter::other_part(Instruction& division) const {
    const auto is_other = [&](const Instruction& one) {
        return one.isIntDivRem() && is_signed_division(one) == is_signed_division(division) &&
               is_remainder(one) != is_remainder(division) &&
               one.getOperand(0) == division.getOperand(0) &&
               one.getOperand(1) == division.getOperand(1);
    };
    for (Instruction* next = division.getNextNode(); next != nullptr; next = next->getNextNode()) {
        if (!is_other(*next)) continue;
        const Shape shape = shapes_.of(next);
        const bool has_form = shape == shapes_.of(&division) && is_divided_in_steps(*next, shape);
        return has_form ? next : nullptr;
    }
    return nullptr;
}

// Lanes first + k * step that are no negative numbers, by no less than what the last one is further
// than the first: at most one multiple of the divisor lies between them. The first lane may be
// dead; what the others are follows from it all the same, modulo the width. Quotient and remainder
// are written together: they are one division, and one test.
Value* ArithmeticEmitter::divide_steps(Instruction& division, unsigned piece,
                                       llvm::function_ref<Value*(Instruction&)> otherwise) {
    if (Value* known = divided_.lookup({&division, piece})) {
        divided_.erase({&division, piece});
        return known;
    }
    llvm::Type* type = division.getType();
    const std::int64_t step = *shapes_.of(division.getOperand(0)).lane;
    const auto span = static_cast<std::uint64_t>(step) * (layout_.width - 1);
    const unsigned bits = type->getIntegerBitWidth();
    Value* first = builder_.CreateTrunc(values_.base(division.getOperand(0), piece), type);
    Value* divisor = values_.scalar(division.getOperand(1), 0);
    const auto at_most = [&](Value* value, const llvm::APInt& most) {
        return builder_.CreateICmpULE(value, builder_.getInt(most));
    };
    const llvm::APInt least(bits, span);
    Value* starts = at_most(first, llvm::APInt::getSignedMaxValue(bits) - least);
    Value* is_long = at_most(builder_.CreateSub(divisor, builder_.getInt(least)),
                             llvm::APInt::getOneBitSet(bits, bits - 2) - least);
    llvm::SmallVector<Instruction*, 2> wanted = {&division};
    if (Instruction* other = other_part(division)) wanted.push_back(other);
    const auto by_first = [&] {
        Value* quotient = builder_.CreateUDiv(first, divisor);
        Value* rest = builder_.CreateSub(first, builder_.CreateMul(quotient, divisor));
        Value* rests = builder_.CreateAdd(values_.splat(rest), values_.steps(type, step));
        Value* divisors = values_.splat(divisor);
        Value* is_next = builder_.CreateICmpSGE(rests, divisors);
        Parts parts;
        for (const Instruction* one : wanted) {
            parts.push_back(
                is_remainder(*one)
                    ? builder_.CreateSelect(is_next, builder_.CreateSub(rests, divisors), rests)
                    : builder_.CreateSub(values_.splat(quotient),
                                         builder_.CreateSExt(is_next, rests->getType())));
        }
        return parts;
    };
    const Parts parts = masks_.either(builder_.CreateAnd(starts, is_long), by_first, [&] {
        Parts each;
        for (Instruction* one : wanted) each.push_back(otherwise(*one));
        return each;
    });
    if (wanted.size() == 2) divided_[{wanted[1], piece}] = parts[1];
    return parts[0];
}

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
