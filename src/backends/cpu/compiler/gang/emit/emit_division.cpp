// Integer division of vectors, which no processor has: by double precision, exactly.
//
// A double has 53 bits. The quotient of integers a and d below 2^52 is at least 1 / d short of the
// next integer, a relative distance of 1 / (a + d) or more, so that a rounded a / d never reaches
// it. Where all lanes share d, (a + 1/2) * (1 / d) replaces the division: it is at least 1 / (2 d)
// away from every integer, for a and d below 2^50 more than the two roundings.
//
// Indices of neighbouring lanes, divided by the width of a row, have one quotient or two: one
// scalar division and a comparison, where a test has shown that no row is shorter than a vector.
// What lies behind the first lane of shorter rows, the channels of a pixel, is divided in single
// precision.
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
// Remainders behind the first lane's stay below 2^21.
constexpr std::uint64_t kFarthestOfShort = 1 << 20;

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
    const unsigned bits = division.getType()->getIntegerBitWidth();
    const bool has_form = !result.has_scalars() && (bits == 32 || bits == 64);
    if (!has_form || !shapes_.of(division.getOperand(1)).is_uniform()) return false;
    const std::uint64_t span = span_of(*division.getOperand(0));
    if (span == 0) return false;
    auto* known = llvm::dyn_cast<llvm::ConstantInt>(division.getOperand(1));
    return known == nullptr || (known->getValue().sge(static_cast<std::int64_t>(span)) &&
                                !known->getValue().isPowerOf2());
}

// How far the last lane may lie behind the first one; 0: nobody knows.
std::uint64_t ArithmeticEmitter::span_of(const Value& dividend) const {
    const std::optional<std::int64_t> step = shapes_.of(&dividend).lane;
    if (step) {
        const bool is_near = *step > 0 && *step <= kFarthestStep;
        return is_near ? static_cast<std::uint64_t>(*step) * (layout_.width - 1) : 0;
    }
    const Instruction* quotient = quotient_of(dividend);
    return quotient == nullptr ? 0 : spans_.lookup(quotient);
}

// Behind what all lanes select where they divide by 0, or by -1.
const Instruction* ArithmeticEmitter::quotient_of(const Value& dividend) const {
    if (auto* division = llvm::dyn_cast<Instruction>(&dividend); spans_.contains(division)) {
        return division;
    }
    auto* select = llvm::dyn_cast<llvm::SelectInst>(&dividend);
    if (select == nullptr || !shapes_.of(select->getCondition()).is_uniform()) return nullptr;
    const Instruction* second = quotient_of(*select->getFalseValue());
    return second != nullptr ? second : quotient_of(*select->getTrueValue());
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

// Where lanes begin, and how far behind it each is: by at most span_of(). `holds` tells whether it
// is so, which a quotient knows that another form may have computed.
struct ArithmeticEmitter::Spread {
    Value* first;
    Value* offsets;
    Value* holds;
};

ArithmeticEmitter::Spread ArithmeticEmitter::spread_of(Value& dividend, unsigned piece) {
    llvm::Type* type = dividend.getType();
    if (const auto step = shapes_.of(&dividend).lane) {
        Value* first = builder_.CreateTrunc(values_.base(&dividend, piece), type);
        return {first, values_.steps(type, *step), builder_.getTrue()};
    }
    const auto load = [&](llvm::AllocaInst* slot) {
        return builder_.CreateLoad(slot->getAllocatedType(), slot);
    };
    const Instruction* quotient = quotient_of(dividend);
    const auto& slots = spreads_.lookup({quotient, piece});
    // Nothing was stored where no lane came by.
    Value* holds = builder_.CreateFreeze(load(slots[2]));
    for (Value* selected = &dividend; selected != quotient;) {
        auto* select = llvm::cast<llvm::SelectInst>(selected);
        Value* condition = builder_.CreateFreeze(values_.scalar(select->getCondition(), 0));
        const bool is_second = quotient_of(*select->getFalseValue()) != nullptr;
        holds = builder_.CreateAnd(holds, is_second ? builder_.CreateNot(condition) : condition);
        selected = is_second ? select->getFalseValue() : select->getTrueValue();
    }
    return {load(slots[0]), load(slots[1]), holds};
}

// Whether a division of the quotient follows, `i / c % width`: for that one, the quotient is
// another number of steps.
bool ArithmeticEmitter::is_divided_again(const Instruction& quotient) const {
    return llvm::any_of(quotient.users(), [&](const llvm::User* user) {
        auto* next = llvm::dyn_cast<Instruction>(user);
        if (next == nullptr) return false;
        if (llvm::isa<llvm::SelectInst>(next)) {
            const bool is_selected = next->getOperand(0) != &quotient;
            return is_selected && shapes_.of(next->getOperand(0)).is_uniform() &&
                   is_divided_again(*next);
        }
        return next->isIntDivRem() && next->getOperand(0) == &quotient &&
               shapes_.of(next->getOperand(1)).is_uniform();
    });
}

// Quotients and remainders of the lanes, the former as q + `behind`: where the divisor is no less
// than the span, at most one multiple of it lies between the lanes; else single precision divides
// numbers below 2^21, for which (r + 1/2) * (1 / d) is as exact as with doubles.
Parts ArithmeticEmitter::divide_spread(llvm::ArrayRef<Instruction*> wanted, const Spread& lanes,
                                       Value* divisor, bool is_long) {
    Value* quotient = builder_.CreateUDiv(lanes.first, divisor);
    Value* rest = builder_.CreateSub(lanes.first, builder_.CreateMul(quotient, divisor));
    Value* rests = builder_.CreateAdd(values_.splat(rest), lanes.offsets);
    Value* divisors = values_.splat(divisor);
    Value *behind = nullptr, *remainder = nullptr;
    if (is_long) {
        Value* is_next = builder_.CreateICmpSGE(rests, divisors);
        behind = builder_.CreateZExt(is_next, rests->getType());
        remainder = builder_.CreateSelect(is_next, builder_.CreateSub(rests, divisors), rests);
    } else {
        llvm::Type* real = builder_.getFloatTy();
        Value* small = builder_.CreateTrunc(rests, vector_of(builder_.getInt32Ty()));
        Value* middle = builder_.CreateFAdd(builder_.CreateSIToFP(small, vector_of(real)),
                                            llvm::ConstantFP::get(vector_of(real), 0.5));
        Value* reciprocal = builder_.CreateFDiv(llvm::ConstantFP::get(real, 1),
                                                builder_.CreateSIToFP(divisor, real));
        behind = builder_.CreateFPToSI(builder_.CreateFMul(middle, values_.splat(reciprocal)),
                                       small->getType());
        behind = builder_.CreateZExt(behind, rests->getType());
        remainder = builder_.CreateSub(rests, builder_.CreateMul(behind, divisors));
    }
    Parts parts;
    for (const Instruction* one : wanted) {
        parts.push_back(is_remainder(*one) ? remainder
                                           : builder_.CreateAdd(values_.splat(quotient), behind));
    }
    parts.append({quotient, behind, builder_.getTrue()});
    return parts;
}

// Lanes from a first one that is no negative number to one that does not wrap. The first lane may
// be dead; what the others are follows from it all the same, modulo the width. Quotient and
// remainder are written together: they are one division, and one test.
Value* ArithmeticEmitter::divide_steps(Instruction& division, unsigned piece,
                                       llvm::function_ref<Value*(Instruction&)> otherwise) {
    if (Value* known = divided_.lookup({&division, piece})) {
        divided_.erase({&division, piece});
        return known;
    }
    const unsigned bits = division.getType()->getIntegerBitWidth();
    Value* divisor = values_.scalar(division.getOperand(1), 0);
    const llvm::APInt span(bits, span_of(*division.getOperand(0)));
    const Spread lanes = spread_of(*division.getOperand(0), piece);
    const auto at_most = [&](Value* value, const llvm::APInt& most) {
        return builder_.CreateICmpULE(value, builder_.getInt(most));
    };
    Value* starts = builder_.CreateAnd(
        lanes.holds, at_most(lanes.first, llvm::APInt::getSignedMaxValue(bits) - span));
    Value* is_long = at_most(builder_.CreateSub(divisor, builder_.getInt(span)),
                             llvm::APInt::getOneBitSet(bits, bits - 2) - span);
    llvm::SmallVector<Instruction*, 2> wanted = {&division};
    if (Instruction* other = other_part(division)) wanted.push_back(other);
    const auto each = [&] {
        Parts parts;
        for (Instruction* one : wanted) parts.push_back(otherwise(*one));
        llvm::Type* type = division.getType();
        parts.append({llvm::Constant::getNullValue(type),
                      llvm::Constant::getNullValue(vector_of(type)), builder_.getFalse()});
        return parts;
    };
    const auto by_rows_or_each = [&] {
        const bool is_known = llvm::isa<llvm::Constant>(divisor);
        if (is_known || span.ult(2) || span.ugt(kFarthestOfShort)) return each();
        Value* is_short = at_most(
            builder_.CreateSub(divisor, llvm::ConstantInt::get(divisor->getType(), 1)), span - 2);
        return masks_.either(
            builder_.CreateAnd(starts, is_short),
            [&] { return divide_spread(wanted, lanes, divisor, false); }, each);
    };
    const Parts parts = masks_.either(
        builder_.CreateAnd(starts, is_long),
        [&] { return divide_spread(wanted, lanes, divisor, true); }, by_rows_or_each);
    if (wanted.size() == 2) divided_[{wanted[1], piece}] = parts[1];
    for (Instruction* one : wanted) {
        if (is_remainder(*one) || !is_divided_again(*one)) continue;
        spans_[one] = span.getZExtValue();
        auto& slots = spreads_[{one, piece}];
        for (unsigned i = 0; i < slots.size(); ++i) {
            Value* part = parts[wanted.size() + i];
            if (slots[i] == nullptr) slots[i] = state_.new_slot(part->getType(), "spread");
            builder_.CreateStore(part, slots[i]);
        }
    }
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
