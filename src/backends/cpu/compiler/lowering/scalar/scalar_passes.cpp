// The scalar optimisations every executor shares. No JumpThreading, no SimpleLoopUnswitch: with
// them the critical section of a legal lock moves behind its loop. SimplifyCFG neither hoists nor
// sinks, so that a branch stays where the source has it.
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/DCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LowerExpectIntrinsic.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/pass_runner.hpp"
#include "src/backends/cpu/compiler/lowering/scalar/unroll.hpp"

namespace warpwise::cpu_compiler {
namespace {

constexpr unsigned kGenericSpace = 0;

// Looking for the value of a load in other blocks takes GVN time quadratic in their number: 4 of
// the 8 seconds of a kernel of 4,000 lines with a branch at every fourth. Beyond this many, each
// load is looked at within its block.
constexpr std::size_t kManyBlocks = 400;

// No PRE: merged from several predecessors, `n - 1` is no longer what all threads know at their
// start.
struct BoundedGvn : llvm::PassInfoMixin<BoundedGvn> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
        const bool is_large = function.size() > kManyBlocks;
        llvm::GVNOptions options;
        options.setMemDep(!is_large).setPRE(false);
        return llvm::GVNPass(options).run(function, analyses);
    }
};

llvm::FunctionPassManager scalar_passes() {
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::LowerExpectIntrinsicPass());
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::InferAddressSpacesPass(kGenericSpace));
    passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions()));
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::LoopSimplifyPass());
    passes.addPass(llvm::LCSSAPass());
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                         /*UseMemorySSA=*/true));
    passes.addPass(UnrollForRegisters());
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(BoundedGvn());
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions()));
    passes.addPass(llvm::DCEPass());
    return passes;
}

}  // namespace

void run_scalar_passes(Lowering& job) {
    llvm::ModulePassManager passes;
    passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false));
    passes.addPass(llvm::GlobalDCEPass());
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(scalar_passes()));
    PassRunner(job.machine).run(passes, job.module);
}

}  // namespace warpwise::cpu_compiler
