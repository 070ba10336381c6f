// Directed rounding (.rz, .rm, .rp) of what PTX computes with reals: the result to the nearest,
// moved to its neighbour where the sign of its error requires it; as math/intrinsics.cuh does it
// for the functions of CUDA's.
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
        Value* product = b_.CreateFMul(a, c);
        return directed(product, fma(a, c, b_.CreateFNeg(product)), both_finite(a, c));
    }
    Value* product_and_sum(Value* a, Value* c, Value* d) {
        Value* value = fma(a, c, d);
        Value* product = b_.CreateFMul(a, c);
        Value* low = fma(a, c, b_.CreateFNeg(product));
        Value* sum = b_.CreateFAdd(product, d);
        Value* rest = error_of_sum(sum, product, d);
        Value* error = b_.CreateFAdd(b_.CreateFAdd(b_.CreateFSub(sum, value), rest), low);
        return directed(value, error, b_.CreateAnd(both_finite(a, c), is_finite(d)));
    }
    Value* quotient(Value* a, Value* c) {
        Value* quotient = b_.CreateFDiv(a, c);
        Value* rest = fma(b_.CreateFNeg(quotient), c, a);
        Value* error = b_.CreateSelect(b_.CreateFCmpOLT(c, zero_), b_.CreateFNeg(rest), rest);
        return directed(quotient, error,
                        b_.CreateAnd(both_finite(a, c), b_.CreateFCmpUNE(c, zero_)));
    }
    Value* root(Value* x) {
        Value* root = b_.CreateUnaryIntrinsic(intrinsic::sqrt, x);
        Value* error = fma(b_.CreateFNeg(root), root, x);
        return b_.CreateSelect(is_finite(x), directed(root, error, b_.getFalse()), root);
    }

  private:
    Value* fma(Value* a, Value* c, Value* d) {
        return b_.CreateIntrinsic(intrinsic::fma, {type_}, {a, c, d});
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
    // `error` has the sign of truth - value. An infinity from finite numbers lies beyond the truth.
    Value* directed(Value* value, Value* error, Value* has_finite_sources) {
        Value* is_infinite =
            b_.CreateFCmpOEQ(b_.CreateUnaryIntrinsic(intrinsic::fabs, value), infinity_);
        error = b_.CreateSelect(b_.CreateAnd(is_infinite, has_finite_sources), b_.CreateFNeg(value),
                                error);
        Value* result = value;
        if (way_ != "rp") {
            Value* is_due = b_.CreateFCmpOLT(error, zero_);
            if (way_ == "rz") is_due = b_.CreateAnd(is_due, b_.CreateFCmpOGT(value, zero_));
            result = b_.CreateSelect(is_due, neighbour(value, false), result);
        }
        if (way_ != "rm") {
            Value* is_due = b_.CreateFCmpOGT(error, zero_);
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
