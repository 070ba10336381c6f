// mem2reg alone gives nearly all of the speed; the default pipelines cost milliseconds and gain
// nothing steady.
#include "src/backends/cpu/compiler/gang/passes/finish.hpp"

#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/DCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include "src/backends/cpu/compiler/gang/passes/few_lanes.hpp"
#include "src/backends/cpu/compiler/gang/passes/forward_stores.hpp"
#include "src/backends/cpu/compiler/gang/passes/host_masks.hpp"
#include "src/backends/cpu/compiler/gang/passes/lane_loops.hpp"
#include "src/backends/cpu/compiler/gang/passes/reciprocal_roots.hpp"
#include "src/backends/cpu/compiler/gang/passes/uniform_masks.hpp"
#include "src/backends/cpu/compiler/lowering/pass_runner.hpp"
#include "src/backends/cpu/compiler/lowering/target.hpp"

namespace warpwise::cpu_compiler::gang {

namespace {

// The passes, and then what takes out of loops what does not change there.
void run_and_hoist(llvm::FunctionPassManager& passes, llvm::Function& function,
                   llvm::TargetMachine& machine) {
    passes.addPass(llvm::LoopSimplifyPass());
    passes.addPass(llvm::LCSSAPass());
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                         /*UseMemorySSA=*/true));
    passes.addPass(llvm::DCEPass());
    PassRunner runner(machine);
    passes.run(function, runner.functions());
}

}  // namespace

void finish(llvm::Function& gang, llvm::TargetMachine& machine) {
    inline_lane_loops(gang);
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::PromotePass());
    passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(AccessFewLanes());
    passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions()));
    passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    passes.addPass(ForwardStores());
    run_and_hoist(passes, gang, machine);
    join_uniform_masks(gang);
    if (vector_bits(machine) == 512) {  // there are mask registers
        refine_reciprocal_roots(gang);
        return;
    }
    expand_masked_accesses(gang, machine.getTargetTransformInfo(gang));
    widen_masks(gang);
}

void clean_up(llvm::Function& function, llvm::TargetMachine& machine) {
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions()));
    run_and_hoist(passes, function, machine);
}

}  // namespace warpwise::cpu_compiler::gang
