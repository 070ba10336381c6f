// NVPTX intrinsics that are plain arithmetic, fences or pointer casts, as generic IR. They come
// from code that uses clang's __nvvm_ builtins; our own headers hardly need them.
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/threads/registers.hpp"

namespace warpwise::cpu_compiler {
namespace {

using llvm::StringRef;
using llvm::Value;

constexpr llvm::Intrinsic::ID kNone = llvm::Intrinsic::not_intrinsic;

llvm::Intrinsic::ID generic_math(StringRef name) {
    return llvm::StringSwitch<llvm::Intrinsic::ID>(name)
        .Case("ceil", llvm::Intrinsic::ceil)
        .Case("floor", llvm::Intrinsic::floor)
        .Case("trunc", llvm::Intrinsic::trunc)
        .Case("round", llvm::Intrinsic::roundeven)
        .Case("fabs", llvm::Intrinsic::fabs)
        .Cases("sqrt", "sqrt.rn", "sqrt.approx", llvm::Intrinsic::sqrt)
        .Case("fmin", llvm::Intrinsic::minnum)
        .Case("fmax", llvm::Intrinsic::maxnum)
        .Case("fma.rn", llvm::Intrinsic::fma)
        .Default(kNone);
}

llvm::Intrinsic::ID rounding_to_integer(StringRef mode) {
    return llvm::StringSwitch<llvm::Intrinsic::ID>(mode)
        .Case("rn", llvm::Intrinsic::roundeven)
        .Case("rm", llvm::Intrinsic::floor)
        .Case("rp", llvm::Intrinsic::ceil)
        .Default(llvm::Intrinsic::trunc);
}

class PtxIntrinsic {
  public:
    explicit PtxIntrinsic(llvm::IntrinsicInst& call, StringRef name)
        : call_(call), name_(name), builder_(&call), type_(call.getType()) {}

    // Whether it was understood; `result` is null where it gives nothing.
    bool lower(Value*& result) {
        if (name_.consume_front("membar.")) return lower_fence();
        StringRef name = name_;
        if (name.consume_front("read.ptx.sreg.")) {
            result = read_time(builder_, name);
            return result != nullptr;
        }
        result = pointer_operation();
        if (!result) result = counter();
        if (!result) result = conversion();
        if (!result) result = integer_operation();
        if (!result) result = float_operation();
        return result != nullptr;
    }

  private:
    Value* arg(unsigned index) { return call_.getArgOperand(index); }

    bool lower_fence() {
        builder_.CreateFence(
            llvm::AtomicOrdering::SequentiallyConsistent,
            name_ == "cta" ? llvm::SyncScope::SingleThread : llvm::SyncScope::System);
        return true;
    }

    Value* pointer_operation() {
        if (name_.starts_with("ptr.")) return builder_.CreateAddrSpaceCast(arg(0), type_);
        if (name_.starts_with("ldg.global.") || name_.starts_with("ldu.global.")) {
            auto alignment = llvm::cast<llvm::ConstantInt>(arg(1))->getMaybeAlignValue();
            return builder_.CreateAlignedLoad(type_, arg(0), alignment);
        }
        return nullptr;
    }

    // atomicInc and atomicDec, which C++ has no spelling for.
    Value* counter() {
        bool up = name_.starts_with("atomic.load.inc.");
        if (!up && !name_.starts_with("atomic.load.dec.")) return nullptr;
        return builder_.CreateAtomicRMW(
            up ? llvm::AtomicRMWInst::UIncWrap : llvm::AtomicRMWInst::UDecWrap, arg(0), arg(1),
            llvm::MaybeAlign(), llvm::AtomicOrdering::Monotonic);
    }

    // "f2ui.rz", "i2d.rn": from and to in {f, d, i, ui, ll, ull}. GPUs saturate; NaN gives 0.
    Value* conversion() {
        auto [pair, mode] = name_.split('.');
        mode.consume_back(".ftz");
        auto [from, to] = pair.split('2');
        auto is_float = [](StringRef type) { return type == "f" || type == "d"; };
        auto is_integer = [](StringRef type) {
            return llvm::is_contained({"i", "ui", "ll", "ull"}, type);
        };
        bool is_unsigned = from.starts_with("u") || to.starts_with("u");
        if (is_float(from) && is_integer(to)) {
            Value* rounded = builder_.CreateUnaryIntrinsic(rounding_to_integer(mode), arg(0));
            return builder_.CreateIntrinsic(
                is_unsigned ? llvm::Intrinsic::fptoui_sat : llvm::Intrinsic::fptosi_sat,
                {type_, rounded->getType()}, {rounded});
        }
        if (mode != "rn") return nullptr;
        if (is_integer(from) && is_float(to)) {
            return is_unsigned ? builder_.CreateUIToFP(arg(0), type_)
                               : builder_.CreateSIToFP(arg(0), type_);
        }
        return from == "d" && to == "f" ? builder_.CreateFPTrunc(arg(0), type_) : nullptr;
    }

    Value* integer_operation() {
        auto [operation, kind] = name_.split('.');
        bool is_unsigned = kind.starts_with("u");
        if (operation == "mulhi") {
            unsigned bits = type_->getIntegerBitWidth();
            llvm::Type* wide = builder_.getIntNTy(2 * bits);
            Value* product = builder_.CreateMul(builder_.CreateIntCast(arg(0), wide, !is_unsigned),
                                                builder_.CreateIntCast(arg(1), wide, !is_unsigned));
            return builder_.CreateTrunc(builder_.CreateLShr(product, bits), type_);
        }
        if (operation == "sad") {
            Value* swap = is_unsigned ? builder_.CreateICmpULT(arg(0), arg(1))
                                      : builder_.CreateICmpSLT(arg(0), arg(1));
            Value* difference = builder_.CreateSelect(swap, builder_.CreateSub(arg(1), arg(0)),
                                                      builder_.CreateSub(arg(0), arg(1)));
            return builder_.CreateAdd(difference, arg(2));
        }
        if (operation == "bitcast") return builder_.CreateBitCast(arg(0), type_);
        return nullptr;
    }

    Value* float_operation() {
        StringRef operation = name_;
        if (!operation.consume_back(".f") && !operation.consume_back(".d")) return nullptr;
        operation.consume_back(".ftz");
        if (llvm::Intrinsic::ID id = generic_math(operation); id != kNone) {
            llvm::SmallVector<Value*, 3> arguments(call_.args());
            return builder_.CreateIntrinsic(id, {type_}, arguments);
        }
        if (operation == "add.rn") return builder_.CreateFAdd(arg(0), arg(1));
        if (operation == "mul.rn") return builder_.CreateFMul(arg(0), arg(1));
        if (operation == "div.rn" || operation == "div.approx") {
            return builder_.CreateFDiv(arg(0), arg(1));
        }
        Value* one = llvm::ConstantFP::get(type_, 1.0);
        if (operation == "rcp.rn" || operation == "rcp.approx") {
            return builder_.CreateFDiv(one, arg(0));
        }
        if (operation == "rsqrt.approx") {
            return builder_.CreateFDiv(
                one, builder_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, arg(0)));
        }
        if (operation == "saturate") {  // NaN gives 0
            Value* positive = builder_.CreateMaxNum(arg(0), llvm::ConstantFP::get(type_, 0.0));
            return builder_.CreateMinNum(positive, one);
        }
        return nullptr;
    }

    llvm::IntrinsicInst& call_;
    StringRef name_;  // without "llvm.nvvm."
    llvm::IRBuilder<> builder_;
    llvm::Type* type_;
};

}  // namespace

void lower_ptx_intrinsics(Lowering& job) {
    for (llvm::Function& function : job.module) {
        for (llvm::Instruction& instruction :
             llvm::make_early_inc_range(llvm::instructions(function))) {
            auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
            if (!call) continue;
            StringRef name = call->getCalledFunction()->getName();
            Value* result = nullptr;
            if (!name.consume_front("llvm.nvvm.") || !PtxIntrinsic(*call, name).lower(result)) {
                continue;
            }
            if (result) call->replaceAllUsesWith(result);
            call->eraseFromParent();
        }
    }
}

}  // namespace warpwise::cpu_compiler
