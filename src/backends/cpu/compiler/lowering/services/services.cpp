// The last step: calls of __ww_NAME become calls through the run time's table.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"
#include "src/backends/cpu/compiler/lowering/threads/thread_state.hpp"

namespace warpwise::cpu_compiler {
namespace {

void call_through_table(llvm::CallInst& call, const Service& service, ThreadStateValues& state) {
    llvm::IRBuilder<> builder(&call);
    llvm::Value* slot =
        builder.CreateConstInBoundsGEP1_64(builder.getPtrTy(), state.runtime(), service.slot());
    llvm::LoadInst* target = builder.CreateLoad(builder.getPtrTy(), slot);
    target->setMetadata(llvm::LLVMContext::MD_invariant_load,
                        llvm::MDNode::get(call.getContext(), {}));
    llvm::SmallVector<llvm::Value*, 8> arguments;
    if (service.takes_thread) arguments.push_back(state.thread());
    arguments.append(call.arg_begin(), call.arg_end());
    llvm::CallInst* lowered =
        builder.CreateCall(service.slot_type(call.getContext()), target, arguments);
    lowered->setDoesNotThrow();
    if (call.doesNotReturn()) lowered->setDoesNotReturn();
    call.replaceAllUsesWith(lowered);
    call.eraseFromParent();
}

}  // namespace

void lower_services(Lowering& job) {
    for (llvm::Function& function : job.module) {
        if (function.isDeclaration()) continue;
        ThreadStateValues state(function);
        for (llvm::Instruction& instruction :
             llvm::make_early_inc_range(llvm::instructions(function))) {
            auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
            const Service* service = call ? find_service(*call) : nullptr;
            if (service) call_through_table(*call, *service, state);
        }
    }
}

}  // namespace warpwise::cpu_compiler
