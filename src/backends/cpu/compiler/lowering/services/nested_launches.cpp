// Kernels that device code launches: the run time knows them by name, not by address.
#include <llvm/IR/IRBuilder.h>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"

namespace warpwise::cpu_compiler {

void name_launched_kernels(Lowering& job) {
    llvm::Function* service =
        job.module.getFunction(llvm::Twine(kServicePrefix, "nested_launch").str());
    if (service == nullptr) return;
    for (llvm::User* user : service->users()) {
        auto* call = llvm::dyn_cast<llvm::CallInst>(user);
        if (call == nullptr || call->getCalledFunction() != service) continue;
        auto* kernel = llvm::dyn_cast<llvm::Function>(call->getArgOperand(0)->stripPointerCasts());
        if (kernel == nullptr) continue;
        llvm::IRBuilder<> builder(call);
        call->setArgOperand(0, builder.CreateGlobalStringPtr(kernel->getName(), "launched"));
    }
}

}  // namespace warpwise::cpu_compiler
