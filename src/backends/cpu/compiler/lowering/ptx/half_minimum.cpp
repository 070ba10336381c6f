// Minima and maxima of 16-bit floats, into which LLVM shrinks those of float when all around is 16
// bits wide: for them x86 has only calls of the C library. They are done in float, which is exact.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"

namespace warpwise::cpu_compiler {
namespace {

bool is_narrow_minimum(const llvm::IntrinsicInst& call) {
    if (!call.getType()->getScalarType()->isHalfTy()) return false;
    switch (call.getIntrinsicID()) {
        case llvm::Intrinsic::minnum:
        case llvm::Intrinsic::maxnum:
        case llvm::Intrinsic::minimum:
        case llvm::Intrinsic::maximum:
            return true;
        default:
            return false;
    }
}

void widen(llvm::IntrinsicInst& call) {
    llvm::IRBuilder<> builder(&call);
    llvm::Type* wide = call.getType()->getWithNewType(builder.getFloatTy());
    llvm::Value* result = builder.CreateBinaryIntrinsic(
        call.getIntrinsicID(), builder.CreateFPExt(call.getArgOperand(0), wide),
        builder.CreateFPExt(call.getArgOperand(1), wide));
    call.replaceAllUsesWith(builder.CreateFPTrunc(result, call.getType()));
    call.eraseFromParent();
}

}  // namespace

void widen_half_minima(Lowering& job) {
    std::vector<llvm::IntrinsicInst*> narrow;
    for (llvm::Function& function : job.module) {
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
            auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
            if (call && is_narrow_minimum(*call)) narrow.push_back(call);
        }
    }
    for (llvm::IntrinsicInst* call : narrow) widen(*call);
}

}  // namespace warpwise::cpu_compiler
