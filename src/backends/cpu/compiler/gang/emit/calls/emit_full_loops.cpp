// What the copies of passes/full_loops.cpp ask.
#include "src/backends/cpu/compiler/gang/emit/calls/call_emitter.hpp"

#include <algorithm>
#include <limits>

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

void CallEmitter::write_all_below(llvm::CallInst& call) {
    Value *left = call.getArgOperand(0), *right = call.getArgOperand(1);
    bool is_signed = llvm::cast<llvm::ConstantInt>(call.getArgOperand(2))->isOne();
    Shape shape = shapes_.of(left);
    bool is_even = shape.is_single() && shape.lane && shapes_.of(right).is_uniform();
    if (!is_even) {
        auto predicate = is_signed ? llvm::CmpInst::ICMP_SLT : llvm::CmpInst::ICMP_ULT;
        Parts stays;
        for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
            Value* above = builder_.CreateNot(builder_.CreateICmp(
                predicate, values_.vector(left, piece), values_.vector(right, piece)));
            stays.push_back(builder_.CreateSelect(mask_[piece], above,
                                                  llvm::Constant::getNullValue(above->getType())));
        }
        return values_.define(call, {builder_.CreateNot(masks_.any(stays))});
    }
    std::int64_t least = 0, most = 0;
    for (unsigned piece = 0; piece < layout_.pieces; ++piece) {
        for (unsigned lane : {0U, layout_.width - 1}) {
            std::int64_t offset = layout_.offset(*shape.row, piece) + *shape.lane * lane;
            least = std::min(least, offset);
            most = std::max(most, offset);
        }
    }
    values_.define(call, {is_below(left, right, is_signed, {least, most})});
}

// Whether `left`'s base and both ends of `lanes` added to it stay below `right` without a wrap.
Value* CallEmitter::is_below(Value* left, Value* right, bool is_signed,
                             std::pair<std::int64_t, std::int64_t> lanes) {
    const auto [least, most] = lanes;
    llvm::Type* wide = builder_.getInt64Ty();
    const unsigned bits = left->getType()->getIntegerBitWidth();
    const bool is_narrow = bits < 64;  // the base is of 64 bits, so no sum of it wraps
    Value* first = builder_.CreateIntCast(values_.scalar(left, 0), wide, is_signed);
    Value* limit = builder_.CreateIntCast(values_.scalar(right, 0), wide, is_signed);
    Value* farthest = builder_.getInt64(most);
    Value* below = nullptr;
    if (is_narrow) {
        below = builder_.CreateICmpSLT(builder_.CreateAdd(first, farthest), limit);
    } else {  // a limit that saturates has nothing below it
        limit = builder_.CreateBinaryIntrinsic(
            is_signed ? llvm::Intrinsic::ssub_sat : llvm::Intrinsic::usub_sat, limit, farthest);
        below =
            is_signed ? builder_.CreateICmpSLT(first, limit) : builder_.CreateICmpULT(first, limit);
    }
    if (least >= 0) return below;
    const auto lowest = is_signed ? std::numeric_limits<std::int64_t>::min() >> (64 - bits) : 0;
    Value* bound = builder_.getInt64(lowest - least);
    Value* fits = is_narrow || is_signed ? builder_.CreateICmpSGE(first, bound)
                                         : builder_.CreateICmpUGE(first, bound);
    return builder_.CreateAnd(below, fits);
}

void CallEmitter::write_without_wrap(llvm::CallInst& call) {
    Value* value = call.getArgOperand(0);
    bool is_signed = llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->isOne();
    Shape shape = shapes_.of(&call);
    if (!shape.is_stepped()) return values_.define(call, values_.in_shape(value, shape));
    Parts parts;
    for (unsigned part = 0; part < values_.count_of_parts(shape); ++part) {
        parts.push_back(
            builder_.CreateIntCast(values_.scalar(value, part), builder_.getInt64Ty(), is_signed));
    }
    values_.define(call, std::move(parts));
}

}  // namespace warpwise::cpu_compiler::gang
