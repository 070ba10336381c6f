// Calls: of intrinsics, markers, services of the run time and functions.
#pragma once

#include <llvm/IR/IntrinsicInst.h>

#include <cstdint>
#include <utility>

#include "src/backends/cpu/compiler/gang/emit/calls/thread_registers.hpp"
#include "src/backends/cpu/compiler/gang/emit/calls/warp_emitter.hpp"
#include "src/backends/cpu/compiler/gang/emit/state/instruction_emitter.hpp"

namespace warpwise::cpu_compiler::gang {

class CallEmitter : InstructionEmitter {
  public:
    CallEmitter(EmitContext& context, ThreadRegisters& registers)
        : InstructionEmitter(context), warps_(context), registers_(registers) {}

    void write(llvm::CallInst& call);
    // An element of what a call or compare-and-swap returns.
    void write_extract(llvm::ExtractValueInst& extract);

  private:
    void write_intrinsic(llvm::IntrinsicInst& call);
    void write_vector_intrinsic(llvm::IntrinsicInst& call);
    void write_with_overflow(llvm::IntrinsicInst& call);
    void write_any_bits(llvm::CallInst& call);
    void write_service(llvm::CallInst& call, const Service& service);

    // --- emit_barriers.cpp
    void write_barrier(llvm::CallInst& call, const Service& service);
    void write_barrier_of_all(llvm::CallInst& call, const Service& service);
    void write_barrier_at_stop(llvm::CallInst& call, const Service& service);

    // --- emit_full_loops.cpp: what the copies of passes/full_loops.cpp test
    void write_all_below(llvm::CallInst& call);
    llvm::Value* is_below(llvm::Value* left, llvm::Value* right, bool is_signed,
                          std::pair<std::int64_t, std::int64_t> lanes);
    void write_without_wrap(llvm::CallInst& call);
    void write_transposed(llvm::CallInst& call);
    llvm::Value* transposed(llvm::Value* index, const llvm::CallInst& call, std::uint64_t before);

    // --- emit_lane_calls.cpp
    void write_lane_by_lane(llvm::CallInst& call, const Service* service);
    void prepare_lane_thread();
    llvm::Value* lane_thread(llvm::Value* lane);

    WarpEmitter warps_;
    ThreadRegisters& registers_;
    llvm::DenseMap<llvm::Intrinsic::ID, Parts> register_values_;
    llvm::AllocaInst* lane_thread_ = nullptr;
};

}  // namespace warpwise::cpu_compiler::gang
