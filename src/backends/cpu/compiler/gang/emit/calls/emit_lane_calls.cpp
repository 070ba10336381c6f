// Calls lane by lane, each lane with a ThreadState of its own so that the
// callee sees the right threadIdx.
#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/gang/emit/calls/call_emitter.hpp"
#include "src/backends/cpu/compiler/gang/emit/state/lane_loop.hpp"
#include "src/backends/cpu/compiler/lowering/scalar/call_graph.hpp"
#include "src/backends/cpu/compiler/lowering/threads/thread_state.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

// Before a loop over lanes that calls lane_thread(): what all lanes have in
// common. Here and not in the prologue, because most such loops are rare.
void CallEmitter::prepare_lane_thread() {
    llvm::Type* byte = builder_.getInt8Ty();
    if (!lane_thread_) {
        lane_thread_ =
            state_.new_slot(llvm::ArrayType::get(byte, sizeof(cpu::ThreadState)), "thread");
        lane_thread_->setAlignment(llvm::Align(alignof(cpu::ThreadState)));
    }
    builder_.CreateMemCpy(lane_thread_, lane_thread_->getAlign(), thread(),
                          lane_thread_->getAlign(), sizeof(cpu::ThreadState));
    for (std::size_t offset :
         {offsetof(cpu::ThreadState, lanes), offsetof(cpu::ThreadState, columns),
          offsetof(cpu::ThreadState, rows), offsetof(cpu::ThreadState, arrived),
          offsetof(cpu::ThreadState, active)}) {
        bool is_mask = offset == offsetof(cpu::ThreadState, active);
        Value* one = is_mask ? builder_.getInt16(1) : builder_.getInt32(1);
        store_field(lane_thread_, offset, one);
    }
}

// A ThreadState as the reference executor would have it for this lane.
Value* CallEmitter::lane_thread(Value* lane) {
    auto read = [&](std::size_t offset) {
        return load_at(builder_, builder_.getInt32Ty(), thread(), offset);
    };
    constexpr std::size_t word = sizeof(std::uint32_t);
    Value* number = builder_.CreateTrunc(lane, builder_.getInt32Ty());
    Value* linear = read(offsetof(cpu::ThreadState, linear_index));
    constexpr std::size_t index = offsetof(cpu::ThreadState, thread_index);
    Value* block =
        load_at(builder_, builder_.getPtrTy(), thread(), offsetof(cpu::ThreadState, block));
    auto block_dim = [&](unsigned axis) {
        return load_at(builder_, builder_.getInt32Ty(), block,
                       offsetof(cpu::BlockState, block_dim) + axis * word);
    };
    Value* row = builder_.getInt32(0);
    if (layout_.has_rows()) {
        Value* across = builder_.getInt32(layout_.width * layout_.columns());
        row = builder_.CreateUDiv(number, across);
        number = builder_.CreateURem(number, across);
        linear = builder_.CreateAdd(linear, builder_.CreateMul(row, block_dim(0)));
    }
    linear = builder_.CreateAdd(linear, number);
    store_field(lane_thread_, offsetof(cpu::ThreadState, linear_index), linear);
    if (!layout_.is_linear()) {
        store_field(lane_thread_, index, builder_.CreateAdd(read(index), number));
        store_field(lane_thread_, index + word, builder_.CreateAdd(read(index + word), row));
        return lane_thread_;
    }
    Value* rest = linear;
    for (unsigned axis = 0; axis < 3; ++axis) {
        Value* extent = block_dim(axis);
        store_field(lane_thread_, index + axis * word, builder_.CreateURem(rest, extent));
        rest = builder_.CreateUDiv(rest, extent);
    }
    return lane_thread_;
}

void CallEmitter::write_lane_by_lane(llvm::CallInst& call, const Service* service) {
    LaneLoop loop(context_, mask_);
    Value* thread = state_.scalar.getArg(0);
    llvm::SmallVector<std::optional<unsigned>, 6> operands;
    for (const llvm::Use& argument : call.args()) {
        bool is_thread = argument.get() == thread;
        bool is_constant = llvm::isa<llvm::Constant>(argument.get());
        operands.push_back(is_thread || is_constant
                               ? std::nullopt
                               : std::optional(loop.add_operand(argument.get())));
    }
    llvm::SmallVector<unsigned, 2> results = loop.add_results(call.getType());
    std::optional<unsigned> pointer;
    if (is_indirect(call)) pointer = loop.add_operand(call.getCalledOperand());
    bool wants_thread = service ? service->takes_thread : llvm::is_contained(call.args(), thread);
    if (wants_thread) prepare_lane_thread();
    loop.begin();
    Value* state = wants_thread ? lane_thread(loop.lane()) : nullptr;
    llvm::SmallVector<Value*, 6> arguments;
    for (unsigned i = 0; i < operands.size(); ++i) {
        Value* argument = call.getArgOperand(i);
        if (operands[i]) {
            argument = loop.operand(*operands[i]);
        } else if (argument == thread) {
            argument = state;
        }
        arguments.push_back(argument);
    }
    llvm::Instruction* made = nullptr;
    if (service) {
        made = call_service(*service, state, arguments);
    } else {
        auto* copy = llvm::cast<llvm::CallInst>(call.clone());
        for (unsigned i = 0; i < arguments.size(); ++i) copy->setArgOperand(i, arguments[i]);
        if (pointer) copy->setCalledOperand(loop.operand(*pointer));
        made = builder_.Insert(copy);
    }
    loop.set_results(results, made);
    loop.end();
    loop.define_results(call, results);
}

}  // namespace warpwise::cpu_compiler::gang
