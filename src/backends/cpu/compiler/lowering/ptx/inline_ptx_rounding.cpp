// Directed rounding (.rz, .rm, .rp) of what PTX computes with reals: the result to the nearest,
// moved to the adjacent number where the sign of its error requires it; as math/intrinsics.cuh does
// it for the functions of CUDA's.
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

#include "src/backends/cpu/compiler/lowering/ptx/inline_ptx.hpp"

namespace warpwise::cpu_compiler {
namespace {

using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

class Rounding {
  public:
    Rounding(llvm::IRBuilder<>& builder, llvm::Type* type, llvm::StringRef way)
        : b_(builder),
          type_(type),
          zero_(llvm::ConstantFP::get(type, 0.0)),
          infinity_(llvm::ConstantFP::getInfinity(type)),
          way_(way) {}

    Value* sum(Value* a, Value* c) {
        Value* sum = b_.CreateFAdd(a, c);
        Value* result = directed(sum, error_of_sum(sum, a, c), both_finite(a, c));
        if (way_ != "rm") return result;
        // An exact zero from opposite numbers is negative then.
        Value* is_opposite = b_.CreateAnd(b_.CreateFCmpOEQ(sum, zero_), b_.CreateFCmpUNE(a, c));
        return b_.CreateSelect(is_opposite, llvm::ConstantFP::getNegativeZero(type_), result);
    }
    Value* product(Value* a, Value* c) {
        if (is_float()) return converted(b_.CreateFMul(wide(a), wide(c)), both_finite(a, c));
        // Adding the zero of the product's sign changes nothing.
        Value* product = b_.CreateFMul(a, c);
        Value* zero = b_.CreateBinaryIntrinsic(intrinsic::copysign, zero_, product);
        Value* sources = b_.CreateAnd(b_.CreateFCmpUNE(a, zero_), b_.CreateFCmpUNE(c, zero_));
        return b_.CreateSelect(sources, product_and_sum(a, c, zero), product);
    }
    Value* product_and_sum(Value* a, Value* c, Value* d) {
        Value* value = fma(a, c, d);
        Value* is_proper = b_.CreateAnd(both_finite(a, c), is_finite(d));
        return is_float() ? float_fma(a, c, d, value, is_proper)
                          : double_fma(a, c, d, value, is_proper);
    }
    Value* quotient(Value* a, Value* c) {
        Value* is_proper = b_.CreateAnd(both_finite(a, c), b_.CreateFCmpUNE(c, zero_));
        if (is_float()) return converted(b_.CreateFDiv(wide(a), wide(c)), is_proper);
        Value* quotient = b_.CreateFDiv(a, c);
        Value* up = scale_of(is_tiny(a));
        Value* scaled = b_.CreateFMul(quotient, up);
        Value* rest = fma(b_.CreateFNeg(scaled), c, b_.CreateFMul(a, up));
        Value* error = b_.CreateSelect(b_.CreateFCmpOLT(c, zero_), b_.CreateFNeg(rest), rest);
        return directed(quotient, error, is_proper);
    }
    Value* root(Value* x) {
        if (is_float()) {
            return converted(b_.CreateUnaryIntrinsic(intrinsic::sqrt, wide(x)), b_.getFalse());
        }
        Value* root = b_.CreateUnaryIntrinsic(intrinsic::sqrt, x);
        Value* up = scale_of(is_tiny(x));
        Value* scaled = b_.CreateFMul(root, up);
        Value* error = fma(b_.CreateFNeg(scaled), scaled, b_.CreateFMul(b_.CreateFMul(x, up), up));
        return b_.CreateSelect(is_finite(x), directed(root, error, b_.getFalse()), root);
    }

  private:
    bool is_float() const { return type_->isFloatTy(); }
    Value* fma(Value* a, Value* c, Value* d) {
        return b_.CreateIntrinsic(intrinsic::fma, {type_}, {a, c, d});
    }
    Value* wide(Value* x) { return b_.CreateFPExt(x, b_.getDoubleTy()); }
    Value* constant(double x) { return llvm::ConstantFP::get(type_, x); }
    // Of floats: a product, and the side on which a quotient or a root lies of any float, are exact
    // in double.
    Value* converted(Value* x, Value* has_finite_sources) {
        Value* value = b_.CreateFPTrunc(x, type_);
        return directed(value, b_.CreateFSub(x, wide(value)), has_finite_sources);
    }
    Value* float_fma(Value* a, Value* c, Value* d, Value* value, Value* is_proper) {
        Value *product = b_.CreateFMul(wide(a), wide(c)), *more = wide(d);
        Value* sum = b_.CreateFAdd(product, more);
        Value* above = b_.CreateFSub(sum, wide(value));
        llvm::Constant* zero = llvm::ConstantFP::get(sum->getType(), 0.0);
        Value* error =
            b_.CreateSelect(b_.CreateFCmpUNE(above, zero), above, error_of_sum(sum, product, more));
        Value* result = directed(value, error, is_proper);
        if (way_ != "rm") return result;
        return b_.CreateSelect(b_.CreateFCmpOEQ(sum, zero),
                               b_.CreateFPTrunc(zero_downwards(product, more), type_), result);
    }
    // Of doubles: errors of results this small are lost below the subnormal numbers, unless both
    // are taken by a power of two; as in math/intrinsics.cuh.
    Value* is_below(Value* x, double limit) {
        return b_.CreateFCmpOLT(b_.CreateUnaryIntrinsic(intrinsic::fabs, x), constant(limit));
    }
    Value* is_tiny(Value* x) { return is_below(x, 0x1p-900); }
    Value* scale_of(Value* is_scaled) {
        return b_.CreateSelect(is_scaled, constant(0x1p500), constant(1.0));
    }
    Value* double_fma(Value* a, Value* c, Value* d, Value* value, Value* is_proper) {
        Value* sources = b_.CreateAnd(b_.CreateFCmpUNE(a, zero_), b_.CreateFCmpUNE(c, zero_));
        Value* plain = b_.CreateFMul(a, c);
        Value* is_scaled = b_.CreateAnd(b_.CreateAnd(is_proper, sources), is_tiny(plain));
        Value* is_first = b_.CreateFCmpOLT(b_.CreateUnaryIntrinsic(intrinsic::fabs, a),
                                           b_.CreateUnaryIntrinsic(intrinsic::fabs, c));
        Value* sign = b_.CreateBinaryIntrinsic(
            intrinsic::copysign, constant(1.0),
            b_.CreateFMul(b_.CreateBinaryIntrinsic(intrinsic::copysign, constant(1.0), a),
                          b_.CreateBinaryIntrinsic(intrinsic::copysign, constant(1.0), c)));
        a = b_.CreateFMul(a, scale_of(b_.CreateAnd(is_scaled, is_first)));
        c = b_.CreateFMul(c, scale_of(b_.CreateAnd(is_scaled, b_.CreateNot(is_first))));
        Value* product = b_.CreateFMul(a, c);
        Value* is_small = b_.CreateOr(is_tiny(product), b_.CreateNot(is_below(d, 0x1p-400)));
        Value* vanishes = b_.CreateAnd(is_scaled, is_small);
        d = b_.CreateFMul(d, scale_of(is_scaled));
        Value* scaled = b_.CreateFMul(value, scale_of(is_scaled));
        Value* low = fma(a, c, b_.CreateFNeg(product));
        Value* sum = b_.CreateFAdd(product, d);
        Value* rest = error_of_sum(sum, product, d);
        Value* error = b_.CreateFAdd(b_.CreateFAdd(b_.CreateFSub(sum, scaled), rest), low);
        Value* result = directed(value, b_.CreateSelect(vanishes, sign, error), is_proper);
        if (way_ != "rm") return result;
        Value* is_zero = b_.CreateAnd(b_.CreateFCmpOEQ(sum, zero_), b_.CreateFCmpOEQ(low, zero_));
        is_zero = b_.CreateAnd(is_zero, b_.CreateNot(vanishes));
        return b_.CreateSelect(is_zero, zero_downwards(product, d), result);
    }
    // An exact zero from opposite numbers is negative when rounding down.
    Value* zero_downwards(Value* a, Value* c) {
        return b_.CreateFNeg(b_.CreateFSub(b_.CreateFNeg(a), c));
    }
    Value* error_of_sum(Value* sum, Value* a, Value* c) {
        Value* part = b_.CreateFSub(sum, a);
        return b_.CreateFAdd(b_.CreateFSub(a, b_.CreateFSub(sum, part)), b_.CreateFSub(c, part));
    }
    Value* is_finite(Value* x) {
        return b_.CreateFCmpOLT(b_.CreateUnaryIntrinsic(intrinsic::fabs, x), infinity_);
    }
    Value* both_finite(Value* a, Value* c) { return b_.CreateAnd(is_finite(a), is_finite(c)); }

    Value* neighbour(Value* value, bool is_above) {
        llvm::Type* word = b_.getIntNTy(type_->getPrimitiveSizeInBits());
        Value* bits = b_.CreateBitCast(value, word);
        Value* is_negative = b_.CreateFCmpOLT(value, zero_);
        Value* step = b_.CreateSelect(is_negative, llvm::ConstantInt::getSigned(word, -1),
                                      llvm::ConstantInt::get(word, 1));
        Value* moved = is_above ? b_.CreateAdd(bits, step) : b_.CreateSub(bits, step);
        Value* smallest = llvm::ConstantInt::get(
            word, is_above ? llvm::APInt(word->getIntegerBitWidth(), 1)
                           : llvm::APInt::getSignedMinValue(word->getIntegerBitWidth()) + 1);
        moved = b_.CreateSelect(b_.CreateFCmpOEQ(value, zero_), smallest, moved);
        return b_.CreateBitCast(moved, type_);
    }
    // `error`, a double for floats too, has the sign of truth - value. An infinity from finite
    // numbers lies beyond the truth.
    Value* directed(Value* value, Value* error, Value* has_finite_sources) {
        Value* is_infinite =
            b_.CreateFCmpOEQ(b_.CreateUnaryIntrinsic(intrinsic::fabs, value), infinity_);
        Value* back = b_.CreateFNeg(value);
        if (error->getType() != type_) back = b_.CreateFPExt(back, error->getType());
        error = b_.CreateSelect(b_.CreateAnd(is_infinite, has_finite_sources), back, error);
        llvm::Constant* none = llvm::ConstantFP::get(error->getType(), 0.0);
        Value* result = value;
        if (way_ != "rp") {
            Value* is_due = b_.CreateFCmpOLT(error, none);
            if (way_ == "rz") is_due = b_.CreateAnd(is_due, b_.CreateFCmpOGT(value, zero_));
            result = b_.CreateSelect(is_due, neighbour(value, false), result);
        }
        if (way_ != "rm") {
            Value* is_due = b_.CreateFCmpOGT(error, none);
            if (way_ == "rz") is_due = b_.CreateAnd(is_due, b_.CreateFCmpOLT(value, zero_));
            result = b_.CreateSelect(is_due, neighbour(value, true), result);
        }
        return result;
    }

    llvm::IRBuilder<>& b_;
    llvm::Type* type_;
    llvm::Constant *zero_, *infinity_;
    llvm::StringRef way_;
};

}  // namespace

bool is_directed(const PtxInstruction& instruction) {
    return has_part(instruction, "rz") || has_part(instruction, "rm") ||
           has_part(instruction, "rp");
}

llvm::Value* round_directed(llvm::IRBuilder<>& builder, const PtxInstruction& instruction,
                            llvm::ArrayRef<Value*> o) {
    llvm::Type* type = o.front()->getType();
    if (!type->isFloatTy() && !type->isDoubleTy()) return nullptr;
    Rounding rounding(builder, type,
                      has_part(instruction, "rz")   ? "rz"
                      : has_part(instruction, "rm") ? "rm"
                                                    : "rp");
    const llvm::StringRef name = instruction.opcode.front();
    if (name == "add") return rounding.sum(o[0], o[1]);
    if (name == "sub") return rounding.sum(o[0], builder.CreateFNeg(o[1]));
    if (name == "mul") return rounding.product(o[0], o[1]);
    if (name == "fma" || name == "mad") return rounding.product_and_sum(o[0], o[1], o[2]);
    if (name == "div") return rounding.quotient(o[0], o[1]);
    if (name == "rcp") return rounding.quotient(llvm::ConstantFP::get(type, 1.0), o[0]);
    return name == "sqrt" ? rounding.root(o[0]) : nullptr;
}

}  // namespace warpwise::cpu_compiler
