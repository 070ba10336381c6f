// Each kernel: accept or refuse, choose the layout, rewrite.
#include "src/backends/cpu/compiler/gang/gang.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

#include "src/backends/cpu/compiler/gang/candidate.hpp"
#include "src/backends/cpu/compiler/gang/emitter.hpp"
#include "src/backends/cpu/compiler/gang/finish.hpp"
#include "src/backends/cpu/compiler/gang/normal_form.hpp"
#include "src/backends/cpu/compiler/lowering/call_graph.hpp"
#include "src/base/log.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler {
namespace {

using gang::Layout;

constexpr unsigned kWarpSize = 32;

Layout choose_layout(const gang::KernelFacts& facts) {
    Layout layout;
    if (facts.has_warp_operations) {
        layout.is_linear = true;
        layout.pieces = kWarpSize / layout.width;
    }
    return layout;
}

llvm::Function* new_function(llvm::Function& scalar) {
    llvm::Function* made = llvm::Function::Create(scalar.getFunctionType(), scalar.getLinkage(), "",
                                                  scalar.getParent());
    made->copyAttributesFrom(&scalar);
    made->removeFnAttr(llvm::Attribute::Memory);
    return made;
}

void vectorise(Lowering& job, llvm::Function& scalar, const Layout& layout) {
    gang::bring_to_normal_form(scalar, job.machine);
    llvm::DominatorTree tree(scalar);
    llvm::LoopInfo loops(tree);
    gang::Uniformity uniformity(scalar, tree, layout);
    gang::Plan plan(scalar, tree, loops, uniformity);
    gang::Shapes shapes(scalar, plan, uniformity, layout);
    llvm::Function* made = new_function(scalar);
    llvm::TargetTransformInfo target = job.machine.getTargetTransformInfo(scalar);
    gang::Emitter(gang::Subject{scalar, *made, plan, shapes, target, layout}).run();
    made->addFnAttr(kGangLanesAttribute, std::to_string(layout.lanes()));
    if (layout.is_linear) made->addFnAttr(kLinearGangsAttribute);
    made->takeName(&scalar);
    scalar.eraseFromParent();
    gang::finish(*made, job.machine);
}

}  // namespace

void form_gangs(Lowering& job) {
    const std::string& wanted = job.translation.executor;
    if (wanted == "reference") return;
    for (const compiler::KernelInfo& kernel : job.translation.kernels) {
        llvm::Function& scalar = *job.module.getFunction(kernel.signature.symbol);
        gang::take_apart(scalar, job.machine);
        CallGraph graph(job.module);
        std::string reason = gang::reason_against(scalar, graph);
        if (reason.empty()) {
            vectorise(job, scalar, choose_layout(gang::facts_of(scalar)));
            continue;
        }
        if (wanted != "auto") {
            throw UnsupportedError("kernel '" + kernel.signature.name +
                                   "' cannot run on executor '" + wanted + "': " + reason +
                                   "; leave the choice of the executor to the compiler");
        }
        log::info("kernel '{}' runs on executor reference: {}", kernel.signature.name, reason);
    }
}

}  // namespace warpwise::cpu_compiler
