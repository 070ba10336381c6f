// Indices computed in 32 bits without a promise not to wrap, `i += gridDim.x *
// blockDim.x` above all. They almost never do, and then a vector access will
// serve: one scalar comparison finds out. When they may, the base is taken from
// a lane that is alive, and only if living lanes lie on both sides of the wrap
// does the kernel fail.
//
// Comparisons of an index in steps with a bound that all lanes share, `i < n` with size_t above
// all: how far the bound lies from the first lane is one number, and the lanes' distances from
// there are constants of few bits. Sixteen indices of 64 bits fill four registers of AVX2, their
// distances two, and as a mask those need not be made narrower.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <cstdint>

#include "src/backends/cpu/compiler/gang/emit/arithmetic_emitter.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

namespace {

constexpr unsigned kBaseBits = 64;
// Indices of so many, and bounds cut down to them, differ by no more than a signed number holds.
constexpr unsigned kBitsOfIndex = 62;

}  // namespace

void ArithmeticEmitter::write_checked_widening(llvm::CastInst& widening, const Shape& shape) {
    Parts parts;
    if (shape.is_single()) {
        parts.push_back(checked_base(widening, 0, layout_.pieces));
    } else {
        for (unsigned piece : values_.pieces_to_write()) {
            parts.push_back(checked_base(widening, piece, piece + 1));
        }
    }
    values_.define(widening, std::move(parts));
}

// No lane's index wraps unless all do, so that any lane's gives the base.
void ArithmeticEmitter::write_rebased_widening(llvm::CastInst& widening) {
    bool is_signed = widening.getOpcode() == llvm::Instruction::SExt;
    Value* first = values_.scalar(widening.getOperand(0), 0);
    values_.define(widening, {builder_.CreateIntCast(first, builder_.getInt64Ty(), is_signed)});
}

// The 64-bit base of pieces [first, end), as a base of piece `first`.
Value* ArithmeticEmitter::checked_base(llvm::CastInst& widening, unsigned first, unsigned end) {
    Value* narrow = widening.getOperand(0);
    Shape shape = shapes_.of(narrow);
    bool is_signed = widening.getOpcode() == llvm::Instruction::SExt;
    unsigned bits = narrow->getType()->getIntegerBitWidth();
    std::int64_t along = *shape.lane * (layout_.width - 1);
    std::int64_t least_offset = 0, most_offset = 0;
    for (unsigned piece = first + 1; piece < end; ++piece) {
        std::int64_t offset = layout_.offset(*shape.row, piece);
        least_offset = std::min(least_offset, offset);
        most_offset = std::max(most_offset, offset);
    }
    std::int64_t lowest = std::min<std::int64_t>(along, 0) + least_offset;
    std::int64_t highest = std::max<std::int64_t>(along, 0) + most_offset;
    std::int64_t limit = std::int64_t{1} << (is_signed ? bits - 1 : bits);
    std::int64_t least = is_signed ? -limit : 0;

    Value* wide =
        builder_.CreateIntCast(values_.scalar(narrow, first), builder_.getInt64Ty(), is_signed);
    Value* is_low = builder_.CreateICmpSLT(wide, builder_.getInt64(least - lowest));
    Value* is_high = builder_.CreateICmpSGE(wide, builder_.getInt64(limit - highest));
    Value* may_wrap = is_high;
    if (lowest != 0) may_wrap = builder_.CreateOr(is_low, is_high);
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    llvm::BasicBlock* rare = new_block("wraps");
    llvm::BasicBlock* after = new_block("index");
    // What lives across the calls there must not be kept in memory for them here.
    llvm::MDNode* seldom = llvm::MDBuilder(builder_.getContext()).createUnlikelyBranchWeights();
    builder_.CreateCondBr(may_wrap, rare, after, seldom);
    builder_.SetInsertPoint(rare);
    Values::Known known = values_.known();
    Value* other = base_of_live_lane(widening, first, end);
    rare = builder_.GetInsertBlock();
    builder_.CreateBr(after);
    values_.restore(std::move(known));
    builder_.SetInsertPoint(after);
    llvm::PHINode* result = builder_.CreatePHI(builder_.getInt64Ty(), 2);
    result->addIncoming(wide, before);
    result->addIncoming(other, rare);
    return result;
}

Value* ArithmeticEmitter::base_of_live_lane(llvm::CastInst& widening, unsigned first,
                                            unsigned end) {
    Value* narrow = widening.getOperand(0);
    Shape shape = shapes_.of(narrow);
    bool is_signed = widening.getOpcode() == llvm::Instruction::SExt;
    llvm::Type* word = builder_.getInt64Ty();
    Value* base = builder_.getInt64(0);
    for (unsigned piece = end; piece-- > first;) {
        Value* bits = builder_.CreateBitCast(mask_[piece], builder_.getIntNTy(layout_.width));
        Value* lane = builder_.CreateBinaryIntrinsic(
            llvm::Intrinsic::cttz, builder_.CreateZExt(bits, word), builder_.getFalse());
        Value* step = builder_.CreateMul(lane, builder_.getInt64(*shape.lane));
        Value* start = builder_.CreateIntCast(values_.scalar(narrow, piece), word, is_signed);
        Value* value = builder_.CreateTrunc(builder_.CreateAdd(start, step), narrow->getType());
        Value* wide = builder_.CreateIntCast(value, word, is_signed);
        std::int64_t row = piece == first ? 0 : layout_.offset(*shape.row, piece);
        Value* own = builder_.CreateSub(builder_.CreateSub(wide, step), builder_.getInt64(row));
        base = builder_.CreateSelect(masks_.any_of(mask_[piece]), own, base);
    }
    Parts strays;
    for (unsigned piece = first; piece < end; ++piece) {
        llvm::FixedVectorType* type = vector_of(word);
        Value* truly = builder_.CreateIntCast(values_.vector(narrow, piece), type, is_signed);
        std::int64_t row = piece == first ? 0 : layout_.offset(*shape.row, piece);
        Value* assumed =
            builder_.CreateAdd(values_.splat(builder_.CreateAdd(base, builder_.getInt64(row))),
                               values_.steps(word, *shape.lane));
        Value* differs = builder_.CreateICmpNE(truly, assumed);
        strays.push_back(builder_.CreateSelect(mask_[piece], differs,
                                               llvm::Constant::getNullValue(differs->getType())));
    }
    llvm::BasicBlock* refused = new_block("refused");
    llvm::BasicBlock* fits = new_block("fits");
    llvm::MDNode* seldom = llvm::MDBuilder(builder_.getContext()).createUnlikelyBranchWeights();
    builder_.CreateCondBr(masks_.any(strays), refused, fits, seldom);
    builder_.SetInsertPoint(refused);
    call_service(service_of(ServiceId::gang_wraps), thread(), {});
    builder_.CreateBr(fits);
    builder_.SetInsertPoint(fits);
    return base;
}

// Nothing: as vectors of the indices themselves.
std::optional<ArithmeticEmitter::IndexTest> ArithmeticEmitter::index_test(
    llvm::Instruction& instruction) const {
    auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
    if (comparison == nullptr || shapes_.of(comparison).has_scalars() ||
        !comparison->getOperand(0)->getType()->isIntegerTy()) {
        return std::nullopt;
    }
    IndexTest test{comparison->getOperand(0), comparison->getOperand(1),
                   comparison->getPredicate()};
    if (shapes_.of(test.index).is_uniform()) {
        std::swap(test.index, test.bound);
        test.predicate = comparison->getSwappedPredicate();
    }
    const Shape shape = shapes_.of(test.index);
    const unsigned bits = test.index->getType()->getIntegerBitWidth();
    const std::int64_t most = costs::kFarthestOfIndexTest / layout_.width;
    const bool has_steps = shape.lane && *shape.lane > 0 && *shape.lane <= most;
    if (!has_steps || !shapes_.of(test.bound).is_uniform() || bits > kBaseBits) return std::nullopt;
    if (bits < kBaseBits && !shape.is_exact) return std::nullopt;
    const unsigned registers = bits * layout_.width / state_.target.vector_bits();
    if (registers < costs::kLeastOfIndexTest || !fits_distance(test)) return std::nullopt;
    return test;
}

// Whether no living lane's index is another number than its base and step say, nor too large.
bool ArithmeticEmitter::fits_distance(const IndexTest& test) const {
    const bool is_wide = test.index->getType()->isIntegerTy(kBaseBits);
    const bool is_signed = !llvm::ICmpInst::isUnsigned(test.predicate);
    if (llvm::ICmpInst::isEquality(test.predicate) || (!is_wide && is_signed)) return true;
    const llvm::KnownBits known = llvm::computeKnownBits(test.index, data_);
    return known.countMinLeadingZeros() >= (is_wide ? kBaseBits - kBitsOfIndex : 1);
}

Value* ArithmeticEmitter::compare_index(const IndexTest& test, unsigned piece) {
    Value* first = values_.base(test.index, piece);
    const bool is_signed = !llvm::ICmpInst::isUnsigned(test.predicate);
    Value* bound =
        builder_.CreateIntCast(values_.scalar(test.bound, piece), builder_.getInt64Ty(), is_signed);
    if (!llvm::ICmpInst::isEquality(test.predicate)) {
        constexpr std::int64_t kLarge = std::int64_t{1} << kBitsOfIndex;
        bound = is_signed ? clamped(bound, -kLarge, kLarge) : no_more_than(bound, kLarge);
    }
    // Beyond the lanes on either side, all is the same.
    const std::int64_t step = *shapes_.of(test.index).lane;
    const std::int64_t behind = step * layout_.width;
    Value* distance = clamped(builder_.CreateSub(bound, first), -1, behind);
    llvm::Type* narrow = behind <= INT8_MAX && layout_.width > Layout().width
                             ? builder_.getInt8Ty()
                             : builder_.getInt32Ty();
    return builder_.CreateICmp(llvm::ICmpInst::getSignedPredicate(test.predicate),
                               values_.steps(narrow, step),
                               values_.splat(builder_.CreateTrunc(distance, narrow)));
}

// Numbers stay numbers, by which masks are known.
Value* ArithmeticEmitter::clamped(Value* value, std::int64_t least, std::int64_t most) {
    if (auto* number = llvm::dyn_cast<llvm::ConstantInt>(value)) {
        return llvm::ConstantInt::getSigned(value->getType(),
                                            std::clamp(number->getSExtValue(), least, most));
    }
    value = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value,
                                           llvm::ConstantInt::getSigned(value->getType(), least));
    return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value,
                                          llvm::ConstantInt::getSigned(value->getType(), most));
}

// Of a number without a sign.
Value* ArithmeticEmitter::no_more_than(Value* value, std::int64_t most) {
    Value* limit = llvm::ConstantInt::getSigned(value->getType(), most);
    if (auto* number = llvm::dyn_cast<llvm::ConstantInt>(value)) {
        return number->getZExtValue() <= static_cast<std::uint64_t>(most) ? value : limit;
    }
    return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, value, limit);
}

}  // namespace warpwise::cpu_compiler::gang
