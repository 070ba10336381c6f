// PTX arithmetic, logic and comparison: one row an opcode.
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

// What rows need of an instruction: its type (the last part), the sources read as that type.
struct Operation {
    Operation(PtxStatement& statement, const PtxInstruction& instruction, unsigned sources)
        : at(statement), b(statement.builder()), text(instruction) {
        name = instruction.opcode.back();
        type = statement.type_of(name);
        is_signed = name.starts_with("s");
        is_real = name.starts_with("f") || name == "bf16";
        is_good = type && instruction.operands.size() == sources + 1;
        for (unsigned i = 1; is_good && i <= sources; ++i) read(i, type);
    }
    void read(unsigned operand, Type* as) {
        values.push_back(at.read(text.operands[operand], as));
        is_good = is_good && values.back();
    }
    bool has(StringRef part) const { return has_part(text, part); }
    bool write(Value* value) { return value && at.write(text.operands[0], value); }
    Value* operator[](unsigned i) const { return values[i]; }
    Value* wide(Value* value) {
        Type* twice = b.getIntNTy(2 * type->getIntegerBitWidth());
        return is_signed ? b.CreateSExt(value, twice) : b.CreateZExt(value, twice);
    }
    Value* unary(intrinsic::ID id, Value* value) { return b.CreateUnaryIntrinsic(id, value); }
    bool is_directed() const { return is_real && warpwise::cpu_compiler::is_directed(text); }
    bool write_directed() {
        Value* value = round_directed(b, text, values);
        return value && write(saturated(value));
    }
    // "add.sat.f32": NaN gives 0.
    Value* saturated(Value* value) {
        if (!is_real || !has("sat")) return value;
        Value* positive = b.CreateMaxNum(value, llvm::ConstantFP::get(type, 0.0));
        return b.CreateMinNum(positive, llvm::ConstantFP::get(type, 1.0));
    }

    PtxStatement& at;
    IRBuilder<>& b;
    const PtxInstruction& text;
    StringRef name;
    Type* type = nullptr;
    bool is_signed = false, is_real = false, is_good = false;
    llvm::SmallVector<Value*, 4> values;
};

bool move(PtxStatement& at, const PtxInstruction& i) {
    Type* type = at.type_of(i.opcode.back());
    if (!type || i.operands.size() != 2 || i.opcode.size() != 2) return false;
    IRBuilder<>& b = at.builder();
    StringRef to = i.operands[0], from = i.operands[1];
    const unsigned bits = type->getPrimitiveSizeInBits();
    llvm::SmallVector<StringRef, 4> parts;
    if (to.consume_front("{") && to.consume_back("}")) {
        to.split(parts, ',');
        Value* whole = at.read(from, b.getIntNTy(bits));
        if (!whole) return false;
        const unsigned each = bits / parts.size();
        for (unsigned k = 0; k < parts.size(); ++k) {
            Value* part = b.CreateTrunc(b.CreateLShr(whole, k * each), b.getIntNTy(each));
            if (!at.write(parts[k], part)) return false;
        }
        return true;
    }
    if (from.consume_front("{") && from.consume_back("}")) {
        from.split(parts, ',');
        Value* whole = b.getIntN(bits, 0);
        const unsigned each = bits / parts.size();
        for (unsigned k = 0; k < parts.size(); ++k) {
            Value* part = at.read(parts[k], b.getIntNTy(each));
            if (!part) return false;
            whole = b.CreateOr(whole, b.CreateShl(b.CreateZExt(part, whole->getType()), k * each));
        }
        return at.write(to, whole);
    }
    Value* value = at.read(from, type);
    return value && at.write(to, value);
}

// Sums with a carry in and out; PTX has one carry flag.
bool sum(PtxStatement& at, const PtxInstruction& i) {
    Operation o(at, i, 2);
    if (!o.is_good) return false;
    const StringRef name = i.opcode.front();
    const bool subtracts = name.starts_with("sub");
    if (o.is_directed()) return o.write_directed();
    if (o.is_real) {
        return o.write(
            o.saturated(subtracts ? o.b.CreateFSub(o[0], o[1]) : o.b.CreateFAdd(o[0], o[1])));
    }
    if (o.name.ends_with("x2")) return false;
    if (o.has("sat")) {
        return o.write(o.b.CreateBinaryIntrinsic(
            subtracts ? intrinsic::ssub_sat : intrinsic::sadd_sat, o[0], o[1]));
    }
    const bool takes = name.ends_with("c");
    if (!takes && !o.has("cc")) {
        return o.write(subtracts ? o.b.CreateSub(o[0], o[1]) : o.b.CreateAdd(o[0], o[1]));
    }
    if (takes && !at.carry()) return false;
    Type* wide = o.b.getIntNTy(o.type->getIntegerBitWidth() + 1);
    Value* a = o.b.CreateZExt(o[0], wide);
    Value* c = o.b.CreateZExt(o[1], wide);
    Value* result = subtracts ? o.b.CreateSub(a, c) : o.b.CreateAdd(a, c);
    if (takes) {
        Value* in = o.b.CreateZExt(at.carry(), wide);
        result = subtracts ? o.b.CreateSub(result, in) : o.b.CreateAdd(result, in);
    }
    if (o.has("cc")) {
        at.carry() = o.b.CreateTrunc(o.b.CreateLShr(result, wide->getIntegerBitWidth() - 1),
                                     o.b.getInt1Ty());
    }
    return o.write(o.b.CreateTrunc(result, o.type));
}

// mul and mad: the low or the high half, or the whole product.
bool product(PtxStatement& at, const PtxInstruction& i) {
    const bool adds = i.opcode.front() != "mul";
    Operation o(at, i, adds ? 2 + 1 : 2);
    const bool is_fma = i.opcode.front() == "fma";
    if (!o.is_good || o.name.ends_with("x2")) return false;
    if (o.is_directed()) return o.write_directed();
    if (o.is_real) {
        if (!adds) return o.write(o.saturated(o.b.CreateFMul(o[0], o[1])));
        return o.write(
            o.saturated(o.b.CreateIntrinsic(intrinsic::fma, {o.type}, {o[0], o[1], o[2]})));
    }
    if (is_fma) return false;
    const bool takes = i.opcode.front() == "madc";
    Value* result = nullptr;
    if (o.has("wide")) {
        result = o.b.CreateMul(o.wide(o[0]), o.wide(o[1]));
        if (adds) {
            Value* third = at.read(i.operands[3], result->getType());
            if (!third) return false;
            result = o.b.CreateAdd(result, third);
        }
        return !takes && !o.has("cc") && o.write(result);
    }
    result = o.b.CreateMul(o[0], o[1]);
    if (o.has("hi")) {
        Value* whole = o.b.CreateMul(o.wide(o[0]), o.wide(o[1]));
        result = o.b.CreateTrunc(o.b.CreateLShr(whole, o.type->getIntegerBitWidth()), o.type);
    }
    if (!adds) return o.write(result);
    Type* more = o.b.getIntNTy(o.type->getIntegerBitWidth() + 1);
    Value* total = o.b.CreateAdd(o.b.CreateZExt(result, more), o.b.CreateZExt(o[2], more));
    if (takes) {
        if (!at.carry()) return false;
        total = o.b.CreateAdd(total, o.b.CreateZExt(at.carry(), more));
    }
    if (o.has("cc")) {
        at.carry() =
            o.b.CreateTrunc(o.b.CreateLShr(total, o.type->getIntegerBitWidth()), o.b.getInt1Ty());
    }
    return o.write(o.b.CreateTrunc(total, o.type));
}

// 24-bit products, of which .lo is the common one.
bool product24(PtxStatement& at, const PtxInstruction& i) {
    const bool adds = i.opcode.front() == "mad24";
    Operation o(at, i, adds ? 3 : 2);
    if (!o.is_good || !o.type->isIntegerTy(32) || !o.has("lo")) return false;
    const auto cut = [&](Value* value) {
        value = o.b.CreateShl(value, 8);
        return o.is_signed ? o.b.CreateAShr(value, 8) : o.b.CreateLShr(value, 8);
    };
    Value* result = o.b.CreateMul(cut(o[0]), cut(o[1]));
    return o.write(adds ? o.b.CreateAdd(result, o[2]) : result);
}

// With .NaN either operand that is none makes the result none; with .xorsign.abs the sizes are
// compared, and the signs multiplied.
Value* least_or_greatest(Operation& o, bool is_least) {
    IRBuilder<>& b = o.b;
    Value *left = o[0], *right = o[1];
    const bool has_sizes = o.has("xorsign");
    if (has_sizes) {
        left = b.CreateUnaryIntrinsic(intrinsic::fabs, left);
        right = b.CreateUnaryIntrinsic(intrinsic::fabs, right);
    }
    Value* result = nullptr;
    if (o.has("NaN")) {
        result = is_least ? b.CreateMinimum(left, right) : b.CreateMaximum(left, right);
    } else {
        result = is_least ? b.CreateMinNum(left, right) : b.CreateMaxNum(left, right);
    }
    if (!has_sizes) return result;
    Type* word = b.getIntNTy(o.type->getPrimitiveSizeInBits());
    Value* signs = b.CreateXor(b.CreateBitCast(o[0], word), b.CreateBitCast(o[1], word));
    return b.CreateBinaryIntrinsic(intrinsic::copysign, result, b.CreateBitCast(signs, o.type));
}

bool binary(PtxStatement& at, const PtxInstruction& i) {
    Operation o(at, i, 2);
    if (!o.is_good || o.name.ends_with("x2")) return false;
    const StringRef name = i.opcode.front();
    if (o.is_directed()) return o.write_directed();
    if (o.is_real) {
        if (name == "div") return o.write(o.b.CreateFDiv(o[0], o[1]));
        return (name == "min" || name == "max") && o.write(least_or_greatest(o, name == "min"));
    }
    if (name == "and") return o.write(o.b.CreateAnd(o[0], o[1]));
    if (name == "or") return o.write(o.b.CreateOr(o[0], o[1]));
    if (name == "xor") return o.write(o.b.CreateXor(o[0], o[1]));
    if (name == "min") {
        return o.write(
            o.b.CreateBinaryIntrinsic(o.is_signed ? intrinsic::smin : intrinsic::umin, o[0], o[1]));
    }
    if (name == "max") {
        return o.write(
            o.b.CreateBinaryIntrinsic(o.is_signed ? intrinsic::smax : intrinsic::umax, o[0], o[1]));
    }
    if (name == "div") {
        return o.write(o.is_signed ? o.b.CreateSDiv(o[0], o[1]) : o.b.CreateUDiv(o[0], o[1]));
    }
    return o.write(o.is_signed ? o.b.CreateSRem(o[0], o[1]) : o.b.CreateURem(o[0], o[1]));
}

// Amounts beyond the width give 0, or the sign.
bool shift(PtxStatement& at, const PtxInstruction& i) {
    Operation o(at, i, 1 + 1);
    Value* amount = o.type ? at.read(i.operands.back(), o.b.getInt32Ty()) : nullptr;
    if (!o.is_good || !amount) return false;
    const unsigned bits = o.type->getIntegerBitWidth();
    Value* beyond = o.b.CreateICmpUGE(amount, o.b.getInt32(bits));
    Value* clamped = o.b.CreateSelect(beyond, o.b.getInt32(bits - 1), amount);
    Value* by = o.b.CreateZExtOrTrunc(clamped, o.type);
    if (i.opcode.front() == "shr" && o.is_signed) return o.write(o.b.CreateAShr(o[0], by));
    Value* moved = i.opcode.front() == "shl" ? o.b.CreateShl(o[0], by) : o.b.CreateLShr(o[0], by);
    return o.write(o.b.CreateSelect(beyond, llvm::ConstantInt::get(o.type, 0), moved));
}

// shf: 32 bits out of 64.
bool funnel(PtxStatement& at, const PtxInstruction& i) {
    Operation o(at, i, 3);
    if (!o.is_good || i.opcode.size() != 4) return false;
    Type* wide = o.b.getInt64Ty();
    Value* both =
        o.b.CreateOr(o.b.CreateShl(o.b.CreateZExt(o[1], wide), 32), o.b.CreateZExt(o[0], wide));
    Value* amount = o.has("wrap")
                        ? o.b.CreateAnd(o[2], 31)
                        : o.b.CreateBinaryIntrinsic(intrinsic::umin, o[2], o.b.getInt32(32));
    amount = o.b.CreateZExt(amount, wide);
    Value* moved =
        o.has("l") ? o.b.CreateLShr(o.b.CreateShl(both, amount), 32) : o.b.CreateLShr(both, amount);
    return o.write(o.b.CreateTrunc(moved, o.b.getInt32Ty()));
}

bool unary(PtxStatement& at, const PtxInstruction& i) {
    const StringRef name = i.opcode.front();
    Operation o(at, i, 1);
    if (!o.is_good || o.name.ends_with("x2")) return false;
    if (o.is_directed()) return o.write_directed();
    if (o.is_real) {
        if (name == "neg") return o.write(o.b.CreateFNeg(o[0]));
        if (name == "abs") return o.write(o.unary(intrinsic::fabs, o[0]));
        if (name == "sqrt") return o.write(o.unary(intrinsic::sqrt, o[0]));
        Value* one = llvm::ConstantFP::get(o.type, 1.0);
        if (name == "rcp") return o.write(o.b.CreateFDiv(one, o[0]));
        if (name == "rsqrt") return o.write(o.b.CreateFDiv(one, o.unary(intrinsic::sqrt, o[0])));
        return false;
    }
    const auto counted = [&](Value* value) {
        return o.b.CreateZExtOrTrunc(value, o.b.getInt32Ty());
    };
    if (name == "neg") return o.write(o.b.CreateNeg(o[0]));
    if (name == "not") return o.write(o.b.CreateNot(o[0]));
    if (name == "cnot") {
        return o.write(
            o.b.CreateZExt(o.b.CreateICmpEQ(o[0], llvm::ConstantInt::get(o.type, 0)), o.type));
    }
    if (name == "abs") {
        return o.write(o.b.CreateIntrinsic(intrinsic::abs, {o.type}, {o[0], o.b.getFalse()}));
    }
    if (name == "popc") return o.write(counted(o.unary(intrinsic::ctpop, o[0])));
    if (name == "brev") return o.write(o.unary(intrinsic::bitreverse, o[0]));
    if (name == "clz") {
        return o.write(
            counted(o.b.CreateIntrinsic(intrinsic::ctlz, {o.type}, {o[0], o.b.getFalse()})));
    }
    return false;
}

// A field of bits, from a first one on and so many.
bool bit_field(PtxStatement& at, const PtxInstruction& i) {
    const bool inserts = i.opcode.front() == "bfi";
    Type* type = at.type_of(i.opcode.back());
    if (!type || i.operands.size() != (inserts ? 5u : 4u)) return false;
    IRBuilder<>& b = at.builder();
    const unsigned bits = type->getIntegerBitWidth();
    Type* wide = b.getIntNTy(2 * bits);  // lengths up to 255 shift without surprises below
    const unsigned place = inserts ? 3 : 2;
    Value* source = at.read(i.operands[1], type);
    Value* start = at.read(i.operands[place], b.getInt32Ty());
    Value* length = at.read(i.operands[place + 1], b.getInt32Ty());
    if (!source || !start || !length) return false;
    const auto limited = [&](Value* value) {
        // A byte for 32 bits, as seen on an H200; the whole number for 64.
        Value* number = bits == 32 ? b.CreateAnd(value, 255) : value;
        return b.CreateZExt(b.CreateBinaryIntrinsic(intrinsic::umin, number, b.getInt32(bits)),
                            wide);
    };
    start = limited(start);
    length = limited(length);
    Value* one = llvm::ConstantInt::get(wide, 1);
    Value* ones = b.CreateSub(b.CreateShl(one, length), one);
    if (inserts) {
        Value* into = at.read(i.operands[2], type);
        if (!into) return false;
        Value* mask = b.CreateShl(ones, start);
        Value* moved = b.CreateAnd(b.CreateShl(b.CreateZExt(source, wide), start), mask);
        Value* kept = b.CreateAnd(b.CreateZExt(into, wide), b.CreateNot(mask));
        return at.write(i.operands[0], b.CreateTrunc(b.CreateOr(moved, kept), type));
    }
    const bool is_signed = StringRef(i.opcode.back()).starts_with("s");
    Value* all = is_signed ? b.CreateSExt(source, wide) : b.CreateZExt(source, wide);
    Value* field = b.CreateAnd(b.CreateLShr(all, start), ones);
    if (is_signed) {  // the field's last bit, or the source's where the field reaches beyond it
        Value* last = b.CreateSub(b.CreateAdd(start, length), one);
        Value* limit = llvm::ConstantInt::get(wide, bits - 1);
        last = b.CreateBinaryIntrinsic(intrinsic::umin, last, limit);
        Value* sign = b.CreateAnd(b.CreateLShr(all, last), one);
        Value* fill = b.CreateAnd(b.CreateNeg(sign), b.CreateNot(ones));
        Value* is_empty = b.CreateICmpEQ(length, llvm::ConstantInt::get(wide, 0));
        field = b.CreateSelect(is_empty, llvm::ConstantInt::get(wide, 0), b.CreateOr(field, fill));
    }
    return at.write(i.operands[0], b.CreateTrunc(field, type));
}

// Bytes of two words by a selector: bit 3 of a nibble copies the byte's sign instead.
bool permute(PtxStatement& at, const PtxInstruction& i) {
    Operation o(at, i, 3);
    if (!o.is_good || i.opcode.size() != 2) return false;
    Type* wide = o.b.getInt64Ty();
    Value* both =
        o.b.CreateOr(o.b.CreateShl(o.b.CreateZExt(o[1], wide), 32), o.b.CreateZExt(o[0], wide));
    Value* result = o.b.getInt32(0);
    for (unsigned k = 0; k < 4; ++k) {
        Value* nibble = o.b.CreateLShr(o[2], 4 * k);
        Value* index = o.b.CreateShl(o.b.CreateAnd(nibble, 7), 3);
        Value* byte =
            o.b.CreateTrunc(o.b.CreateLShr(both, o.b.CreateZExt(index, wide)), o.b.getInt8Ty());
        Value* sign = o.b.CreateAShr(byte, 7);
        Value* takes_sign = o.b.CreateICmpNE(o.b.CreateAnd(nibble, 8), o.b.getInt32(0));
        byte = o.b.CreateSelect(takes_sign, sign, byte);
        result = o.b.CreateOr(result, o.b.CreateShl(o.b.CreateZExt(byte, o.type), 8 * k));
    }
    return o.write(result);
}

// Any logic of three words: bit n of the table is the result for a, b, c = the bits of n.
bool logic3(PtxStatement& at, const PtxInstruction& i) {
    if (i.operands.size() != 5 || i.opcode.back() != "b32") return false;
    IRBuilder<>& b = at.builder();
    Value* words[3];
    for (unsigned k = 0; k < 3; ++k) {
        words[k] = at.read(i.operands[k + 1], b.getInt32Ty());
        if (!words[k]) return false;
    }
    auto* table = llvm::dyn_cast_or_null<llvm::ConstantInt>(at.read(i.operands[4], b.getInt32Ty()));
    if (!table) return false;
    Value* result = b.getInt32(0);
    for (unsigned n = 0; n < 8; ++n) {
        if (!(table->getZExtValue() >> n & 1)) continue;
        Value* term = b.getInt32(~0u);
        for (unsigned k = 0; k < 3; ++k) {
            const bool is_set = n >> (2 - k) & 1;
            term = b.CreateAnd(term, is_set ? words[k] : b.CreateNot(words[k]));
        }
        result = b.CreateOr(result, term);
    }
    return at.write(i.operands[0], result);
}

bool compare(PtxStatement& at, const PtxInstruction& i) {
    Operation o(at, i, 2);
    if (!o.is_good || i.opcode.size() < 3) return false;
    const StringRef test = i.opcode[1];
    using P = llvm::CmpInst::Predicate;
    P predicate = llvm::StringSwitch<P>(test)
                      .Case("eq", o.is_real ? P::FCMP_OEQ : P::ICMP_EQ)
                      .Case("ne", o.is_real ? P::FCMP_ONE : P::ICMP_NE)
                      .Case("lt", o.is_real     ? P::FCMP_OLT
                                  : o.is_signed ? P::ICMP_SLT
                                                : P::ICMP_ULT)
                      .Case("le", o.is_real     ? P::FCMP_OLE
                                  : o.is_signed ? P::ICMP_SLE
                                                : P::ICMP_ULE)
                      .Case("gt", o.is_real     ? P::FCMP_OGT
                                  : o.is_signed ? P::ICMP_SGT
                                                : P::ICMP_UGT)
                      .Case("ge", o.is_real     ? P::FCMP_OGE
                                  : o.is_signed ? P::ICMP_SGE
                                                : P::ICMP_UGE)
                      .Cases("lo", "ls", "hi", "hs", P::BAD_ICMP_PREDICATE)
                      .Case("neu", P::FCMP_UNE)
                      .Case("num", P::FCMP_ORD)
                      .Case("nan", P::FCMP_UNO)
                      .Default(P::BAD_ICMP_PREDICATE);
    if (predicate == P::BAD_ICMP_PREDICATE) return false;
    if (llvm::CmpInst::isFPPredicate(predicate) != o.is_real) return false;
    return o.write(o.b.CreateCmp(predicate, o[0], o[1]));
}

bool choose(PtxStatement& at, const PtxInstruction& i) {
    if (i.operands.size() != 4) return false;
    Type* type = at.type_of(i.opcode.back());
    Value* a = type ? at.read(i.operands[1], type) : nullptr;
    Value* c = type ? at.read(i.operands[2], type) : nullptr;
    Value* p = type ? at.read(i.operands[3], at.builder().getInt1Ty()) : nullptr;
    return a && c && p && at.write(i.operands[0], at.builder().CreateSelect(p, a, c));
}

bool difference(PtxStatement& at, const PtxInstruction& i) {  // sad
    Operation o(at, i, 3);
    if (!o.is_good) return false;
    Value* less = o.is_signed ? o.b.CreateICmpSLT(o[0], o[1]) : o.b.CreateICmpULT(o[0], o[1]);
    Value* distance = o.b.CreateSelect(less, o.b.CreateSub(o[1], o[0]), o.b.CreateSub(o[0], o[1]));
    return o.write(o.b.CreateAdd(distance, o[2]));
}

}  // namespace

PtxRow find_arithmetic_row(StringRef opcode) {
    return llvm::StringSwitch<PtxRow>(opcode)
        .Case("mov", move)
        .Cases("add", "addc", "sub", "subc", sum)
        .Cases("mul", "mad", "madc", "fma", product)
        .Cases("mul24", "mad24", product24)
        .Cases("and", "or", "xor", "min", "max", binary)
        .Cases("div", "rem", binary)
        .Cases("shl", "shr", shift)
        .Case("shf", funnel)
        .Cases("neg", "abs", "not", "cnot", unary)
        .Cases("popc", "clz", "brev", "sqrt", "rsqrt", unary)
        .Case("rcp", unary)
        .Cases("bfe", "bfi", bit_field)
        .Case("prmt", permute)
        .Case("lop3", logic3)
        .Case("setp", compare)
        .Case("selp", choose)
        .Case("sad", difference)
        .Default(nullptr);
}

}  // namespace warpwise::cpu_compiler
