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
    // "add.sat.f32": NaN gives 0. "fma.rn.relu.f16": no negative numbers, NaN is kept.
    Value* saturated(Value* value) {
        if (has("relu")) {
            llvm::Constant* zero = llvm::Constant::getNullValue(type);
            if (!is_real) return b.CreateBinaryIntrinsic(intrinsic::smax, value, zero);
            return b.CreateSelect(b.CreateFCmpOLT(value, zero), zero, value);
        }
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
    if (o.has("sat")) {  // mad.hi.sat.s32
        return !takes && !o.has("cc") &&
               o.write(o.b.CreateBinaryIntrinsic(intrinsic::sadd_sat, result, o[2]));
    }
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

// 24-bit products: their low 32 of 48 bits, or the high ones.
bool product24(PtxStatement& at, const PtxInstruction& i) {
    const bool adds = i.opcode.front() == "mad24";
    Operation o(at, i, adds ? 3 : 2);
    if (!o.is_good || !o.type->isIntegerTy(32) || o.has("sat")) return false;
    const auto cut = [&](Value* value) {
        value = o.b.CreateShl(value, 8);
        return o.wide(o.is_signed ? o.b.CreateAShr(value, 8) : o.b.CreateLShr(value, 8));
    };
    Value* result = o.b.CreateMul(cut(o[0]), cut(o[1]));
    result = o.b.CreateTrunc(o.has("hi") ? o.b.CreateLShr(result, 16) : result, o.type);
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
        return o.write(o.saturated(o.b.CreateBinaryIntrinsic(
            o.is_signed ? intrinsic::smin : intrinsic::umin, o[0], o[1])));
    }
    if (name == "max") {
        return o.write(o.saturated(o.b.CreateBinaryIntrinsic(
            o.is_signed ? intrinsic::smax : intrinsic::umax, o[0], o[1])));
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
        .Cases("neg", "abs", "not", "cnot", unary)
        .Cases("popc", "clz", "brev", "sqrt", "rsqrt", unary)
        .Case("rcp", unary)
        .Case("sad", difference)
        .Default(nullptr);
}

}  // namespace warpwise::cpu_compiler
