// Each PTX special register, as loads from the thread and its block.
#include "src/backends/cpu/compiler/lowering/threads/registers.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <optional>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"
#include "src/backends/cpu/compiler/lowering/threads/thread_state.hpp"

namespace warpwise::cpu_compiler {
namespace {

using cpu::kWarpSize;
using llvm::Value;
using llvm::Intrinsic::ID;
using namespace llvm::Intrinsic;

struct Field {
    bool in_block;  // else in the thread's state
    std::size_t offset;
};

std::optional<Field> field_of(ID id) {
    constexpr std::size_t word = sizeof(std::uint32_t);
    constexpr std::size_t tid = offsetof(cpu::ThreadState, thread_index);
    constexpr std::size_t ctaid = offsetof(cpu::BlockState, block_index);
    constexpr std::size_t ntid = offsetof(cpu::BlockState, block_dim);
    constexpr std::size_t nctaid = offsetof(cpu::BlockState, grid_dim);
    switch (id) {
        case nvvm_read_ptx_sreg_tid_x:
            return Field{false, tid};
        case nvvm_read_ptx_sreg_tid_y:
            return Field{false, tid + word};
        case nvvm_read_ptx_sreg_tid_z:
            return Field{false, tid + 2 * word};
        case nvvm_read_ptx_sreg_ctaid_x:
            return Field{true, ctaid};
        case nvvm_read_ptx_sreg_ctaid_y:
            return Field{true, ctaid + word};
        case nvvm_read_ptx_sreg_ctaid_z:
            return Field{true, ctaid + 2 * word};
        case nvvm_read_ptx_sreg_ntid_x:
            return Field{true, ntid};
        case nvvm_read_ptx_sreg_ntid_y:
            return Field{true, ntid + word};
        case nvvm_read_ptx_sreg_ntid_z:
            return Field{true, ntid + 2 * word};
        case nvvm_read_ptx_sreg_nctaid_x:
            return Field{true, nctaid};
        case nvvm_read_ptx_sreg_nctaid_y:
            return Field{true, nctaid + word};
        case nvvm_read_ptx_sreg_nctaid_z:
            return Field{true, nctaid + 2 * word};
        default:
            return std::nullopt;
    }
}

std::optional<std::uint32_t> constant_of(ID id) {
    switch (id) {
        case nvvm_read_ptx_sreg_warpsize:
            return kWarpSize;
        case nvvm_read_ptx_sreg_smid:
            return 0;
        case nvvm_read_ptx_sreg_nsmid:
            return 1;
        case nvvm_read_ptx_sreg_gridid:
            return 0;
        default:
            return std::nullopt;
    }
}

bool is_computed(ID id) {
    switch (id) {
        case nvvm_read_ptx_sreg_laneid:
        case nvvm_read_ptx_sreg_warpid:
        case nvvm_read_ptx_sreg_nwarpid:
        case nvvm_read_ptx_sreg_lanemask_eq:
        case nvvm_read_ptx_sreg_lanemask_lt:
        case nvvm_read_ptx_sreg_lanemask_le:
        case nvvm_read_ptx_sreg_lanemask_gt:
        case nvvm_read_ptx_sreg_lanemask_ge:
            return true;
        default:
            return false;
    }
}

Value* compute(llvm::IRBuilder<>& builder, ID id, ThreadStateValues& state) {
    switch (id) {
        case nvvm_read_ptx_sreg_warpid:
            return builder.CreateLShr(state.linear_index(), 5);
        case nvvm_read_ptx_sreg_nwarpid: {
            Value* threads = state.block_field(offsetof(cpu::BlockState, thread_count));
            return builder.CreateLShr(builder.CreateAdd(threads, builder.getInt32(kWarpSize - 1)),
                                      5);
        }
        default:
            break;
    }
    Value* lane = builder.CreateAnd(state.linear_index(), kWarpSize - 1);
    return id == nvvm_read_ptx_sreg_laneid ? lane : lane_mask(builder, id, lane);
}

Value* value_of(llvm::IntrinsicInst& read, ThreadStateValues& state) {
    ID id = read.getIntrinsicID();
    llvm::IRBuilder<> builder(&read);
    if (auto constant = constant_of(id)) return llvm::ConstantInt::get(read.getType(), *constant);
    if (auto field = field_of(id)) {
        return field->in_block ? state.block_field(field->offset)
                               : state.thread_field(field->offset);
    }
    return is_computed(id) ? compute(builder, id, state) : nullptr;
}

}  // namespace

bool is_known_register(ID id) {
    return field_of(id) || constant_of(id) || is_computed(id);
}

// A call of the run time, which vectors make once.
Value* read_time(llvm::IRBuilder<>& builder, llvm::StringRef name) {
    llvm::StringRef kind = name;
    const bool is_clock = kind.consume_front("clock");
    if (!is_clock && !kind.consume_front("globaltimer")) return nullptr;
    llvm::Module& module = *builder.GetInsertBlock()->getModule();
    const auto call = [&] {
        return builder.CreateCall(
            declare_service(module, is_clock ? ServiceId::clock64 : ServiceId::globaltimer));
    };
    if (kind == (is_clock ? "64" : "")) return call();
    if (kind == (is_clock ? "" : "_lo")) return builder.CreateTrunc(call(), builder.getInt32Ty());
    if (kind != "_hi") return nullptr;
    return builder.CreateTrunc(builder.CreateLShr(call(), 32), builder.getInt32Ty());
}

Value* read_register(llvm::IRBuilder<>& builder, llvm::StringRef name) {
    if (name == "WARP_SZ") name = "warpsize";
    if (Value* time = read_time(builder, name)) return time;
    std::string spelled = "llvm.nvvm.read.ptx.sreg." + name.str();
    std::replace(spelled.begin(), spelled.end(), '_', '.');  // lanemask_lt
    ID id = llvm::Function::lookupIntrinsicID(spelled);
    if (id == not_intrinsic || !is_known_register(id)) return nullptr;
    return builder.CreateIntrinsic(id, {}, {});
}

Value* lane_mask(llvm::IRBuilder<>& builder, ID id, Value* lane) {
    llvm::Constant* one = llvm::ConstantInt::get(lane->getType(), 1);
    Value* own = builder.CreateShl(one, lane);
    Value* below = builder.CreateSub(own, one);
    switch (id) {
        case nvvm_read_ptx_sreg_lanemask_eq:
            return own;
        case nvvm_read_ptx_sreg_lanemask_lt:
            return below;
        case nvvm_read_ptx_sreg_lanemask_le:
            return builder.CreateOr(below, own);
        case nvvm_read_ptx_sreg_lanemask_gt:
            return builder.CreateNot(builder.CreateOr(below, own));
        default:
            return builder.CreateNot(below);  // ge
    }
}

void lower_registers(Lowering& job) {
    for (llvm::Function& function : job.module) {
        if (function.isDeclaration()) continue;
        ThreadStateValues state(function);
        for (llvm::Instruction& instruction :
             llvm::make_early_inc_range(llvm::instructions(function))) {
            auto* read = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
            Value* value = read ? value_of(*read, state) : nullptr;
            if (!value) continue;
            read->replaceAllUsesWith(value);
            read->eraseFromParent();
        }
    }
}

}  // namespace warpwise::cpu_compiler
