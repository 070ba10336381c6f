// Kernels for blocks of one shape: blockDim becomes numbers, and what follows from them is worked
// out. Runs behind form_fma(), so that a kernel rounds alike whether the shape is known or not; and
// changes kernels only, because a function may also be called through a pointer that a kernel for
// another shape has left in memory.
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/DCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/pass_runner.hpp"

namespace warpwise::cpu_compiler {
namespace {

using namespace llvm::Intrinsic;

constexpr unsigned kLoopLevel = 2;  // unrolls whole loops of up to some 150 instructions

std::optional<std::uint32_t> constant_of(ID id, const BlockShape& block) {
    switch (id) {
        case nvvm_read_ptx_sreg_ntid_x:
            return block[0];
        case nvvm_read_ptx_sreg_ntid_y:
            return block[1];
        case nvvm_read_ptx_sreg_ntid_z:
            return block[2];
        default:
            return std::nullopt;
    }
}

std::optional<std::uint32_t> extent_of(ID id, const BlockShape& block) {
    switch (id) {
        case nvvm_read_ptx_sreg_tid_x:
            return block[0];
        case nvvm_read_ptx_sreg_tid_y:
            return block[1];
        case nvvm_read_ptx_sreg_tid_z:
            return block[2];
        default:
            return std::nullopt;
    }
}

void replace_registers(llvm::Function& kernel, const BlockShape& block) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel))) {
        auto* read = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        if (!read) continue;
        std::optional<std::uint32_t> constant = constant_of(read->getIntrinsicID(), block);
        if (auto extent = extent_of(read->getIntrinsicID(), block)) {
            if (*extent == 1) constant = 0;
            llvm::MDBuilder metadata(kernel.getContext());
            read->setMetadata(llvm::LLVMContext::MD_range,
                              metadata.createRange(llvm::APInt(32, 0), llvm::APInt(32, *extent)));
        }
        if (!constant) continue;
        read->replaceAllUsesWith(llvm::ConstantInt::get(read->getType(), *constant));
        read->eraseFromParent();
    }
}

llvm::FunctionPassManager simplifications() {
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions()));
    passes.addPass(llvm::LoopSimplifyPass());
    passes.addPass(llvm::LCSSAPass());
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopFullUnrollPass(kLoopLevel)));
    passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions()));
    passes.addPass(llvm::DCEPass());
    return passes;
}

}  // namespace

void specialise_by_block(Lowering& job) {
    const std::optional<BlockShape>& block = job.translation.mode.block;
    if (!block || job.translation.mode.chosen_executor() == Executor::Reference) return;
    llvm::FunctionPassManager passes = simplifications();
    for (compiler::KernelInfo& kernel : job.translation.kernels) {
        llvm::Function& function = *job.module.getFunction(kernel.signature.symbol);
        replace_registers(function, *block);
        PassRunner runner(job.machine);
        passes.run(function, runner.functions());
    }
}

}  // namespace warpwise::cpu_compiler
