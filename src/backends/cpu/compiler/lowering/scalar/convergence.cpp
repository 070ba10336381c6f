// Clang marks every function of CUDA `convergent`, which blocks hoisting around ordinary calls.
// Keeps the mark on convergent operations, and on everything that may execute one.
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/scalar/call_graph.hpp"
#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"

namespace warpwise::cpu_compiler {
namespace {

bool is_rendezvous(const llvm::CallBase& call) {
    const Service* service = find_service(call);
    if (service) return service->is_rendezvous();
    // An intrinsic we have no name for: by its attribute. Inline PTX: unknown.
    const llvm::Function* callee = call.getCalledFunction();
    if (callee && callee->isIntrinsic()) return callee->isConvergent();
    return call.isInlineAsm() && call.isConvergent();
}

void give_services_attributes(llvm::Module& module) {
    for (llvm::Function& function : module) {
        const Service* service = find_service(&function);
        if (!service) continue;
        function.setDoesNotThrow();
        if (!service->returns()) function.setDoesNotReturn();
        if (service->is_pure()) {
            function.setDoesNotAccessMemory();
            function.setWillReturn();
        } else if (service->kind == ServiceKind::Clock) {
            function.setOnlyAccessesInaccessibleMemory();
            function.setWillReturn();
        }
    }
}

bool runs_convergent_operation(const llvm::Function& function, const CallGraph& graph,
                               const llvm::DenseSet<const llvm::Function*>& known) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (call && is_rendezvous(*call)) return true;
    }
    return llvm::any_of(graph.callees(function),
                        [&](const llvm::Function* callee) { return known.contains(callee); });
}

llvm::DenseSet<const llvm::Function*> find_convergent(const llvm::Module& module) {
    CallGraph graph(module);
    llvm::DenseSet<const llvm::Function*> found;
    // Once bottom-up is enough without recursion; with it, until nothing is added.
    for (std::size_t before = ~std::size_t{0}; before != found.size();) {
        before = found.size();
        for (const llvm::Function* function : graph.bottom_up()) {
            if (!found.contains(function) && runs_convergent_operation(*function, graph, found)) {
                found.insert(function);
            }
        }
    }
    return found;
}

}  // namespace

void refine_convergence(Lowering& job) {
    give_services_attributes(job.module);
    llvm::DenseSet<const llvm::Function*> convergent = find_convergent(job.module);
    bool through_pointer = llvm::any_of(
        convergent, [](const llvm::Function* function) { return function->hasAddressTaken(); });
    for (llvm::Function& function : job.module) {
        if (function.isIntrinsic()) continue;
        const Service* service = find_service(&function);
        bool keep = convergent.contains(&function) || (service && service->is_rendezvous());
        keep ? function.setConvergent() : function.setNotConvergent();
    }
    for (llvm::Function& function : job.module) {
        for (llvm::Instruction& instruction : llvm::instructions(function)) {
            auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            if (!call) continue;
            const llvm::Function* callee = call->getCalledFunction();
            bool keep = is_rendezvous(*call) || (callee && convergent.contains(callee)) ||
                        (is_indirect(*call) && through_pointer);
            keep ? call->setConvergent() : call->setNotConvergent();
        }
    }
}

}  // namespace warpwise::cpu_compiler
