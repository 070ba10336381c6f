// PTX for packed integers: the video instructions of whole words, halves and bytes, and sums of
// products of bytes.
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Intrinsics.h>

#include "src/backends/cpu/compiler/lowering/ptx/inline_ptx.hpp"

namespace warpwise::cpu_compiler {
namespace {

using llvm::IRBuilder;
using llvm::StringRef;
using llvm::Type;
using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

// Part `k` of `parts` in a word, as a number of 64 bits, in which no step below overflows.
Value* part_of(IRBuilder<>& b, Value* word, unsigned k, unsigned parts, bool is_signed) {
    const unsigned bits = 32 / parts;
    Value* cut = b.CreateTrunc(b.CreateLShr(word, k * bits), b.getIntNTy(bits));
    return is_signed ? b.CreateSExt(cut, b.getInt64Ty()) : b.CreateZExt(cut, b.getInt64Ty());
}

Value* limited(IRBuilder<>& b, Value* value, unsigned bits, bool is_signed) {
    const std::int64_t top = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
    const std::int64_t bottom = is_signed ? -top - 1 : 0;
    value = b.CreateBinaryIntrinsic(intrinsic::smin, value, b.getInt64(top));
    return b.CreateBinaryIntrinsic(intrinsic::smax, value, b.getInt64(bottom));
}

Value* combined(IRBuilder<>& b, StringRef name, Value* x, Value* y) {
    if (name == "vadd") return b.CreateAdd(x, y);
    if (name == "vsub") return b.CreateSub(x, y);
    if (name == "vmin") return b.CreateBinaryIntrinsic(intrinsic::smin, x, y);
    if (name == "vmax") return b.CreateBinaryIntrinsic(intrinsic::smax, x, y);
    if (name == "vavrg") {  // rounded away from zero
        Value* sum = b.CreateAdd(x, y);
        Value* up = b.CreateZExt(b.CreateICmpSGE(sum, b.getInt64(0)), b.getInt64Ty());
        return b.CreateAShr(b.CreateAdd(sum, up), 1);
    }
    return b.CreateIntrinsic(intrinsic::abs, {b.getInt64Ty()}, {b.CreateSub(x, y), b.getFalse()});
}

// "vNAME[2|4].dtype.atype.btype[.sat][.second] d, a, b[, c]": of words the second operation joins
// the result with c; of parts only a sum is taken, of all of them and c.
bool video(PtxStatement& at, const PtxInstruction& i) {
    if (i.opcode.size() < 4 || i.operands.size() < 3) return false;
    StringRef name = i.opcode.front();
    const unsigned parts = name.consume_back("4") ? 4 : name.consume_back("2") ? 2 : 1;
    const auto is_word = [](StringRef type) { return type == "u32" || type == "s32"; };
    if (!is_word(i.opcode[1]) || !is_word(i.opcode[2]) || !is_word(i.opcode[3])) return false;
    StringRef second;
    if (i.opcode.size() > 4 && i.opcode.back() != "sat") second = i.opcode.back();
    const bool chooses = parts == 1 && (second == "min" || second == "max");
    if (!second.empty() && second != "add" && !chooses) return false;
    // Of parts, c is there in any case, for those that a mask would leave out.
    const bool has_third = parts != 1 || !second.empty();
    if (i.operands.size() != (has_third ? 4u : 3u)) return false;
    IRBuilder<>& b = at.builder();
    Type* word = b.getInt32Ty();
    Value* x = at.read(i.operands[1], word);
    Value* y = at.read(i.operands[2], word);
    Value* c = i.operands.size() > 3 ? at.read(i.operands[3], word) : b.getInt32(0);
    if (!x || !y || !c) return false;
    const bool is_signed = i.opcode[1] == "s32";
    Value* third = is_signed ? b.CreateSExt(c, b.getInt64Ty()) : b.CreateZExt(c, b.getInt64Ty());
    Value* packed = b.getInt32(0);
    Value* sum = third;
    for (unsigned k = 0; k < parts; ++k) {
        Value* left = part_of(b, x, k, parts, i.opcode[2] == "s32");
        Value* right = part_of(b, y, k, parts, i.opcode[3] == "s32");
        Value* result = combined(b, name, left, right);
        const unsigned bits = 32 / parts;
        if (has_part(i, "sat")) result = limited(b, result, bits, is_signed);
        if (chooses) {
            result = part_of(b, b.CreateTrunc(result, word), 0, 1, is_signed);
            sum = b.CreateBinaryIntrinsic(second == "min" ? intrinsic::smin : intrinsic::smax,
                                          result, third);
        } else {
            sum = b.CreateAdd(sum, result);
        }
        Value* cut = b.CreateZExt(b.CreateTrunc(result, b.getIntNTy(bits)), word);
        packed = b.CreateOr(packed, b.CreateShl(cut, k * bits));
    }
    return at.write(i.operands[0], second.empty() ? packed : b.CreateTrunc(sum, word));
}

// dp4a.atype.btype d, a, b, c.
bool byte_products(PtxStatement& at, const PtxInstruction& i) {
    if (i.opcode.size() != 3 || i.operands.size() != 4) return false;
    IRBuilder<>& b = at.builder();
    Value* x = at.read(i.operands[1], b.getInt32Ty());
    Value* y = at.read(i.operands[2], b.getInt32Ty());
    Value* sum = at.read(i.operands[3], b.getInt32Ty());
    if (!x || !y || !sum) return false;
    for (unsigned k = 0; k < 4; ++k) {
        Value* product = b.CreateMul(part_of(b, x, k, 4, i.opcode[1] == "s32"),
                                     part_of(b, y, k, 4, i.opcode[2] == "s32"));
        sum = b.CreateAdd(sum, b.CreateTrunc(product, b.getInt32Ty()));
    }
    return at.write(i.operands[0], sum);
}

// bfind[.shiftamt].type: the place of the first bit that is not the sign, all ones without one.
bool find_bit(PtxStatement& at, const PtxInstruction& i) {
    const StringRef name = i.opcode.back();
    Type* type = at.type_of(name);
    if (!type || !type->isIntegerTy() || i.operands.size() != 2) return false;
    IRBuilder<>& b = at.builder();
    Value* value = at.read(i.operands[1], type);
    if (!value) return false;
    const unsigned bits = type->getIntegerBitWidth();
    if (name.starts_with("s")) value = b.CreateXor(value, b.CreateAShr(value, bits - 1));
    Value* zeros = b.CreateIntrinsic(intrinsic::ctlz, {type}, {value, b.getFalse()});
    zeros = b.CreateZExtOrTrunc(zeros, b.getInt32Ty());
    Value* place = has_part(i, "shiftamt") ? zeros : b.CreateSub(b.getInt32(bits - 1), zeros);
    Value* is_none = b.CreateICmpEQ(value, llvm::ConstantInt::get(type, 0));
    return at.write(i.operands[0], b.CreateSelect(is_none, b.getInt32(~0u), place));
}

}  // namespace

PtxRow find_packed_row(StringRef opcode) {
    return llvm::StringSwitch<PtxRow>(opcode)
        .Cases("vadd", "vsub", "vmin", "vmax", "vabsdiff", video)
        .Cases("vadd2", "vsub2", "vmin2", "vmax2", "vabsdiff2", video)
        .Cases("vadd4", "vsub4", "vmin4", "vmax4", "vabsdiff4", video)
        .Cases("vavrg2", "vavrg4", video)
        .Case("dp4a", byte_products)
        .Case("bfind", find_bit)
        .Default(nullptr);
}

}  // namespace warpwise::cpu_compiler
