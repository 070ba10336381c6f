// PTX comparisons, what they give and what chooses by them: setp, set, selp, slct, testp, copysign.
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Intrinsics.h>

#include "src/backends/cpu/compiler/lowering/ptx/inline_ptx.hpp"

namespace warpwise::cpu_compiler {
namespace {

using llvm::IRBuilder;
using llvm::StringRef;
using llvm::Type;
using llvm::Value;
using P = llvm::CmpInst::Predicate;
namespace intrinsic = llvm::Intrinsic;

P predicate_of(StringRef test, bool is_real, bool is_signed) {
    if (is_real) {
        return llvm::StringSwitch<P>(test)
            .Case("eq", P::FCMP_OEQ)
            .Case("ne", P::FCMP_ONE)
            .Case("lt", P::FCMP_OLT)
            .Case("le", P::FCMP_OLE)
            .Case("gt", P::FCMP_OGT)
            .Case("ge", P::FCMP_OGE)
            .Case("equ", P::FCMP_UEQ)
            .Case("neu", P::FCMP_UNE)
            .Case("ltu", P::FCMP_ULT)
            .Case("leu", P::FCMP_ULE)
            .Case("gtu", P::FCMP_UGT)
            .Case("geu", P::FCMP_UGE)
            .Case("num", P::FCMP_ORD)
            .Case("nan", P::FCMP_UNO)
            .Default(P::BAD_ICMP_PREDICATE);
    }
    return llvm::StringSwitch<P>(test)
        .Case("eq", P::ICMP_EQ)
        .Case("ne", P::ICMP_NE)
        .Case("lt", is_signed ? P::ICMP_SLT : P::ICMP_ULT)
        .Case("le", is_signed ? P::ICMP_SLE : P::ICMP_ULE)
        .Case("gt", is_signed ? P::ICMP_SGT : P::ICMP_UGT)
        .Case("ge", is_signed ? P::ICMP_SGE : P::ICMP_UGE)
        .Case("lo", P::ICMP_ULT)
        .Case("ls", P::ICMP_ULE)
        .Case("hi", P::ICMP_UGT)
        .Case("hs", P::ICMP_UGE)
        .Default(P::BAD_ICMP_PREDICATE);
}

// The comparison of operands `first` and the next, of the last type, joined with the predicate that
// follows them if the instruction says how; and its opposite, joined likewise.
struct Comparison {
    Value *result = nullptr, *opposite = nullptr;

    bool read(PtxStatement& at, const PtxInstruction& i, unsigned first) {
        const StringRef name = i.opcode.back();
        Type* type = at.type_of(name);
        const bool is_joined = has_part(i, "and") || has_part(i, "or") || has_part(i, "xor");
        if (!type || name.ends_with("x2") || i.opcode.size() < 3) return false;
        if (i.operands.size() != first + (is_joined ? 3U : 2U)) return false;
        IRBuilder<>& b = at.builder();
        const P predicate =
            predicate_of(i.opcode[1], type->isFloatingPointTy(), name.starts_with("s"));
        Value* left = at.read(i.operands[first], type);
        Value* right = at.read(i.operands[first + 1], type);
        if (predicate == P::BAD_ICMP_PREDICATE || !left || !right) return false;
        result = b.CreateCmp(predicate, left, right);
        opposite = b.CreateNot(result);
        if (!is_joined) return true;
        Value* other = at.read(i.operands[first + 2], b.getInt1Ty());
        if (!other) return false;
        for (Value** one : {&result, &opposite}) {
            *one = has_part(i, "and")  ? b.CreateAnd(*one, other)
                   : has_part(i, "or") ? b.CreateOr(*one, other)
                                       : b.CreateXor(*one, other);
        }
        return true;
    }
};

// setp.TEST[.and|.or|.xor].TYPE p[|q], a, b[, c]
bool set_predicate(PtxStatement& at, const PtxInstruction& i) {
    const bool is_joined = has_part(i, "and") || has_part(i, "or") || has_part(i, "xor");
    const bool has_two = i.operands.size() == (is_joined ? 5U : 4U);
    Comparison comparison;
    if (!comparison.read(at, i, has_two ? 2 : 1)) return false;
    return at.write(i.operands[0], comparison.result) &&
           (!has_two || at.write(i.operands[1], comparison.opposite));
}

// All bits, or the number 1.
Value* truth(IRBuilder<>& b, Value* condition, Type* type) {
    if (type->isFloatingPointTy()) return b.CreateUIToFP(condition, type);
    return b.CreateSExt(condition, type);
}

// set.TEST[.and|.or|.xor].TYPE.TYPE d, a, b[, c]
bool set(PtxStatement& at, const PtxInstruction& i) {
    if (i.opcode.size() < 4) return false;
    Type* type = at.type_of(i.opcode[i.opcode.size() - 2]);
    Comparison comparison;
    return type && comparison.read(at, i, 1) &&
           at.write(i.operands[0], truth(at.builder(), comparison.result, type));
}

// set.TEST[.ftz].TYPE.f16x2: for each half, in its half.
bool set_pair(PtxStatement& at, const PtxInstruction& i) {
    const StringRef name = i.opcode.back(), to = i.opcode[i.opcode.size() - 2];
    if (i.opcode.size() < 4 || i.operands.size() != 3) return false;
    if (to != name && to != "u32" && to != "s32") return false;
    IRBuilder<>& b = at.builder();
    Type* type = name == "f16x2" ? b.getHalfTy() : b.getBFloatTy();
    const P predicate = predicate_of(i.opcode[1], true, false);
    Value* left = at.read(i.operands[1], b.getInt32Ty());
    Value* right = at.read(i.operands[2], b.getInt32Ty());
    if (predicate == P::BAD_ICMP_PREDICATE || !left || !right) return false;
    Value* word = b.getInt32(0);
    for (unsigned k = 0; k < 2; ++k) {
        const auto half = [&](Value* both) {
            return b.CreateBitCast(b.CreateTrunc(b.CreateLShr(both, 16 * k), b.getInt16Ty()), type);
        };
        Value* one = truth(b, b.CreateCmp(predicate, half(left), half(right)),
                           to == name ? type : b.getInt16Ty());
        one = b.CreateZExt(b.CreateBitCast(one, b.getInt16Ty()), b.getInt32Ty());
        word = b.CreateOr(word, b.CreateShl(one, 16 * k));
    }
    return at.write(i.operands[0], word);
}

bool set_any(PtxStatement& at, const PtxInstruction& i) {
    return StringRef(i.opcode.back()).ends_with("x2") ? set_pair(at, i) : set(at, i);
}

bool choose(PtxStatement& at, const PtxInstruction& i) {  // selp
    if (i.operands.size() != 4) return false;
    Type* type = at.type_of(i.opcode.back());
    Value* a = type ? at.read(i.operands[1], type) : nullptr;
    Value* c = type ? at.read(i.operands[2], type) : nullptr;
    Value* p = type ? at.read(i.operands[3], at.builder().getInt1Ty()) : nullptr;
    return a && c && p && at.write(i.operands[0], at.builder().CreateSelect(p, a, c));
}

// slct.TYPE.(s32|f32) d, a, b, c: a where c is not below 0; b for NaN.
bool choose_by_sign(PtxStatement& at, const PtxInstruction& i) {
    if (i.opcode.size() < 3 || i.operands.size() != 4) return false;
    IRBuilder<>& b = at.builder();
    Type* type = at.type_of(i.opcode[i.opcode.size() - 2]);
    const StringRef by = i.opcode.back();
    if (!type || (by != "s32" && by != "f32")) return false;
    Value* a = at.read(i.operands[1], type);
    Value* c = at.read(i.operands[2], type);
    Value* number = at.read(i.operands[3], at.type_of(by));
    if (!a || !c || !number) return false;
    llvm::Constant* zero = llvm::Constant::getNullValue(number->getType());
    Value* is_first = by == "s32" ? b.CreateICmpSGE(number, zero) : b.CreateFCmpOGE(number, zero);
    return at.write(i.operands[0], b.CreateSelect(is_first, a, c));
}

bool test_property(PtxStatement& at, const PtxInstruction& i) {  // testp
    Type* type = at.type_of(i.opcode.back());
    if (!type || !type->isFloatingPointTy() || i.opcode.size() != 3 || i.operands.size() != 2) {
        return false;
    }
    const auto classes = llvm::StringSwitch<unsigned>(i.opcode[1])
                             .Case("finite", llvm::fcFinite)
                             .Case("infinite", llvm::fcInf)
                             .Case("number", llvm::fcAllFlags & ~llvm::fcNan)
                             .Case("notanumber", llvm::fcNan)
                             .Case("normal", llvm::fcNormal | llvm::fcZero)
                             .Case("subnormal", llvm::fcSubnormal)
                             .Default(0);
    Value* value = at.read(i.operands[1], type);
    if (classes == 0 || !value) return false;
    return at.write(i.operands[0], at.builder().createIsFPClass(value, classes));
}

bool copy_sign(PtxStatement& at, const PtxInstruction& i) {  // of the first to the second
    Type* type = at.type_of(i.opcode.back());
    if (!type || !type->isFloatingPointTy() || i.operands.size() != 3) return false;
    Value* sign = at.read(i.operands[1], type);
    Value* size = at.read(i.operands[2], type);
    return sign && size &&
           at.write(i.operands[0],
                    at.builder().CreateBinaryIntrinsic(intrinsic::copysign, size, sign));
}

}  // namespace

PtxRow find_comparison_row(StringRef opcode) {
    return llvm::StringSwitch<PtxRow>(opcode)
        .Case("setp", set_predicate)
        .Case("set", set_any)
        .Case("selp", choose)
        .Case("slct", choose_by_sign)
        .Case("testp", test_property)
        .Case("copysign", copy_sign)
        .Default(nullptr);
}

}  // namespace warpwise::cpu_compiler
