// PTX cvt to reals of fewer bits: to half and bfloat16 in every rounding mode, alone and in pairs,
// to tf32, to and from pairs of 8 bits (e4m3, e5m2), and cvt.pack.
#include <llvm/IR/Intrinsics.h>

#include "src/backends/cpu/compiler/lowering/ptx/inline_ptx.hpp"

namespace warpwise::cpu_compiler {
namespace {

using llvm::IRBuilder;
using llvm::StringRef;
using llvm::Type;
using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

// The one NaN that arithmetic gives: every bit but the sign.
Value* with_one_nan(IRBuilder<>& b, Value* result, Value* source) {
    Type* bits = b.getIntNTy(result->getType()->getPrimitiveSizeInBits());
    Value* nan = b.getInt(llvm::APInt::getSignedMaxValue(bits->getIntegerBitWidth()));
    return b.CreateSelect(b.CreateFCmpUNO(source, source), b.CreateBitCast(nan, result->getType()),
                          result);
}

// The nearest number, moved to the adjacent one where the way requires it. A step of the bits moves
// by one number, away from zero or towards it.
Value* step_to(IRBuilder<>& b, Value* value, Type* to, StringRef way) {
    Value* nearest = b.CreateFPTrunc(value, to);
    if (way != "rn") {
        Type* word = b.getIntNTy(to->getPrimitiveSizeInBits());
        Value* back = b.CreateFPExt(nearest, value->getType());
        Value* bits = b.CreateBitCast(nearest, word);
        Value* is_negative = b.CreateFCmpOLT(value, llvm::ConstantFP::get(value->getType(), 0.0));
        llvm::Constant *away = llvm::ConstantInt::get(word, 1),
                       *towards = llvm::ConstantInt::getSigned(word, -1);
        Value *is_due = nullptr, *step = towards;
        if (way == "rz") {
            is_due = b.CreateFCmpOGT(b.CreateUnaryIntrinsic(intrinsic::fabs, back),
                                     b.CreateUnaryIntrinsic(intrinsic::fabs, value));
        } else {
            is_due = way == "rm" ? b.CreateFCmpOGT(back, value) : b.CreateFCmpOLT(back, value);
            step = way == "rm" ? b.CreateSelect(is_negative, away, towards)
                               : b.CreateSelect(is_negative, towards, away);
        }
        bits = b.CreateSelect(is_due, b.CreateAdd(bits, step), bits);
        nearest = b.CreateBitCast(bits, to);
    }
    return nearest;
}

// Towards zero, with the last bit set where bits are lost: what rounds this rounds the source.
Value* odd_float(IRBuilder<>& b, Value* value) {
    Value* cut = step_to(b, value, b.getFloatTy(), "rz");
    Value* is_inexact = b.CreateFCmpONE(b.CreateFPExt(cut, value->getType()), value);
    Value* bits = b.CreateBitCast(cut, b.getInt32Ty());
    bits = b.CreateOr(bits, b.CreateZExt(is_inexact, b.getInt32Ty()));
    return b.CreateBitCast(bits, b.getFloatTy());
}

// Where a real has bits of another format: "f8" are numbers of 8 bits in an i32.
struct Small {
    unsigned fraction, bias, greatest;  // of the format; the greatest finite number's bits
    float finest;                       // 2^23 units of its subnormal numbers
};
constexpr Small kE4m3{3, 7, 0x7E, 0x1p14F}, kE5m2{2, 15, 0x7B, 0x1p7F};

const Small* small_of(StringRef name) {
    return name == "e4m3x2" ? &kE4m3 : name == "e5m2x2" ? &kE5m2 : nullptr;
}

// To the nearest, the even one of two; beyond the greatest number to that, NaN to 0x7F.
Value* to_small(IRBuilder<>& b, Value* value, const Small& format, bool is_relu) {
    Type* word = b.getInt32Ty();
    Value* bits = b.CreateBitCast(value, word);
    Value* size = b.CreateAnd(bits, 0x7FFFFFFF);
    const unsigned cut = 23 - format.fraction;
    Value* even = b.CreateAnd(b.CreateLShr(size, cut), 1);
    Value* rounded = b.CreateAdd(b.CreateAdd(size, b.getInt32((1U << (cut - 1)) - 1)), even);
    Value* normal =
        b.CreateSub(b.CreateLShr(rounded, cut), b.getInt32((127 - format.bias) << format.fraction));
    // Added to a number this large, what lies below the units is rounded away.
    llvm::Constant* large = llvm::ConstantFP::get(b.getFloatTy(), format.finest);
    Value* sum = b.CreateFAdd(b.CreateBitCast(size, b.getFloatTy()), large);
    Value* subnormal = b.CreateSub(b.CreateBitCast(sum, word), b.CreateBitCast(large, word));
    Value* is_small = b.CreateICmpULT(size, b.getInt32((127 - format.bias + 1) << 23));
    Value* result = b.CreateSelect(is_small, subnormal, normal);
    result = b.CreateBinaryIntrinsic(intrinsic::umin, result, b.getInt32(format.greatest));
    Value* sign = b.CreateAnd(b.CreateLShr(bits, 24), 0x80);
    if (is_relu) {
        result = b.CreateSelect(b.CreateICmpNE(sign, b.getInt32(0)), b.getInt32(0), result);
    } else {
        result = b.CreateOr(result, sign);
    }
    return b.CreateSelect(b.CreateFCmpUNO(value, value), b.getInt32(0x7F), result);
}

// To a half, which holds every one of them.
Value* from_small(IRBuilder<>& b, Value* byte, const Small& format) {
    Value* half = b.CreateShl(byte, 8);
    if (format.fraction == kE4m3.fraction) {  // exponents differ by 8
        Value* size = b.CreateShl(b.CreateAnd(byte, 0x7F), 7);
        Value* scaled =
            b.CreateFMul(b.CreateBitCast(b.CreateTrunc(size, b.getInt16Ty()), b.getHalfTy()),
                         llvm::ConstantFP::get(b.getHalfTy(), 256.0));
        half = b.CreateOr(b.CreateZExt(b.CreateBitCast(scaled, b.getInt16Ty()), b.getInt32Ty()),
                          b.CreateAnd(half, 0x8000));
        Value* is_nan = b.CreateICmpEQ(b.CreateAnd(byte, 0x7F), b.getInt32(0x7F));
        return b.CreateSelect(is_nan, b.getInt32(0x7FFF), half);
    }
    Value* is_nan = b.CreateICmpUGT(b.CreateAnd(half, 0x7FFF), b.getInt32(0x7C00));
    return b.CreateSelect(is_nan, b.getInt32(0x7FFF), half);
}

// A float whose last 13 bits are 0. NaN is what an H200 makes of it: the one NaN, but cut off where
// .rna rounds, and then one number less with .satfinite.
Value* to_tf32(IRBuilder<>& b, const PtxInstruction& i, Value* value) {
    constexpr unsigned kCut = 13, kInfinity = 0x7F800000, kSize = 0x7FFFFFFF, kNan = 0x7FFFE000;
    constexpr unsigned kKept = ~((1U << kCut) - 1);
    const bool is_away = has_part(i, "rna");
    Value* is_nan = b.CreateFCmpUNO(value, value);
    Value* bits = b.CreateBitCast(value, b.getInt32Ty());
    Value* more = b.getInt32(0);
    if (is_away) more = b.CreateSelect(is_nan, more, b.getInt32(1U << (kCut - 1)));
    if (has_part(i, "rn")) {
        more = b.CreateAdd(b.getInt32((1U << (kCut - 1)) - 1),
                           b.CreateAnd(b.CreateLShr(bits, kCut), 1));
    }
    Value* result = b.CreateAnd(b.CreateAdd(bits, more), kKept);
    if (has_part(i, "satfinite")) {
        Value* is_beyond = b.CreateICmpUGE(b.CreateAnd(result, kSize), b.getInt32(kInfinity));
        result = b.CreateSelect(is_beyond, b.CreateSub(result, b.getInt32(1U << kCut)), result);
    }
    if (has_part(i, "relu")) {
        result = b.CreateBinaryIntrinsic(intrinsic::smax, result, b.getInt32(0));
    }
    return is_away ? result : b.CreateSelect(is_nan, b.getInt32(kNan), result);
}

// cvt.pack.sat.TYPE.s32[.b32] d, a, b[, c]: b in the lowest bits, a above it, c above both.
bool pack(PtxStatement& at, const PtxInstruction& i) {
    const bool has_third = i.operands.size() == 4;
    if (i.opcode.size() != (has_third ? 6u : 5u) || !has_part(i, "sat")) return false;
    const StringRef to = i.opcode[3];
    Type* type = at.type_of(to);
    if (!type || !type->isIntegerTy() || i.opcode[4] != "s32") return false;
    const unsigned bits = type->getIntegerBitWidth();
    if (bits > 16 || has_third != (bits < 16)) return false;
    IRBuilder<>& b = at.builder();
    const bool is_signed = to.starts_with("s");
    const int top = (1 << (is_signed ? bits - 1 : bits)) - 1;
    Value* result = has_third ? at.read(i.operands[3], b.getInt32Ty()) : b.getInt32(0);
    for (unsigned k = 1; result && k <= 2; ++k) {
        Value* value = at.read(i.operands[k], b.getInt32Ty());
        if (!value) return false;
        value = b.CreateBinaryIntrinsic(intrinsic::smin, value, b.getInt32(top));
        const int least = is_signed ? -top - 1 : 0;
        value = b.CreateBinaryIntrinsic(intrinsic::smax, value,
                                        llvm::ConstantInt::getSigned(b.getInt32Ty(), least));
        value = b.CreateZExt(b.CreateTrunc(value, type), b.getInt32Ty());
        result = b.CreateOr(b.CreateShl(result, bits), value);
    }
    return result && at.write(i.operands[0], result);
}

// Two floats, or the halves of a word, in the order in which they lie: the lower one first.
bool read_pair(PtxStatement& at, const PtxInstruction& i, Value* (&pair)[2]) {
    IRBuilder<>& b = at.builder();
    if (i.opcode.back() == "f32" && i.operands.size() == 3) {
        for (unsigned k = 0; k < 2; ++k) {
            pair[k] = at.read(i.operands[2 - k], b.getFloatTy());
            if (!pair[k]) return false;
        }
        return true;
    }
    if (i.opcode.back() != "f16x2" || i.operands.size() != 2) return false;
    Value* word = at.read(i.operands[1], b.getInt32Ty());
    if (!word) return false;
    for (unsigned k = 0; k < 2; ++k) {
        Value* half = b.CreateTrunc(b.CreateLShr(word, 16 * k), b.getInt16Ty());
        pair[k] = b.CreateFPExt(b.CreateBitCast(half, b.getHalfTy()), b.getFloatTy());
    }
    return true;
}

bool from_small_pair(PtxStatement& at, const PtxInstruction& i, const Small& format) {
    if (i.operands.size() != 2 || i.opcode[i.opcode.size() - 2] != "f16x2") return false;
    IRBuilder<>& b = at.builder();
    Value* bytes = at.read(i.operands[1], b.getInt16Ty());
    if (!bytes) return false;
    bytes = b.CreateZExt(bytes, b.getInt32Ty());
    Value* word = b.getInt32(0);
    for (unsigned k = 0; k < 2; ++k) {
        Value* half = from_small(b, b.CreateAnd(b.CreateLShr(bytes, 8 * k), 0xFF), format);
        if (has_part(i, "relu")) {  // NaN is positive
            Value* is_negative = b.CreateICmpNE(b.CreateAnd(half, 0x8000), b.getInt32(0));
            half = b.CreateSelect(is_negative, b.getInt32(0), half);
        }
        word = b.CreateOr(word, b.CreateShl(half, 16 * k));
    }
    return at.write(i.operands[0], word);
}

}  // namespace

StringRef rounding_of(const PtxInstruction& i) {
    for (const StringRef way : {"rn", "rz", "rm", "rp"}) {
        if (has_part(i, way)) return way;
    }
    return {};
}

Value* round_to(IRBuilder<>& b, Value* value, Type* to, StringRef way) {
    // As on GPUs: NaN keeps its sign and highest bits where a double is rounded.
    if (!value->getType()->isDoubleTy()) return with_one_nan(b, step_to(b, value, to, way), value);
    if (!to->isFloatTy()) {
        value = way == "rn" ? odd_float(b, value) : step_to(b, value, b.getFloatTy(), way);
    }
    return step_to(b, value, to, way);
}

Value* bounded_real(IRBuilder<>& b, const PtxInstruction& i, Value* value) {
    Type* type = value->getType();
    Type* word = b.getIntNTy(type->getPrimitiveSizeInBits());
    Value* bits = b.CreateBitCast(value, word);
    if (has_part(i, "satfinite")) {
        Value* infinity = b.CreateBitCast(llvm::ConstantFP::getInfinity(type), word);
        Value* size = b.CreateAnd(
            bits, llvm::ConstantInt::get(
                      word, llvm::APInt::getSignedMaxValue(word->getIntegerBitWidth())));
        bits = b.CreateSelect(b.CreateICmpEQ(size, infinity),
                              b.CreateSub(bits, llvm::ConstantInt::get(word, 1)), bits);
    }
    if (has_part(i, "relu")) {  // NaN is positive
        bits = b.CreateBinaryIntrinsic(intrinsic::smax, bits, llvm::ConstantInt::get(word, 0));
    }
    return b.CreateBitCast(bits, type);
}

bool is_narrow_conversion(const PtxInstruction& i) {
    const StringRef to = i.opcode[i.opcode.size() - 2], from = i.opcode.back();
    return has_part(i, "pack") || to == "tf32" || to.ends_with("x2") || from.ends_with("x2");
}

bool convert_narrow(PtxStatement& at, const PtxInstruction& i) {
    if (has_part(i, "pack")) return pack(at, i);
    const StringRef to = i.opcode[i.opcode.size() - 2], from = i.opcode.back();
    IRBuilder<>& b = at.builder();
    if (to == "tf32") {
        Value* value = at.read(i.operands[1], b.getFloatTy());
        return value && from == "f32" && i.operands.size() == 2 &&
               at.write(i.operands[0], to_tf32(b, i, value));
    }
    if (const Small* format = small_of(from)) return from_small_pair(at, i, *format);
    Value* pair[2] = {};
    if (!read_pair(at, i, pair)) return false;
    if (const Small* format = small_of(to)) {
        if (!has_part(i, "satfinite") || !has_part(i, "rn")) return false;
        const bool is_relu = has_part(i, "relu");
        Value* low = to_small(b, pair[0], *format, is_relu);
        Value* high = to_small(b, pair[1], *format, is_relu);
        Value* both = b.CreateOr(low, b.CreateShl(high, 8));
        return at.write(i.operands[0], b.CreateTrunc(both, b.getInt16Ty()));
    }
    Type* type = to == "f16x2" ? b.getHalfTy() : to == "bf16x2" ? b.getBFloatTy() : nullptr;
    const StringRef way = rounding_of(i);
    if (!type || from != "f32" || (way != "rn" && way != "rz")) return false;
    Value* word = b.getInt32(0);
    for (unsigned k = 0; k < 2; ++k) {
        Value* part = bounded_real(b, i, round_to(b, pair[k], type, way));
        part = b.CreateZExt(b.CreateBitCast(part, b.getInt16Ty()), b.getInt32Ty());
        word = b.CreateOr(word, b.CreateShl(part, 16 * k));
    }
    return at.write(i.operands[0], word);
}

}  // namespace warpwise::cpu_compiler
