// Step A4: which calls disappear. Everything acyclic is inlined while the caller stays small enough
// for the passes behind it: scalar replacement and shared-memory analysis see through no call.
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/scalar/call_graph.hpp"

namespace warpwise::cpu_compiler {
namespace {

constexpr unsigned kLargestFunction = 20'000;  // instructions, before optimisation

}  // namespace

void choose_inlining(Lowering& job) {
    CallGraph graph(job.module);
    llvm::DenseMap<const llvm::Function*, unsigned> sizes;  // with what is inlined
    for (const llvm::Function* bottom : graph.bottom_up()) {
        auto& caller = *const_cast<llvm::Function*>(bottom);  // the graph only looks
        caller.removeFnAttr(llvm::Attribute::AlwaysInline);
        unsigned size = caller.getInstructionCount();
        for (llvm::Instruction& instruction : llvm::instructions(caller)) {
            auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
            if (!callee || callee->isDeclaration() || graph.is_recursive(*callee)) continue;
            // Around convergent operations vectors need the caller and the callee as one;
            // __noinline__ says nothing of results.
            if (callee->isConvergent()) callee->removeFnAttr(llvm::Attribute::NoInline);
            if (callee->hasFnAttribute(llvm::Attribute::NoInline)) continue;
            if (size + sizes[callee] > kLargestFunction) continue;
            call->addFnAttr(llvm::Attribute::AlwaysInline);
            size += sizes[callee];
        }
        sizes[&caller] = size;
    }
}

}  // namespace warpwise::cpu_compiler
