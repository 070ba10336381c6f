// Calls of the run time, through the table in the block's state.
#include "src/backends/cpu/compiler/gang/emit/state/instruction_emitter.hpp"

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/lowering/threads/thread_state.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

void InstructionEmitter::store_field(Value* thread, std::size_t offset, Value* word) {
    store_at(builder_, word, thread, offset);
}

llvm::CallInst* InstructionEmitter::call_service(const Service& service, Value* thread,
                                                 llvm::ArrayRef<Value*> arguments) {
    auto field = [&](Value* base, std::size_t offset) {
        return load_at(builder_, builder_.getPtrTy(), base, offset);
    };
    Value* block = field(this->thread(), offsetof(cpu::ThreadState, block));
    Value* table = field(block, offsetof(cpu::BlockState, runtime));
    Value* target = field(table, service.slot() * sizeof(void*));
    llvm::SmallVector<Value*, 8> operands;
    if (service.takes_thread) operands.push_back(thread);
    operands.append(arguments.begin(), arguments.end());
    llvm::CallInst* made =
        builder_.CreateCall(service.slot_type(builder_.getContext()), target, operands);
    made->setDoesNotThrow();
    made->addFnAttr(llvm::Attribute::get(builder_.getContext(), kServiceAttribute, service.name));
    return made;
}

}  // namespace warpwise::cpu_compiler::gang
