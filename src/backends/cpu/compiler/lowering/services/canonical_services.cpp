// One spelling for every service: NVPTX barriers, warp operations and the CUDA run time's own
// functions become the __ww_ calls of device_calls.def, which all later steps know.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"

namespace warpwise::cpu_compiler {
namespace {

using llvm::Value;
using llvm::Intrinsic::ID;

// Replaces one call; the builder inserts before it.
class Replacement {
  public:
    explicit Replacement(llvm::CallInst& call)
        : call_(call), builder_(&call), module_(*call.getModule()) {}

    // nullptr: not a service. Otherwise what the call gave.
    Value* of_intrinsic(ID id);
    Value* of_function(llvm::StringRef name);

  private:
    Value* arg(unsigned index) { return call_.getArgOperand(index); }
    Value* word(std::uint32_t value) { return builder_.getInt32(value); }
    Value* service(ServiceId row, llvm::ArrayRef<Value*> arguments) {
        return builder_.CreateCall(declare_service(module_, row), arguments);
    }
    Value* ballot(Value* mask, Value* predicate) {
        return service(ServiceId::ballot,
                       {mask, builder_.CreateZExt(predicate, builder_.getInt32Ty())});
    }
    Value* none(Value* lanes) { return builder_.CreateICmpEQ(lanes, word(0)); }
    Value* vote(ID id, Value* mask, Value* predicate);
    Value* shuffle(cpu::ShuffleMode mode, Value* mask, unsigned first);
    Value* match(ID id);
    Value* reduce(cpu::ReduceOp op) {
        return service(ServiceId::reduce, {word(op), arg(1), arg(0)});
    }
    Value* barrier_reduce(cpu::BarrierOp op) {
        return service(ServiceId::barrier_reduce, {word(op), arg(0)});
    }
    Value* barrier(ID id);
    Value* warp_operation(ID id);

    llvm::CallInst& call_;
    llvm::IRBuilder<> builder_;
    llvm::Module& module_;
};

Value* Replacement::vote(ID id, Value* mask, Value* predicate) {
    switch (id) {
        case llvm::Intrinsic::nvvm_vote_ballot:
        case llvm::Intrinsic::nvvm_vote_ballot_sync:
            return ballot(mask, predicate);
        case llvm::Intrinsic::nvvm_vote_any:
        case llvm::Intrinsic::nvvm_vote_any_sync:
            return builder_.CreateNot(none(ballot(mask, predicate)));
        case llvm::Intrinsic::nvvm_vote_all:
        case llvm::Intrinsic::nvvm_vote_all_sync:
            return none(ballot(mask, builder_.CreateNot(predicate)));
        default: {  // uni: all or none
            Value* is_set = ballot(mask, predicate);
            Value* is_clear = ballot(mask, builder_.CreateNot(predicate));
            return builder_.CreateOr(none(is_set), none(is_clear));
        }
    }
}

// PTX packs the width: bits 8-12 of the last operand are 32 - width for the powers of two.
Value* Replacement::shuffle(cpu::ShuffleMode mode, Value* mask, unsigned first) {
    Value* segment = builder_.CreateAnd(builder_.CreateLShr(arg(first + 2), 8), 31);
    Value* width = builder_.CreateSub(word(32), segment);
    Value* bits = builder_.CreateBitCast(arg(first), builder_.getInt32Ty());
    Value* result = service(ServiceId::shuffle32, {word(mode), mask, bits, arg(first + 1), width});
    return builder_.CreateBitCast(result, call_.getType());
}

Value* Replacement::match(ID id) {
    Value* mask = arg(0);
    Value* value = builder_.CreateZExt(arg(1), builder_.getInt64Ty());
    if (id == llvm::Intrinsic::nvvm_match_any_sync_i32 ||
        id == llvm::Intrinsic::nvvm_match_any_sync_i64) {
        return service(ServiceId::match_any, {mask, value});
    }
    Value* lanes = service(ServiceId::match_all, {mask, value});
    Value* pair = builder_.CreateInsertValue(llvm::PoisonValue::get(call_.getType()), lanes, 0);
    return builder_.CreateInsertValue(pair, builder_.CreateNot(none(lanes)), 1);
}

Value* Replacement::barrier(ID id) {
    switch (id) {
        case llvm::Intrinsic::nvvm_barrier0:
            return service(ServiceId::barrier, {word(0), word(0)});
        case llvm::Intrinsic::nvvm_bar_sync:
        case llvm::Intrinsic::nvvm_barrier_n:
        case llvm::Intrinsic::nvvm_barrier_sync:
            return service(ServiceId::barrier, {arg(0), word(0)});
        case llvm::Intrinsic::nvvm_barrier:
        case llvm::Intrinsic::nvvm_barrier_sync_cnt:
            return service(ServiceId::barrier, {arg(0), arg(1)});
        case llvm::Intrinsic::nvvm_barrier0_popc:
            return barrier_reduce(cpu::kBarrierCount);
        case llvm::Intrinsic::nvvm_barrier0_and:
            return barrier_reduce(cpu::kBarrierAnd);
        case llvm::Intrinsic::nvvm_barrier0_or:
            return barrier_reduce(cpu::kBarrierOr);
        case llvm::Intrinsic::nvvm_bar_warp_sync:
            return service(ServiceId::syncwarp, {arg(0)});
        default:
            return nullptr;
    }
}

Value* Replacement::warp_operation(ID id) {
    using namespace llvm::Intrinsic;
    switch (id) {
        case nvvm_vote_ballot:
        case nvvm_vote_any:
        case nvvm_vote_all:
        case nvvm_vote_uni:
            return vote(id, service(ServiceId::activemask, {}), arg(0));
        case nvvm_vote_ballot_sync:
        case nvvm_vote_any_sync:
        case nvvm_vote_all_sync:
        case nvvm_vote_uni_sync:
            return vote(id, arg(0), arg(1));
        case nvvm_shfl_sync_idx_i32:
        case nvvm_shfl_sync_idx_f32:
            return shuffle(cpu::kShuffleIndex, arg(0), 1);
        case nvvm_shfl_sync_up_i32:
        case nvvm_shfl_sync_up_f32:
            return shuffle(cpu::kShuffleUp, arg(0), 1);
        case nvvm_shfl_sync_down_i32:
        case nvvm_shfl_sync_down_f32:
            return shuffle(cpu::kShuffleDown, arg(0), 1);
        case nvvm_shfl_sync_bfly_i32:
        case nvvm_shfl_sync_bfly_f32:
            return shuffle(cpu::kShuffleXor, arg(0), 1);
        case nvvm_match_any_sync_i32:
        case nvvm_match_any_sync_i64:
        case nvvm_match_all_sync_i32p:
        case nvvm_match_all_sync_i64p:
            return match(id);
        case nvvm_redux_sync_add:
            return reduce(cpu::kReduceAdd);
        case nvvm_redux_sync_min:
            return reduce(cpu::kReduceMinS);
        case nvvm_redux_sync_max:
            return reduce(cpu::kReduceMaxS);
        case nvvm_redux_sync_umin:
            return reduce(cpu::kReduceMinU);
        case nvvm_redux_sync_umax:
            return reduce(cpu::kReduceMaxU);
        case nvvm_redux_sync_and:
            return reduce(cpu::kReduceAnd);
        case nvvm_redux_sync_or:
            return reduce(cpu::kReduceOr);
        case nvvm_redux_sync_xor:
            return reduce(cpu::kReduceXor);
        default:
            return nullptr;
    }
}

Value* Replacement::of_intrinsic(ID id) {
    switch (id) {
        case llvm::Intrinsic::trap:
        case llvm::Intrinsic::debugtrap:
            return service(ServiceId::trap, {});
        case llvm::Intrinsic::nvvm_activemask:
            return service(ServiceId::activemask, {});
        case llvm::Intrinsic::nvvm_nanosleep:
            return service(ServiceId::nanosleep, {arg(0)});
        default:
            if (Value* result = barrier(id)) return result;
            return warp_operation(id);
    }
}

Value* Replacement::of_function(llvm::StringRef name) {
    if (name == "vprintf") return service(ServiceId::printf, {arg(0), arg(1)});
    if (name == "__assertfail" || name == "__assert_fail") {
        return service(ServiceId::assert_fail, {arg(0), arg(1), arg(2), arg(3)});
    }
    if (name == "malloc") return service(ServiceId::malloc, {arg(0)});
    if (name == "free") return service(ServiceId::free, {arg(0)});
    return nullptr;
}

Value* replacement(llvm::CallInst& call) {
    llvm::Function* callee = call.getCalledFunction();
    if (!callee || !callee->isDeclaration()) return nullptr;
    if (callee->isIntrinsic()) return Replacement(call).of_intrinsic(callee->getIntrinsicID());
    return Replacement(call).of_function(callee->getName());
}

// Tables of abstract classes name it; a call is a mistake that stops the kernel.
void define_pure_virtual(llvm::Module& module) {
    llvm::Function* function = module.getFunction("__cxa_pure_virtual");
    if (!function || !function->isDeclaration()) return;
    function->setLinkage(llvm::GlobalValue::InternalLinkage);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "", function));
    builder.CreateCall(declare_service(module, ServiceId::trap));
    builder.CreateUnreachable();
}

}  // namespace

void canonicalise_services(Lowering& job) {
    define_pure_virtual(job.module);
    for (llvm::Function& function : job.module) {
        for (llvm::Instruction& instruction :
             llvm::make_early_inc_range(llvm::instructions(function))) {
            auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
            Value* result = call ? replacement(*call) : nullptr;
            if (!result) continue;
            if (!call->getType()->isVoidTy()) call->replaceAllUsesWith(result);
            call->eraseFromParent();
        }
    }
}

}  // namespace warpwise::cpu_compiler
