// PTX cvt.
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
Value* rounded(IRBuilder<>& b, const PtxInstruction& i, Value* value) {
    const intrinsic::ID id = has_part(i, "rni")   ? intrinsic::roundeven
                             : has_part(i, "rmi") ? intrinsic::floor
                             : has_part(i, "rpi") ? intrinsic::ceil
                             : has_part(i, "rzi") ? intrinsic::trunc
                                                  : intrinsic::not_intrinsic;
    return id == intrinsic::not_intrinsic ? value : b.CreateUnaryIntrinsic(id, value);
}

// Integers of up to 32 bits to the nearest number that the result can hold.
bool convert_within(PtxStatement& at, const PtxInstruction& i, Value* value) {
    const StringRef to_name = i.opcode[i.opcode.size() - 2];
    Type* to = at.type_of(to_name);
    IRBuilder<>& b = at.builder();
    const unsigned bits = to->getIntegerBitWidth();
    if (bits > 32 || value->getType()->getIntegerBitWidth() > 32) return false;
    const bool to_signed = to_name.starts_with("s");
    const std::int64_t top = (std::int64_t{1} << (to_signed ? bits - 1 : bits)) - 1;
    value = b.CreateIntCast(value, b.getInt64Ty(), StringRef(i.opcode.back()).starts_with("s"));
    value = b.CreateBinaryIntrinsic(intrinsic::smin, value, b.getInt64(top));
    value = b.CreateBinaryIntrinsic(intrinsic::smax, value, b.getInt64(to_signed ? -top - 1 : 0));
    return at.write(i.operands[0], b.CreateTrunc(value, bits < 32 ? b.getInt32Ty() : to));
}

// Reals to integers saturate, NaN gives 0; other roundings than to the nearest are not for reals.
bool convert(PtxStatement& at, const PtxInstruction& i) {
    if (i.opcode.size() < 3 || i.operands.size() != 2) return false;
    const StringRef to_name = i.opcode[i.opcode.size() - 2], from_name = i.opcode.back();
    Type* to = at.type_of(to_name);
    Type* from = at.type_of(from_name);
    if (!to || !from || to_name.ends_with("x2") || from_name.ends_with("x2")) return false;
    IRBuilder<>& b = at.builder();
    Value* value = at.read(i.operands[1], from);
    if (!value) return false;
    if (has_part(i, "sat") && !to->isIntegerTy()) {  // to [0, 1], NaN to 0
        if (to != from) return false;
        value = b.CreateMaxNum(value, llvm::ConstantFP::get(to, 0.0));
        return at.write(i.operands[0], b.CreateMinNum(value, llvm::ConstantFP::get(to, 1.0)));
    }
    if (has_part(i, "sat") && from->isIntegerTy()) return convert_within(at, i, value);
    const bool from_signed = from_name.starts_with("s"), to_signed = to_name.starts_with("s");
    if (from->isIntegerTy() && to->isIntegerTy()) {
        // Into wider registers a signed result keeps its sign.
        Value* result = b.CreateIntCast(value, to, from_signed);
        if (to->getIntegerBitWidth() < 32 && to_signed) {
            result = b.CreateSExt(result, b.getInt32Ty());
        }
        return at.write(i.operands[0], result);
    }
    if (from->isIntegerTy()) {
        return has_part(i, "rn") &&
               at.write(i.operands[0],
                        from_signed ? b.CreateSIToFP(value, to) : b.CreateUIToFP(value, to));
    }
    if (to->isIntegerTy()) {
        Value* result = b.CreateIntrinsic(to_signed ? intrinsic::fptosi_sat : intrinsic::fptoui_sat,
                                          {to, from}, {rounded(b, i, value)});
        // NaN gives 0, but the number with the highest bit alone where either side has 64 bits.
        const unsigned bits = to->getIntegerBitWidth();
        if (bits == 64 || from->isDoubleTy()) {
            Value* const highest = b.getInt(APInt::getSignMask(bits));
            result = b.CreateSelect(b.CreateFCmpUNO(value, value), highest, result);
        }
        return at.write(i.operands[0], result);
    }
    if (to == from) {
        return at.write(i.operands[0], rounded(b, i, value));
    }
    if (to->getPrimitiveSizeInBits() > from->getPrimitiveSizeInBits()) {
        return at.write(i.operands[0], b.CreateFPExt(value, to));
    }
    return has_part(i, "rn") && at.write(i.operands[0], b.CreateFPTrunc(value, to));
}

}  // namespace

PtxRow find_conversion_row(StringRef opcode) {
    return opcode == "cvt" ? convert : nullptr;
}

}  // namespace warpwise::cpu_compiler
