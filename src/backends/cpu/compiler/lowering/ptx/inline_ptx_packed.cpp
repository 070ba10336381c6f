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

bool is_word(StringRef type) {
    return type == "u32" || type == "s32";
}

// "$1", or a byte or half of it, "$1.b2", "$1.h0", as a number of 64 bits.
Value* selected(PtxStatement& at, StringRef operand, bool is_signed) {
    IRBuilder<>& b = at.builder();
    unsigned parts = 1, k = 0;
    if (operand.size() > 3 && operand[operand.size() - 3] == '.') {
        const char kind = operand[operand.size() - 2];
        k = static_cast<unsigned>(operand.back() - '0');
        parts = kind == 'b' ? 4 : kind == 'h' ? 2 : 0;
        if (k >= parts) return nullptr;
        operand = operand.drop_back(3);
    }
    Value* word = at.read(operand, b.getInt32Ty());
    return word ? part_of(b, word, k, parts, is_signed) : nullptr;
}

// An i64 that is what `type` makes of its low 32 bits.
Value* as_word(IRBuilder<>& b, Value* value, StringRef type) {
    return part_of(b, b.CreateTrunc(value, b.getInt32Ty()), 0, 1, type == "s32");
}

// The end of what works on whole words: limits, and the second operation, which joins with
// operand 3.
bool finish(PtxStatement& at, const PtxInstruction& i, Value* result, StringRef type,
            StringRef second) {
    IRBuilder<>& b = at.builder();
    if (i.operands.size() != (second.empty() ? 3U : 4U)) return false;
    if (has_part(i, "sat")) result = limited(b, result, 32, type == "s32");
    if (!second.empty()) {
        Value* third = selected(at, i.operands[3], type == "s32");
        if (!third) return false;
        result = as_word(b, result, type);
        result = second == "add"
                     ? b.CreateAdd(result, third)
                     : b.CreateBinaryIntrinsic(second == "min" ? intrinsic::smin : intrinsic::smax,
                                               result, third);
    }
    return at.write(i.operands[0], b.CreateTrunc(result, b.getInt32Ty()));
}

// The last part where it names a second operation, else empty.
StringRef second_operation(const PtxInstruction& i) {
    const StringRef last = i.opcode.back();
    return last == "add" || last == "min" || last == "max" ? last : StringRef();
}

// "vNAME.dtype.atype.btype[.sat][.second] d, a, b[, c]", a and b whole words or parts of them.
bool video_of_words(PtxStatement& at, const PtxInstruction& i) {
    if (i.opcode.size() < 4 || i.operands.size() < 3) return false;
    if (!is_word(i.opcode[1]) || !is_word(i.opcode[2]) || !is_word(i.opcode[3])) return false;
    Value* x = selected(at, i.operands[1], i.opcode[2] == "s32");
    Value* y = selected(at, i.operands[2], i.opcode[3] == "s32");
    if (!x || !y) return false;
    Value* result = combined(at.builder(), i.opcode.front(), x, y);
    return finish(at, i, result, i.opcode[1], second_operation(i));
}

// "vshl|vshr.dtype.atype.u32[.sat].(clamp|wrap)[.second] d, a, b[, c]"
bool video_shift(PtxStatement& at, const PtxInstruction& i) {
    const bool wraps = has_part(i, "wrap");
    if (i.opcode.size() < 5 || i.operands.size() < 3 || (!wraps && !has_part(i, "clamp"))) {
        return false;
    }
    if (!is_word(i.opcode[1]) || !is_word(i.opcode[2]) || i.opcode[3] != "u32") return false;
    IRBuilder<>& b = at.builder();
    Value* x = selected(at, i.operands[1], i.opcode[2] == "s32");
    Value* by = selected(at, i.operands[2], false);
    if (!x || !by) return false;
    by = wraps ? b.CreateAnd(by, 31) : b.CreateBinaryIntrinsic(intrinsic::umin, by, b.getInt64(32));
    Value* result = i.opcode.front() == "vshl" ? b.CreateShl(x, by) : b.CreateAShr(x, by);
    return finish(at, i, result, i.opcode[1], second_operation(i));
}

// "vmad.dtype.atype.btype[.po][.sat][.shr7|.shr15] d, [-]a, [-]b, [-]c"
bool video_product(PtxStatement& at, const PtxInstruction& i) {
    if (i.opcode.size() < 4 || i.operands.size() != 4) return false;
    if (!is_word(i.opcode[1]) || !is_word(i.opcode[2]) || !is_word(i.opcode[3])) return false;
    IRBuilder<>& b = at.builder();
    Type* wide = b.getIntNTy(80);  // of 64 bits, a sum and a sign
    const bool is_signed = i.opcode[1] == "s32";
    Value* values[3];
    for (unsigned k = 0; k < 3; ++k) {
        StringRef operand = i.operands[k + 1];
        const bool is_negative = operand.consume_front("-");
        if (is_negative && has_part(i, "po")) return false;  // as ptxas has it
        values[k] = selected(at, operand, k < 2 ? i.opcode[2 + k] == "s32" : is_signed);
        if (!values[k]) return false;
        values[k] = b.CreateSExt(values[k], wide);
        if (is_negative) values[k] = b.CreateNeg(values[k]);
    }
    Value* sum = b.CreateAdd(b.CreateMul(values[0], values[1]), values[2]);
    if (has_part(i, "po")) sum = b.CreateAdd(sum, llvm::ConstantInt::get(wide, 1));
    if (has_part(i, "shr7")) sum = b.CreateAShr(sum, 7);
    if (has_part(i, "shr15")) sum = b.CreateAShr(sum, 15);
    if (has_part(i, "sat")) {
        const std::int64_t top = (std::int64_t{1} << (is_signed ? 31 : 32)) - 1;
        sum = b.CreateBinaryIntrinsic(intrinsic::smin, sum, llvm::ConstantInt::get(wide, top));
        sum = b.CreateBinaryIntrinsic(
            intrinsic::smax, sum,
            llvm::ConstantInt::getSigned(llvm::cast<llvm::IntegerType>(wide),
                                         is_signed ? -top - 1 : 0));
    }
    return at.write(i.operands[0], b.CreateTrunc(sum, b.getInt32Ty()));
}

Value* is_test(IRBuilder<>& b, StringRef test, Value* x, Value* y) {
    using P = llvm::CmpInst::Predicate;
    const P predicate = llvm::StringSwitch<P>(test)
                            .Case("eq", P::ICMP_EQ)
                            .Case("ne", P::ICMP_NE)
                            .Case("lt", P::ICMP_SLT)
                            .Case("le", P::ICMP_SLE)
                            .Case("gt", P::ICMP_SGT)
                            .Case("ge", P::ICMP_SGE)
                            .Default(P::BAD_ICMP_PREDICATE);
    if (predicate == P::BAD_ICMP_PREDICATE) return nullptr;
    return b.CreateZExt(b.CreateICmp(predicate, x, y), b.getInt64Ty());
}

// "vset.atype.btype.test[.second] d, a, b[, c]": 1 or 0.
bool video_test(PtxStatement& at, const PtxInstruction& i) {
    if (i.opcode.size() < 4 || i.operands.size() < 3) return false;
    if (!is_word(i.opcode[1]) || !is_word(i.opcode[2])) return false;
    Value* x = selected(at, i.operands[1], i.opcode[1] == "s32");
    Value* y = selected(at, i.operands[2], i.opcode[2] == "s32");
    Value* result = x && y ? is_test(at.builder(), i.opcode[3], x, y) : nullptr;
    return result && finish(at, i, result, "u32", second_operation(i));
}

// "vNAME[2|4].dtype.atype.btype[.sat][.add] d, a, b, c" and "vset[2|4].atype.btype.test[.add]":
// part by part; with .add the sum of all parts and c. c stands for parts that a mask would leave
// out.
bool video_of_parts(PtxStatement& at, const PtxInstruction& i) {
    if (i.opcode.size() < 4 || i.operands.size() != 4) return false;
    StringRef name = i.opcode.front();
    const unsigned parts = name.consume_back("4") ? 4 : name.consume_back("2") ? 2 : 0;
    const bool is_test_of_parts = name == "vset";
    const StringRef type = is_test_of_parts ? "u32" : StringRef(i.opcode[1]);
    const StringRef left = i.opcode[is_test_of_parts ? 1 : 2];
    const StringRef right = i.opcode[is_test_of_parts ? 2 : 3];
    if (parts == 0 || !is_word(type) || !is_word(left) || !is_word(right)) return false;
    const bool adds = i.opcode.back() == "add";
    if (i.opcode.size() > 4 && !adds && i.opcode.back() != "sat") return false;
    IRBuilder<>& b = at.builder();
    Type* word = b.getInt32Ty();
    Value* x = at.read(i.operands[1], word);
    Value* y = at.read(i.operands[2], word);
    Value* c = at.read(i.operands[3], word);
    if (!x || !y || !c) return false;
    Value *packed = b.getInt32(0), *sum = b.CreateZExt(c, b.getInt64Ty());
    for (unsigned k = 0; k < parts; ++k) {
        Value* of_x = part_of(b, x, k, parts, left == "s32");
        Value* of_y = part_of(b, y, k, parts, right == "s32");
        Value* result =
            is_test_of_parts ? is_test(b, i.opcode[3], of_x, of_y) : combined(b, name, of_x, of_y);
        if (!result) return false;
        const unsigned bits = 32 / parts;
        if (has_part(i, "sat")) result = limited(b, result, bits, type == "s32");
        sum = b.CreateAdd(sum, result);
        Value* cut = b.CreateZExt(b.CreateTrunc(result, b.getIntNTy(bits)), word);
        packed = b.CreateOr(packed, b.CreateShl(cut, k * bits));
    }
    return at.write(i.operands[0], adds ? b.CreateTrunc(sum, word) : packed);
}

// dp4a.atype.btype d, a, b, c: bytes by bytes. dp2a.(lo|hi).atype.btype: halves by two of four
// bytes.
bool small_products(PtxStatement& at, const PtxInstruction& i) {
    const bool has_halves = i.opcode.front() == "dp2a";
    if (i.opcode.size() != (has_halves ? 4U : 3U) || i.operands.size() != 4) return false;
    IRBuilder<>& b = at.builder();
    Value* x = at.read(i.operands[1], b.getInt32Ty());
    Value* y = at.read(i.operands[2], b.getInt32Ty());
    Value* sum = at.read(i.operands[3], b.getInt32Ty());
    const StringRef left = i.opcode[i.opcode.size() - 2], right = i.opcode.back();
    if (!x || !y || !sum || !is_word(left) || !is_word(right)) return false;
    const unsigned parts = has_halves ? 2 : 4, first = has_part(i, "hi") ? 2 : 0;
    for (unsigned k = 0; k < parts; ++k) {
        Value* product = b.CreateMul(part_of(b, x, k, parts, left == "s32"),
                                     part_of(b, y, first + k, 4, right == "s32"));
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
        .Cases("vadd", "vsub", "vmin", "vmax", "vabsdiff", video_of_words)
        .Cases("vadd2", "vsub2", "vmin2", "vmax2", "vabsdiff2", video_of_parts)
        .Cases("vadd4", "vsub4", "vmin4", "vmax4", "vabsdiff4", video_of_parts)
        .Cases("vavrg2", "vavrg4", "vset2", "vset4", video_of_parts)
        .Cases("vshl", "vshr", video_shift)
        .Case("vmad", video_product)
        .Case("vset", video_test)
        .Cases("dp4a", "dp2a", small_products)
        .Case("bfind", find_bit)
        .Default(nullptr);
}

}  // namespace warpwise::cpu_compiler
