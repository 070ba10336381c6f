// Indices computed in 32 bits without a promise not to wrap, `i += gridDim.x *
// blockDim.x` above all. They almost never do, and then a vector access will
// serve: one scalar comparison finds out. When they may, the base is taken from
// a lane that is alive, and only if living lanes lie on both sides of the wrap
// does the kernel fail.
#include "src/backends/cpu/compiler/gang/emit/arithmetic_emitter.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

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
    builder_.CreateCondBr(may_wrap, rare, after);
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
    builder_.CreateCondBr(masks_.any(strays), refused, fits);
    builder_.SetInsertPoint(refused);
    call_service(service_of(ServiceId::gang_wraps), thread(), {});
    builder_.CreateBr(fits);
    builder_.SetInsertPoint(fits);
    return base;
}

}  // namespace warpwise::cpu_compiler::gang
