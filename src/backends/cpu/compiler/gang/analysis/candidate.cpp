// Refusals, each with its reason; and what decides how a kernel's gangs are cut.
#include "src/backends/cpu/compiler/gang/analysis/candidate.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

bool is_scalar(const llvm::Type* type) {
    return type->isVoidTy() || type->isIntegerTy() || type->isPointerTy() ||
           type->isFloatingPointTy();
}

bool is_flat_struct(const llvm::Type* type) {
    auto* structure = llvm::dyn_cast<llvm::StructType>(type);
    return structure && llvm::all_of(structure->elements(), is_scalar);
}

bool is_only_extracted(const llvm::Instruction& instruction) {
    return llvm::all_of(instruction.users(), [](const llvm::User* user) {
        auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(user);
        return extract && extract->getNumIndices() == 1;
    });
}

// Values of struct type exist as the results of calls and compare-and-swap, taken apart at once.
std::string reason_in_type(const llvm::Instruction& instruction) {
    const llvm::Type* type = instruction.getType();
    if (is_scalar(type)) return {};
    if (type->isVectorTy()) return "a vector value the scalariser left";
    bool produces = llvm::isa<llvm::CallBase, llvm::AtomicCmpXchgInst>(instruction);
    if (produces && is_flat_struct(type) && is_only_extracted(instruction)) return {};
    return "a struct value that control flow merges";
}

std::string reason_in_call(const llvm::CallBase& call, const CallGraph& graph) {
    if (find_service(call)) return {};
    if (call.isConvergent() && !llvm::isa<llvm::IntrinsicInst>(call)) {
        return "a barrier or warp operation inside a function that is not inlined";
    }
    static_cast<void>(graph);
    for (const llvm::Value* argument : call.args()) {
        bool is_metadata = argument->getType()->isMetadataTy();
        if (!is_scalar(argument->getType()) && !is_metadata) return "a struct passed by value";
    }
    return {};
}

std::string reason_in(const llvm::Instruction& instruction, const CallGraph& graph) {
    if (auto* local = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
        local && !local->isStaticAlloca()) {
        return "a local array of variable size";
    }
    for (const llvm::Value* operand : instruction.operands()) {
        if (operand->getType()->isVectorTy()) return "a vector operand";
        if (operand->getType()->isAggregateType() &&
            !llvm::isa<llvm::ExtractValueInst>(instruction)) {
            return "a struct operand";
        }
    }
    if (instruction.isTerminator() &&
        !llvm::isa<llvm::BranchInst, llvm::SwitchInst, llvm::ReturnInst, llvm::UnreachableInst>(
            instruction)) {
        return "an indirect jump";
    }
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        std::string reason = reason_in_call(*call, graph);
        if (!reason.empty()) return reason;
    }
    return reason_in_type(instruction);
}

// In a function that is called; what the kernel's own loops wait for, waits.hpp judges.
bool calls_yield(const llvm::Function& kernel, const CallGraph& graph) {
    for (const llvm::Function* function : graph.reachable(kernel)) {
        if (function == &kernel) continue;
        for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
            auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            if (call && is_service(*call, ServiceId::yield)) return true;
        }
    }
    return false;
}

// __syncthreads(), __syncthreads_count() ...: no number, no count, not the grid.
bool is_of_whole_block(const llvm::CallBase& barrier, const Service& service) {
    if (service.id == ServiceId::barrier_reduce) return true;
    return service.id == ServiceId::barrier &&
           llvm::all_of(barrier.args(), [](const llvm::Use& argument) {
               auto* number = llvm::dyn_cast<llvm::ConstantInt>(argument.get());
               return number && number->isZero();
           });
}

}  // namespace

std::string reason_against(const llvm::Function& kernel, const CallGraph& graph) {
    if (!kernel.use_empty()) return "it is called as a function";
    if (kernel.getInstructionCount() > costs::kLargestKernel) return "it is too large";
    if (calls_yield(kernel, graph)) return kReasonToWait;
    for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
        std::string reason = reason_in(instruction, graph);
        if (!reason.empty()) return reason;
    }
    return {};
}

KernelFacts facts_of(const llvm::Function& kernel) {
    KernelFacts facts;
    facts.size = kernel.getInstructionCount();
    for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
        // Code older than __syncwarp() orders the lanes of a warp by volatile accesses.
        facts.has_warp_operations |= instruction.isVolatile();
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        const Service* service = call ? find_service(*call) : nullptr;
        auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        facts.reads_rows |=
            intrinsic && intrinsic->getIntrinsicID() == llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y;
        if (!service) continue;
        facts.has_warp_operations |= service->is_warp_operation();
        facts.yields |= service->kind == ServiceKind::Yield;
        if (!service->is_barrier()) continue;
        facts.has_barriers = true;
        facts.has_other_barriers |= !is_of_whole_block(*call, *service);
    }
    return facts;
}

}  // namespace warpwise::cpu_compiler::gang
