// Declaring and recognising markers.
#include "src/backends/cpu/compiler/gang/analysis/markers.hpp"

#include <llvm/IR/Instructions.h>

namespace warpwise::cpu_compiler::gang {

bool is_call_of(const llvm::Value& value, const char* marker) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&value);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    return callee && callee->getName() == marker;
}

llvm::CallInst* call_marker(llvm::IRBuilder<>& builder, const char* marker, llvm::Type* result,
                            llvm::ArrayRef<llvm::Value*> arguments) {
    llvm::SmallVector<llvm::Type*, 3> types;
    for (const llvm::Value* argument : arguments) types.push_back(argument->getType());
    llvm::Module& module = *builder.GetInsertBlock()->getModule();
    llvm::FunctionCallee callee =
        module.getOrInsertFunction(marker, llvm::FunctionType::get(result, types, false));
    auto* function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setDoesNotAccessMemory();
    function->setDoesNotThrow();
    function->addFnAttr(llvm::Attribute::WillReturn);
    return builder.CreateCall(callee, arguments);
}

void write_stop(llvm::IRBuilder<>& builder, llvm::Value* thread) {
    llvm::Module& module = *builder.GetInsertBlock()->getModule();
    llvm::FunctionCallee stop =
        module.getOrInsertFunction(kStop, builder.getVoidTy(), builder.getPtrTy());
    builder.CreateCall(stop, {thread})->setDoesNotThrow();
}

}  // namespace warpwise::cpu_compiler::gang
