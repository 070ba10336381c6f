// Declaring and recognising markers.
#include "src/backends/cpu/compiler/gang/analysis/markers.hpp"

#include <llvm/IR/Instructions.h>

#include <string>

namespace warpwise::cpu_compiler::gang {
namespace {

constexpr const char* kInterleaved = "warpwise.interleaved";
constexpr const char* kOf64Bits = ".i64";

}  // namespace

bool is_call_of(const llvm::Value& value, const char* marker) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&value);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee) return false;
    llvm::StringRef name = callee->getName();
    return name.consume_front(marker) && (name.empty() || name == kOf64Bits);
}

llvm::CallInst* call_marker(llvm::IRBuilder<>& builder, const char* marker, llvm::Type* result,
                            llvm::ArrayRef<llvm::Value*> arguments) {
    llvm::SmallVector<llvm::Type*, 3> types;
    for (const llvm::Value* argument : arguments) types.push_back(argument->getType());
    llvm::Module& module = *builder.GetInsertBlock()->getModule();
    // A function has one type, and a module may count in both.
    std::string name = marker;
    if (types.front()->isIntegerTy(64)) name += kOf64Bits;
    llvm::FunctionCallee callee =
        module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
    auto* function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setDoesNotAccessMemory();
    function->setDoesNotThrow();
    function->addFnAttr(llvm::Attribute::WillReturn);
    return builder.CreateCall(callee, arguments);
}

void mark_interleaved(llvm::AllocaInst& local, std::uint64_t element_bytes) {
    llvm::LLVMContext& context = local.getContext();
    auto* bytes = llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), element_bytes);
    local.setMetadata(kInterleaved,
                      llvm::MDNode::get(context, llvm::ConstantAsMetadata::get(bytes)));
}

std::optional<std::uint64_t> interleaved_bytes(const llvm::AllocaInst& local) {
    const llvm::MDNode* mark = local.getMetadata(kInterleaved);
    if (!mark) return std::nullopt;
    return llvm::mdconst::extract<llvm::ConstantInt>(mark->getOperand(0))->getZExtValue();
}

void write_stop(llvm::IRBuilder<>& builder, llvm::Value* thread) {
    llvm::Module& module = *builder.GetInsertBlock()->getModule();
    llvm::FunctionCallee stop =
        module.getOrInsertFunction(kStop, builder.getVoidTy(), builder.getPtrTy());
    builder.CreateCall(stop, {thread})->setDoesNotThrow();
}

}  // namespace warpwise::cpu_compiler::gang
