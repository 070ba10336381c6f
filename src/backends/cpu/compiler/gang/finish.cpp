// mem2reg alone gives nearly all of the speed; the default pipelines cost milliseconds and gain
// nothing steady.
#include "src/backends/cpu/compiler/gang/finish.hpp"

#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/DCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include "src/backends/cpu/compiler/lowering/pass_runner.hpp"

namespace warpwise::cpu_compiler::gang {

void finish(llvm::Function& gang, llvm::TargetMachine& machine) {
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::PromotePass());
    passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions()));
    passes.addPass(llvm::LoopSimplifyPass());
    passes.addPass(llvm::LCSSAPass());
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                         /*UseMemorySSA=*/true));
    passes.addPass(llvm::DCEPass());
    PassRunner runner(machine);
    passes.run(gang, runner.functions());
}

}  // namespace warpwise::cpu_compiler::gang
