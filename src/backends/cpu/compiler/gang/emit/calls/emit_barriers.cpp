// Barriers of the block: nothing where the gang is the block, a return to the
// run time where the gang is cut there (passes/cut.cpp), else a call in which
// its fiber waits.
#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/gang/analysis/markers.hpp"
#include "src/backends/cpu/compiler/gang/emit/calls/call_emitter.hpp"
#include "src/backends/cpu/compiler/lowering/threads/thread_state.hpp"

namespace warpwise::cpu_compiler::gang {

using llvm::Value;

// All threads of the block that have not exited are here: none is left to
// wait for.
void CallEmitter::write_barrier_of_all(llvm::CallInst& call, const Service& service) {
    if (service.id != ServiceId::barrier_reduce) return;
    Value* votes = masks_.count_votes(call.getArgOperand(1));
    Value* all = builder_.CreateICmpEQ(votes, masks_.count_of(mask_));
    Value* any = builder_.CreateICmpNE(votes, builder_.getInt32(0));
    Value* operation = masks_.first_active(call.getArgOperand(0));
    auto is = [&](std::uint32_t number) {
        return builder_.CreateICmpEQ(operation, builder_.getInt32(number));
    };
    Value* truth = builder_.CreateSelect(is(cpu::kBarrierAnd), all, any);
    Value* result = builder_.CreateSelect(is(cpu::kBarrierCount), votes,
                                          builder_.CreateZExt(truth, builder_.getInt32Ty()));
    values_.define(call, {result});
}

// The gang returns, to be called again when all have come: cut.hpp.
void CallEmitter::write_barrier_at_stop(llvm::CallInst& call, const Service& service) {
    if (std::optional<Parts> elsewhere = masks_.lanes_elsewhere()) {
        store_field(thread(), offsetof(cpu::ThreadState, elsewhere), masks_.count_of(*elsewhere));
    }
    const bool votes = service.id == ServiceId::barrier_reduce;
    Value* how = builder_.getInt32(0);
    if (votes) {
        how = builder_.CreateAdd(masks_.first_active(call.getArgOperand(0)), builder_.getInt32(1));
        store_field(thread(), offsetof(cpu::ThreadState, arrived), masks_.count_of(mask_));
        store_field(thread(), offsetof(cpu::ThreadState, votes),
                    masks_.count_votes(call.getArgOperand(1)));
    }
    store_field(thread(), offsetof(cpu::ThreadState, votes_how), how);
    write_stop(builder_, thread());
    if (!votes) return;
    values_.define(call, {load_at(builder_, builder_.getInt32Ty(), thread(),
                                  offsetof(cpu::ThreadState, votes))});
}

void CallEmitter::write_barrier(llvm::CallInst& call, const Service& service) {
    if (layout_.is_block) return write_barrier_of_all(call, service);
    if (layout_.is_cut) return write_barrier_at_stop(call, service);
    bool counts_threads = service.id != ServiceId::grid_sync;
    Value* waiting = builder_.getInt32(0);
    if (std::optional<Parts> elsewhere = masks_.lanes_elsewhere())
        waiting = masks_.count_of(*elsewhere);
    store_field(thread(), offsetof(cpu::ThreadState, elsewhere), waiting);
    if (counts_threads) {
        store_field(thread(), offsetof(cpu::ThreadState, arrived), masks_.count_of(mask_));
    }
    llvm::SmallVector<Value*, 2> arguments;
    if (service.id == ServiceId::barrier_reduce) {
        arguments = {masks_.first_active(call.getArgOperand(0)),
                     masks_.count_votes(call.getArgOperand(1))};
    } else {
        for (const llvm::Use& argument : call.args()) {
            arguments.push_back(masks_.first_active(argument.get()));
        }
    }
    Value* result = call_service(service, thread(), arguments);
    if (!call.getType()->isVoidTy()) values_.define(call, {result});
}

}  // namespace warpwise::cpu_compiler::gang
