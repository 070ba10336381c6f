// PTX for bits and bytes of words: fields, funnel shifts, permutations, logic of three words.
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <optional>

#include "src/backends/cpu/compiler/lowering/ptx/inline_ptx.hpp"

namespace warpwise::cpu_compiler {
namespace {

using llvm::IRBuilder;
using llvm::StringRef;
using llvm::Type;
using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

// Operands 1 to `count` as words; false where one cannot be read.
bool read_words(PtxStatement& at, const PtxInstruction& i, llvm::MutableArrayRef<Value*> words) {
    if (i.operands.size() != words.size() + 1) return false;
    for (unsigned k = 0; k < words.size(); ++k) {
        words[k] = at.read(i.operands[k + 1], at.builder().getInt32Ty());
        if (!words[k]) return false;
    }
    return true;
}

// shf: 32 bits out of 64.
bool funnel(PtxStatement& at, const PtxInstruction& i) {
    Value* words[3];
    if (i.opcode.size() != 4 || i.opcode.back() != "b32" || !read_words(at, i, words)) return false;
    IRBuilder<>& b = at.builder();
    Type* wide = b.getInt64Ty();
    Value* both =
        b.CreateOr(b.CreateShl(b.CreateZExt(words[1], wide), 32), b.CreateZExt(words[0], wide));
    Value* amount = has_part(i, "wrap")
                        ? b.CreateAnd(words[2], 31)
                        : b.CreateBinaryIntrinsic(intrinsic::umin, words[2], b.getInt32(32));
    amount = b.CreateZExt(amount, wide);
    Value* moved =
        has_part(i, "l") ? b.CreateLShr(b.CreateShl(both, amount), 32) : b.CreateLShr(both, amount);
    return at.write(i.operands[0], b.CreateTrunc(moved, b.getInt32Ty()));
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

// A number below 32 of a word, and whether the word is not below 32 where that counts (.clamp).
struct Place {
    Value *low, *is_beyond;
};
Place place_of(IRBuilder<>& b, const PtxInstruction& i, Value* word) {
    Value* is_beyond = has_part(i, "clamp") ? b.CreateICmpUGE(word, b.getInt32(32)) : b.getFalse();
    return {b.CreateAnd(word, 31), is_beyond};
}

// bmsk.(clamp|wrap).b32 d, a, b: b ones from bit a on.
bool bit_mask(PtxStatement& at, const PtxInstruction& i) {
    Value* words[2];
    if (i.opcode.size() != 3 || i.opcode.back() != "b32" || !read_words(at, i, words)) return false;
    IRBuilder<>& b = at.builder();
    const Place start = place_of(b, i, words[0]), count = place_of(b, i, words[1]);
    Value *ones = b.getInt32(~0U), *none = b.getInt32(0);
    Value* end = b.CreateAdd(start.low, count.low);
    Value* reaches_end = b.CreateOr(b.CreateICmpUGE(end, b.getInt32(32)),
                                    b.CreateOr(start.is_beyond, count.is_beyond));
    Value* behind = b.CreateSelect(reaches_end, none, b.CreateShl(ones, b.CreateAnd(end, 31)));
    Value* from = b.CreateSelect(start.is_beyond, none, b.CreateShl(ones, start.low));
    return at.write(i.operands[0], b.CreateAnd(from, b.CreateNot(behind)));
}

// szext.(clamp|wrap).(u32|s32) d, a, b: the lowest b bits of a, extended.
bool extend(PtxStatement& at, const PtxInstruction& i) {
    Value* words[2];
    if (i.opcode.size() != 3 || !read_words(at, i, words)) return false;
    const bool is_signed = i.opcode.back() == "s32";
    if (!is_signed && i.opcode.back() != "u32") return false;
    IRBuilder<>& b = at.builder();
    const Place count = place_of(b, i, words[1]);
    Value* is_none = b.CreateICmpEQ(count.low, b.getInt32(0));
    Value* by = b.CreateAnd(b.CreateSub(b.getInt32(32), count.low), 31);
    Value* top = b.CreateShl(words[0], by);
    Value* field = is_signed ? b.CreateAShr(top, by) : b.CreateLShr(top, by);
    field = b.CreateSelect(is_none, b.getInt32(0), field);
    return at.write(i.operands[0], b.CreateSelect(count.is_beyond, words[0], field));
}

// Which of the eight bytes of two words byte `k` is, for the low two bits `c` of the third operand
// of a mode of prmt.
std::optional<unsigned> source_byte(StringRef mode, unsigned c, unsigned k) {
    if (mode == "f4e") return c + k;
    if (mode == "b4e") return (c + 8 - k) % 8;
    if (mode == "rc8") return c;
    if (mode == "ecl") return std::max(c, k);
    if (mode == "ecr") return std::min(c, k);
    if (mode == "rc16") return 2 * (c & 1) + (k & 1);
    return std::nullopt;
}

// Bytes of two words by a selector: bit 3 of a nibble copies the byte's sign instead. With a mode
// the low two bits of the third operand choose one of four selectors.
bool permute(PtxStatement& at, const PtxInstruction& i) {
    Value* words[3];
    if (i.opcode.size() > 3 || i.opcode[1] != "b32" || !read_words(at, i, words)) return false;
    IRBuilder<>& b = at.builder();
    Value* selector = words[2];
    if (i.opcode.size() == 3) {
        selector = b.getInt32(0);
        Value* mode = b.CreateAnd(words[2], 3);
        for (unsigned c = 0; c < 4; ++c) {
            unsigned nibbles = 0;
            for (unsigned k = 0; k < 4; ++k) {
                const auto byte = source_byte(i.opcode[2], c, k);
                if (!byte) return false;
                nibbles |= *byte << (4 * k);
            }
            Value* is_mode = b.CreateICmpEQ(mode, b.getInt32(c));
            selector = b.CreateSelect(is_mode, b.getInt32(nibbles), selector);
        }
    }
    Type* wide = b.getInt64Ty();
    Value* both =
        b.CreateOr(b.CreateShl(b.CreateZExt(words[1], wide), 32), b.CreateZExt(words[0], wide));
    Value* result = b.getInt32(0);
    for (unsigned k = 0; k < 4; ++k) {
        Value* nibble = b.CreateLShr(selector, 4 * k);
        Value* index = b.CreateShl(b.CreateAnd(nibble, 7), 3);
        Value* byte = b.CreateTrunc(b.CreateLShr(both, b.CreateZExt(index, wide)), b.getInt8Ty());
        Value* sign = b.CreateAShr(byte, 7);
        Value* takes_sign = b.CreateICmpNE(b.CreateAnd(nibble, 8), b.getInt32(0));
        byte = b.CreateSelect(takes_sign, sign, byte);
        result = b.CreateOr(result, b.CreateShl(b.CreateZExt(byte, b.getInt32Ty()), 8 * k));
    }
    return at.write(i.operands[0], result);
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

// fns.b32 d, mask, base, offset: where the offset-th set bit of the mask stands, from the base on,
// downwards for a negative offset; all ones where there is none. Offset 0 asks for the base itself.
bool find_nth_set(PtxStatement& at, const PtxInstruction& i) {
    Value* words[3];
    if (i.opcode.size() != 2 || i.opcode.back() != "b32" || !read_words(at, i, words)) return false;
    IRBuilder<>& b = at.builder();
    auto [mask, base, offset] = words;
    Value* is_down = b.CreateICmpSLT(offset, at.word(0));
    Value* bits =
        b.CreateSelect(is_down, b.CreateUnaryIntrinsic(intrinsic::bitreverse, mask), mask);
    Value* first = b.CreateSelect(is_down, b.CreateSub(at.word(31), base), base);
    bits = b.CreateAnd(bits, b.CreateShl(at.word(~0u), b.CreateAnd(first, 31)));
    bits = b.CreateSelect(b.CreateICmpULT(base, at.word(32)), bits, at.word(0));
    // Of those before it so many are left: halves of the word, then of the half, and so on.
    Value* left = b.CreateBinaryIntrinsic(intrinsic::abs, offset, b.getFalse());
    left = b.CreateSub(left, at.word(1));
    Value* exists = b.CreateICmpULT(left, b.CreateUnaryIntrinsic(intrinsic::ctpop, bits));
    Value* place = at.word(0);
    for (unsigned width = 16; width > 0; width /= 2) {
        Value* half = b.CreateAnd(b.CreateLShr(bits, place), (1u << width) - 1);
        Value* count = b.CreateUnaryIntrinsic(intrinsic::ctpop, half);
        Value* is_above = b.CreateICmpUGE(left, count);
        left = b.CreateSub(left, b.CreateSelect(is_above, count, at.word(0)));
        place = b.CreateAdd(place, b.CreateSelect(is_above, at.word(width), at.word(0)));
    }
    place = b.CreateAnd(place, 31);
    place = b.CreateSelect(is_down, b.CreateSub(at.word(31), place), place);
    // From the base on, "the first" is the base where its bit is set.
    Value* at_base = b.CreateICmpEQ(offset, at.word(0));
    Value* base_bit = b.CreateAnd(b.CreateLShr(bits, b.CreateAnd(base, 31)), 1);
    exists = b.CreateSelect(at_base, b.CreateICmpNE(base_bit, at.word(0)), exists);
    Value* found = b.CreateSelect(at_base, base, place);
    return at.write(i.operands[0], b.CreateSelect(exists, found, at.word(~0u)));
}

}  // namespace

PtxRow find_bit_row(StringRef opcode) {
    return llvm::StringSwitch<PtxRow>(opcode)
        .Case("shf", funnel)
        .Cases("bfe", "bfi", bit_field)
        .Case("bmsk", bit_mask)
        .Case("szext", extend)
        .Case("prmt", permute)
        .Case("lop3", logic3)
        .Case("fns", find_nth_set)
        .Default(nullptr);
}

}  // namespace warpwise::cpu_compiler
