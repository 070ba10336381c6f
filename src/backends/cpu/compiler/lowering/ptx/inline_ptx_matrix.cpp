// PTX's products of matrices that lie spread over a warp, and the loads that spread them. Where an
// element lies is defined by PTX; elements travel by shuffles, and sums are made in order of k.
#include <llvm/ADT/StringSwitch.h>

#include <optional>
#include <utility>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/lowering/ptx/inline_ptx.hpp"

namespace warpwise::cpu_compiler {
namespace {

using llvm::IRBuilder;
using llvm::StringRef;
using llvm::Type;
using llvm::Value;

constexpr unsigned kAllLanes = ~0U;

// "{$0,$1}" as its words; one word without braces.
llvm::SmallVector<StringRef, 4> elements_of(StringRef operand) {
    llvm::SmallVector<StringRef, 4> words;
    if (operand.consume_front("{")) operand.consume_back("}");
    operand.split(words, ',');
    return words;
}

Value* shuffle(PtxStatement& at, Value* value, Value* lane) {
    const bool is_wide = value->getType()->isIntegerTy(64);
    return at.service(is_wide ? ServiceId::shuffle64 : ServiceId::shuffle32,
                      {at.word(cpu::kShuffleIndex), at.word(kAllLanes), value, lane, at.word(32)});
}

// An operand matrix: a row of it (A) or a column (B) lies in the registers of four lanes, each of
// which holds neighbours along k.
struct Fragment {
    Type* element = nullptr;
    unsigned bits = 0, in_word = 0;
    bool is_signed = false;
    llvm::SmallVector<Value*, 4> words;

    bool read(PtxStatement& at, StringRef operand, StringRef type) {
        element = type == "tf32" ? at.builder().getFloatTy() : at.type_of(type);
        if (!element) return false;
        bits = element->getPrimitiveSizeInBits();
        in_word = bits < 32 ? 32 / bits : 1;
        is_signed = type.starts_with("s");
        Type* word = at.builder().getIntNTy(std::max(bits, 32U));
        for (const StringRef name : elements_of(operand)) {
            words.push_back(at.read(name, word));
            if (!words.back()) return false;
        }
        return true;
    }
    // Element `number` of a word, as a summand's factor.
    Value* get(PtxStatement& at, Value* word, unsigned number, Type* sum) const {
        IRBuilder<>& b = at.builder();
        Value* part =
            bits < 32 ? b.CreateTrunc(b.CreateLShr(word, number * bits), b.getIntNTy(bits)) : word;
        if (sum->isIntegerTy()) return b.CreateIntCast(part, sum, is_signed);
        return b.CreateFPCast(b.CreateBitCast(part, element), sum);
    }
};

// The sums c + a b: two rows of two neighbours a lane, or one row where the shape has eight.
struct Sums {
    Type* stored = nullptr;
    Type* type = nullptr;
    llvm::SmallVector<Value*, 4> values;

    bool read(PtxStatement& at, StringRef operand, StringRef name, unsigned count) {
        stored = at.type_of(name);
        if (!stored) return false;
        IRBuilder<>& b = at.builder();
        const bool is_packed = stored->isHalfTy();
        type = is_packed ? b.getFloatTy() : stored;
        for (const StringRef word : elements_of(operand)) {
            Value* value = at.read(word, is_packed ? b.getInt32Ty() : stored);
            if (!value) return false;
            for (unsigned half = 0; is_packed && half < 2; ++half) {
                Value* bits = b.CreateTrunc(b.CreateLShr(value, 16 * half), b.getInt16Ty());
                values.push_back(b.CreateFPExt(b.CreateBitCast(bits, stored), type));
            }
            if (!is_packed) values.push_back(value);
        }
        return values.size() == count;
    }
    bool write(PtxStatement& at, StringRef operand) {
        IRBuilder<>& b = at.builder();
        const auto words = elements_of(operand);
        const bool is_packed = stored->isHalfTy();
        if (words.size() != values.size() / (is_packed ? 2 : 1)) return false;
        for (unsigned i = 0; i < words.size(); ++i) {
            Value* value = is_packed ? b.getInt32(0) : values[i];
            for (unsigned half = 0; is_packed && half < 2; ++half) {
                Value* bits =
                    b.CreateBitCast(b.CreateFPTrunc(values[2 * i + half], stored), b.getInt16Ty());
                value =
                    b.CreateOr(value, b.CreateShl(b.CreateZExt(bits, b.getInt32Ty()), 16 * half));
            }
            if (!at.write(words[i], value)) return false;
        }
        return true;
    }
};

Value* add_product(IRBuilder<>& b, Value* sum, Value* left, Value* right) {
    if (sum->getType()->isIntegerTy()) return b.CreateAdd(sum, b.CreateMul(left, right));
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {sum->getType()}, {left, right, sum});
}

// Lane 4 g + t has rows g and g + 8 of A, column g of B, and of the sums columns 2 t and 2 t + 1.
bool multiply(PtxStatement& at, const PtxInstruction& i) {
    StringRef shape;
    for (const std::string& part : i.opcode) {
        if (StringRef(part).starts_with("m16n8k") || part == "m8n8k4") shape = part;
    }
    const bool is_known = !shape.empty() && i.operands.size() == 4 && i.opcode.size() >= 9 &&
                          !has_part(i, "sp") && !has_part(i, "satfinite") && has_part(i, "row") &&
                          has_part(i, "col");
    if (!is_known) return false;
    const std::size_t types = i.opcode.size() - 4;  // of D, A, B and C
    const bool is_double = i.opcode[types] == "f64";
    if ((shape == "m8n8k4") != is_double || i.opcode[types] != i.opcode[types + 3]) return false;
    const unsigned rows = is_double ? 1 : 2;
    Fragment a, b;
    Sums sums;
    if (!a.read(at, i.operands[1], i.opcode[types + 1]) ||
        !b.read(at, i.operands[2], i.opcode[types + 2]) ||
        !sums.read(at, i.operands[3], i.opcode[types], 2 * rows) ||
        a.words.size() != rows * b.words.size() || a.bits != b.bits || a.bits < 8 ||
        a.element->isIntegerTy() != sums.type->isIntegerTy()) {
        return false;
    }
    IRBuilder<>& builder = at.builder();
    Value* lane = at.read("%laneid", builder.getInt32Ty());
    Value* of_row = builder.CreateAnd(lane, ~3U);
    Value* of_column = builder.CreateShl(builder.CreateAnd(lane, 3), 3);
    for (unsigned word = 0; word < b.words.size(); ++word) {
        for (unsigned from = 0; from < 4; ++from) {
            Value* row[2] = {};
            Value* column[2] = {};
            for (unsigned r = 0; r < rows; ++r) {
                row[r] = shuffle(at, a.words[rows * word + r], builder.CreateOr(of_row, from));
            }
            for (unsigned c = 0; c < 2; ++c) {
                column[c] = shuffle(at, b.words[word], builder.CreateOr(of_column, 4 * c + from));
            }
            for (unsigned k = 0; k < a.in_word; ++k) {
                for (unsigned n = 0; n < 2 * rows; ++n) {
                    sums.values[n] =
                        add_product(builder, sums.values[n], a.get(at, row[n / 2], k, sums.type),
                                    b.get(at, column[n % 2], k, sums.type));
                }
            }
        }
    }
    return sums.write(at, i.operands[0]);
}

// Matrices of 8 by 8 halves: lane 8 m + r has the address of row r of matrix m, lane 4 r + t holds
// elements 2 t and 2 t + 1 of row r.
struct Matrices {
    PtxStatement& at;
    Value *mine, *row, *pair;

    // Where element `column` lies in the row that a lane names.
    Value* address(Value* of_lane, Value* column) const {
        IRBuilder<>& b = at.builder();
        Value* offset = b.CreateZExt(b.CreateShl(column, 1), b.getInt64Ty());
        return b.CreateIntToPtr(b.CreateAdd(shuffle(at, mine, of_lane), offset), b.getPtrTy());
    }
};

// `place`: which operand is the address. Nothing for other instructions.
std::optional<Matrices> matrices_at(PtxStatement& at, const PtxInstruction& i, unsigned place) {
    if (!has_part(i, "m8n8") || i.opcode.back() != "b16" || i.operands.size() != 2) return {};
    Value* mine = at.address(i.operands[place], "shared");
    if (!mine) return {};
    IRBuilder<>& b = at.builder();
    mine = b.CreatePtrToInt(mine, b.getInt64Ty());
    Value* lane = at.read("%laneid", b.getInt32Ty());
    return Matrices{at, mine, b.CreateLShr(lane, 2), b.CreateShl(b.CreateAnd(lane, 3), 1)};
}

// Each lane gets its elements of each matrix, or with .trans of its transpose.
bool load_matrices(PtxStatement& at, const PtxInstruction& i) {
    const std::optional<Matrices> from = matrices_at(at, i, 1);
    if (!from) return false;
    const auto words = elements_of(i.operands[0]);
    IRBuilder<>& b = at.builder();
    const auto load = [&](Value* of_lane, Value* element, Type* type) {
        return b.CreateAlignedLoad(type, from->address(of_lane, element), llvm::Align(2));
    };
    for (unsigned m = 0; m < words.size(); ++m) {
        Value* first = at.word(8 * m);
        Value* value = nullptr;
        if (!has_part(i, "trans")) {
            value = load(b.CreateAdd(first, from->row), from->pair, b.getInt32Ty());
        } else {
            Value* low = load(b.CreateAdd(first, from->pair), from->row, b.getInt16Ty());
            Value* next = b.CreateAdd(b.CreateAdd(first, from->pair), at.word(1));
            Value* high = load(next, from->row, b.getInt16Ty());
            value = b.CreateOr(b.CreateZExt(low, b.getInt32Ty()),
                               b.CreateShl(b.CreateZExt(high, b.getInt32Ty()), 16));
        }
        if (!at.write(words[m], value)) return false;
    }
    return true;
}

// The opposite of load_matrices().
bool store_matrices(PtxStatement& at, const PtxInstruction& i) {
    const std::optional<Matrices> to = matrices_at(at, i, 0);
    if (!to) return false;
    const auto words = elements_of(i.operands[1]);
    IRBuilder<>& b = at.builder();
    for (unsigned m = 0; m < words.size(); ++m) {
        Value* word = at.read(words[m], b.getInt32Ty());
        if (!word) return false;
        for (unsigned k = 0; k < 2; ++k) {
            Value *of_row = to->row, *of_column = b.CreateAdd(to->pair, at.word(k));
            if (has_part(i, "trans")) std::swap(of_row, of_column);
            Value* address = to->address(b.CreateAdd(of_row, at.word(8 * m)), of_column);
            Value* half = b.CreateTrunc(b.CreateLShr(word, 16 * k), b.getInt16Ty());
            b.CreateAlignedStore(half, address, llvm::Align(2));
        }
    }
    return true;
}

// movmatrix.trans: a matrix of 8 by 8 halves, two in each lane, becomes its transpose.
bool transpose(PtxStatement& at, const PtxInstruction& i) {
    if (!has_part(i, "m8n8") || !has_part(i, "trans") || i.operands.size() != 2) return false;
    IRBuilder<>& b = at.builder();
    Value* word = at.read(i.operands[1], b.getInt32Ty());
    if (!word) return false;
    Value* lane = at.read("%laneid", b.getInt32Ty());
    Value* row = b.CreateLShr(lane, 2);
    Value* pair = b.CreateShl(b.CreateAnd(lane, 3), 1);
    Value* is_high = b.CreateShl(b.CreateAnd(row, 1), 4);
    Value* result = at.word(0);
    for (unsigned k = 0; k < 2; ++k) {
        Value* from = b.CreateShl(b.CreateAdd(pair, at.word(k)), 2);
        Value* other = shuffle(at, word, b.CreateAdd(from, b.CreateLShr(row, 1)));
        Value* half = b.CreateAnd(b.CreateLShr(other, is_high), 0xFFFF);
        result = b.CreateOr(result, b.CreateShl(half, 16 * k));
    }
    return at.write(i.operands[0], result);
}

}  // namespace

PtxRow find_matrix_row(StringRef opcode) {
    return llvm::StringSwitch<PtxRow>(opcode)
        .Case("mma", multiply)
        .Case("ldmatrix", load_matrices)
        .Case("stmatrix", store_matrices)
        .Case("movmatrix", transpose)
        .Default(nullptr);
}

}  // namespace warpwise::cpu_compiler
