// Loads at the entry are made on first demand.
#include "src/backends/cpu/compiler/lowering/threads/thread_state.hpp"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>

#include "src/backends/cpu/abi.hpp"

namespace warpwise::cpu_compiler {

using llvm::Value;

llvm::LoadInst* load_at(llvm::IRBuilder<>& builder, llvm::Type* type, Value* base,
                        std::size_t offset) {
    return builder.CreateLoad(
        type, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset));
}

void store_at(llvm::IRBuilder<>& builder, Value* value, Value* base, std::size_t offset) {
    builder.CreateStore(value,
                        builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset));
}

ThreadStateValues::ThreadStateValues(llvm::Function& function)
    : function_(function), thread_(function.getArg(0)) {}

Value* ThreadStateValues::load(Value* base, std::size_t offset, llvm::Type* type,
                               const char* name) {
    llvm::Instruction*& known = loads_[{base, offset}];
    if (known) return known;
    llvm::BasicBlock& entry = function_.getEntryBlock();
    llvm::IRBuilder<> builder(
        &entry, last_ ? std::next(last_->getIterator()) : entry.getFirstNonPHIOrDbgOrAlloca());
    llvm::LoadInst* value = load_at(builder, type, base, offset);
    value->setName(name);
    value->setMetadata(llvm::LLVMContext::MD_invariant_load,
                       llvm::MDNode::get(function_.getContext(), {}));
    last_ = value;
    return known = value;
}

Value* ThreadStateValues::block() {
    return load(thread_, offsetof(cpu::ThreadState, block),
                llvm::PointerType::get(function_.getContext(), 0), "block");
}

Value* ThreadStateValues::runtime() {
    return load(block(), offsetof(cpu::BlockState, runtime),
                llvm::PointerType::get(function_.getContext(), 0), "runtime");
}

Value* ThreadStateValues::shared() {
    return load(block(), offsetof(cpu::BlockState, shared),
                llvm::PointerType::get(function_.getContext(), 0), "shared");
}

Value* ThreadStateValues::linear_index() {
    return thread_field(offsetof(cpu::ThreadState, linear_index));
}

Value* ThreadStateValues::thread_field(std::size_t offset) {
    return load(thread_, offset, llvm::Type::getInt32Ty(function_.getContext()), "");
}

Value* ThreadStateValues::block_field(std::size_t offset) {
    return load(block(), offset, llvm::Type::getInt32Ty(function_.getContext()), "");
}

}  // namespace warpwise::cpu_compiler
