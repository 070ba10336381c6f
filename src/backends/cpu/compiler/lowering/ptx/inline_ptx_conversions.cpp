// PTX cvt between integers and reals. Conversions to reals of 8 bits, to tf32 and of several
// numbers at once are in inline_ptx_narrow.cpp.
#include <llvm/IR/Intrinsics.h>

#include "src/backends/cpu/compiler/lowering/ptx/inline_ptx.hpp"

namespace warpwise::cpu_compiler {
namespace {

using llvm::APInt;
using llvm::IRBuilder;
using llvm::StringRef;
using llvm::Type;
using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

// To a whole number, if the instruction requires it.
Value* whole(IRBuilder<>& b, const PtxInstruction& i, Value* value) {
    const intrinsic::ID id = has_part(i, "rni")   ? intrinsic::roundeven
                             : has_part(i, "rmi") ? intrinsic::floor
                             : has_part(i, "rpi") ? intrinsic::ceil
                             : has_part(i, "rzi") ? intrinsic::trunc
                                                  : intrinsic::not_intrinsic;
    return id == intrinsic::not_intrinsic ? value : b.CreateUnaryIntrinsic(id, value);
}

// Integers of up to 64 bits to the nearest number that the result can hold.
bool convert_within(PtxStatement& at, const PtxInstruction& i, Value* value) {
    const StringRef to_name = i.opcode[i.opcode.size() - 2];
    Type* to = at.type_of(to_name);
    IRBuilder<>& b = at.builder();
    const unsigned bits = to->getIntegerBitWidth();
    const bool to_signed = to_name.starts_with("s");
    Type* wide = b.getIntNTy(65);  // holds every number of both types
    const APInt top =
        to_signed ? APInt::getSignedMaxValue(bits).zext(65) : APInt::getMaxValue(bits).zext(65);
    const APInt least = to_signed ? APInt::getSignedMinValue(bits).sext(65) : APInt(65, 0);
    value = b.CreateIntCast(value, wide, StringRef(i.opcode.back()).starts_with("s"));
    value = b.CreateBinaryIntrinsic(intrinsic::smin, value, b.getInt(top));
    value = b.CreateBinaryIntrinsic(intrinsic::smax, value, b.getInt(least));
    return at.write(i.operands[0], b.CreateTrunc(value, bits < 32 ? b.getInt32Ty() : to));
}

// An integer of 64 bits as a double that any narrower type rounds as it would the integer itself:
// the last bit is set where bits are lost. With `to` double, rounded in the way.
Value* from_long(IRBuilder<>& b, Value* value, bool is_signed, StringRef way, bool is_result) {
    constexpr unsigned kLost = 64 - 53;
    Type* type = value->getType();
    llvm::Constant* zero = llvm::ConstantInt::get(type, 0);
    Value* is_negative = is_signed ? b.CreateICmpSLT(value, zero) : b.getFalse();
    Value* size = b.CreateSelect(is_negative, b.CreateNeg(value), value);
    Value* zeros = b.CreateIntrinsic(intrinsic::ctlz, {type}, {size, b.getFalse()});
    Value* drop = b.CreateBinaryIntrinsic(intrinsic::usub_sat, b.getInt64(kLost), zeros);
    Value* kept = b.CreateShl(b.CreateLShr(size, drop), drop);
    Value* is_inexact = b.CreateICmpNE(kept, size);
    if (!is_result) {
        kept = b.CreateOr(kept, b.CreateShl(b.CreateZExt(is_inexact, type), drop));
    }
    Value* real = b.CreateUIToFP(kept, b.getDoubleTy());
    if (is_result && way != "rz") {
        Value* moves_away = way == "rp" ? b.CreateNot(is_negative) : is_negative;
        Value* step = b.CreateZExt(b.CreateAnd(is_inexact, moves_away), type);
        real = b.CreateBitCast(b.CreateAdd(b.CreateBitCast(real, type), step), b.getDoubleTy());
    }
    return b.CreateSelect(is_negative, b.CreateFNeg(real), real);
}

Value* from_integer(IRBuilder<>& b, Value* value, bool is_signed, Type* to, StringRef way) {
    const bool is_long = value->getType()->getIntegerBitWidth() > 32;
    const bool is_common = to->isDoubleTy() || to->isFloatTy();
    if (is_long && (way != "rn" || !is_common)) {
        const bool is_result = to->isDoubleTy();
        Value* real = from_long(b, value, is_signed, way, is_result);
        return is_result ? real : round_to(b, real, to, way);
    }
    if (is_common && (way == "rn" || to->isDoubleTy())) {
        return is_signed ? b.CreateSIToFP(value, to) : b.CreateUIToFP(value, to);
    }
    Type* wide = b.getDoubleTy();  // holds 32 bits exactly
    return round_to(b, is_signed ? b.CreateSIToFP(value, wide) : b.CreateUIToFP(value, wide), to,
                    way);
}

// Saturates. NaN gives 0, but the number with the highest bit alone where either side has 64 bits.
Value* to_integer(IRBuilder<>& b, Value* value, Type* to, bool is_signed) {
    Value* result = b.CreateIntrinsic(is_signed ? intrinsic::fptosi_sat : intrinsic::fptoui_sat,
                                      {to, value->getType()}, {value});
    const unsigned bits = to->getIntegerBitWidth();
    if (bits != 64 && !value->getType()->isDoubleTy()) return result;
    Value* const highest = b.getInt(APInt::getSignMask(bits));
    return b.CreateSelect(b.CreateFCmpUNO(value, value), highest, result);
}

Value* to_real(IRBuilder<>& b, const PtxInstruction& i, Value* value, Type* to) {
    Type* from = value->getType();
    if (to == from) return whole(b, i, value);
    if (to->getPrimitiveSizeInBits() > from->getPrimitiveSizeInBits()) {
        return b.CreateFPExt(value, to);
    }
    const StringRef way = rounding_of(i);
    if (way.empty() || from->getPrimitiveSizeInBits() == to->getPrimitiveSizeInBits()) {
        return nullptr;
    }
    return bounded_real(b, i, round_to(b, value, to, way));
}

bool convert(PtxStatement& at, const PtxInstruction& i) {
    if (i.opcode.size() < 3 || i.operands.size() < 2) return false;
    if (is_narrow_conversion(i)) return convert_narrow(at, i);
    if (i.operands.size() != 2) return false;
    const StringRef to_name = i.opcode[i.opcode.size() - 2], from_name = i.opcode.back();
    Type* to = at.type_of(to_name);
    Type* from = at.type_of(from_name);
    if (!to || !from || to_name.ends_with("x2") || from_name.ends_with("x2")) return false;
    IRBuilder<>& b = at.builder();
    Value* value = at.read(i.operands[1], from);
    if (!value) return false;
    const bool from_signed = from_name.starts_with("s"), to_signed = to_name.starts_with("s");
    if (from->isIntegerTy() && to->isIntegerTy()) {
        if (has_part(i, "sat")) return convert_within(at, i, value);
        // Into wider registers a signed result keeps its sign.
        Value* result = b.CreateIntCast(value, to, from_signed);
        if (to->getIntegerBitWidth() < 32 && to_signed) {
            result = b.CreateSExt(result, b.getInt32Ty());
        }
        return at.write(i.operands[0], result);
    }
    if (to->isIntegerTy()) {
        return at.write(i.operands[0], to_integer(b, whole(b, i, value), to, to_signed));
    }
    const StringRef way = rounding_of(i);
    Value* result = nullptr;
    if (!from->isIntegerTy()) {
        result = to_real(b, i, value, to);
    } else if (!way.empty()) {
        result = from_integer(b, value, from_signed, to, way);
    }
    if (result && has_part(i, "sat")) {  // to [0, 1], NaN to 0
        result = b.CreateMaxNum(result, llvm::ConstantFP::get(to, 0.0));
        result = b.CreateMinNum(result, llvm::ConstantFP::get(to, 1.0));
    }
    return result && at.write(i.operands[0], result);
}

}  // namespace

PtxRow find_conversion_row(StringRef opcode) {
    return opcode == "cvt" ? convert : nullptr;
}

}  // namespace warpwise::cpu_compiler
