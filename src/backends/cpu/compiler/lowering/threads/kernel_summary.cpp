// What the run time must know before it starts a kernel: whether its threads synchronise, whether
// they call out, and how much stack one needs.
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/scalar/call_graph.hpp"
#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"
#include "src/backends/cpu/compiler/lowering/threads/stack_frames.hpp"
#include "src/backends/cpu/kernel_record.hpp"

namespace warpwise::cpu_compiler {
namespace {

struct Summary {
    std::uint32_t flags = 0;
    std::uint64_t frame = kFrameOverhead;
};

std::uint32_t flags_of(const Service& service) {
    if (service.kind == ServiceKind::GridBarrier) {
        return cpu::kKernelNeedsFibers | cpu::kKernelSyncsGrid;
    }
    if (service.is_rendezvous()) return cpu::kKernelNeedsFibers;
    if (service.id == cpu::ServiceId::printf) return cpu::kKernelCallsRuntime | cpu::kKernelPrints;
    return service.takes_thread ? std::uint32_t{cpu::kKernelCallsRuntime} : 0;
}

Summary summarise(const llvm::Function& function) {
    const llvm::DataLayout& target = function.getDataLayout();
    Summary summary;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
        if (auto* local = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
            if (auto size = local->getAllocationSize(target))
                summary.frame += size->getFixedValue();
        }
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        const Service* service = call ? find_service(*call) : nullptr;
        if (call && !service) service = find_lowered_service(*call);
        if (service) summary.flags |= flags_of(*service);
    }
    return summary;
}

void note_executor(cpu::KernelRecord& record, const llvm::StringMap<GangForm>& gangs,
                   llvm::StringRef symbol) {
    record.executor = Executor::Reference;
    record.lane_by_lane = 1000;
    const auto found = gangs.find(symbol);
    if (found == gangs.end()) return;
    const GangForm& form = found->second;
    record.executor = form.needs_no_fibers ? Executor::Regions : Executor::Gang;
    record.flags |= form.columns << cpu::kGangColumnsShift;
    record.flags |= form.rows << cpu::kGangRowsShift;
    if (form.is_linear) record.flags |= cpu::kKernelGangsAreLinear;
    if (form.numbers_in_31_bits) record.flags |= cpu::kKernelNumbersIn31Bits;
    record.lane_by_lane = static_cast<std::uint32_t>(form.lane_by_lane);
    record.accesses = form.accesses;
    if (!form.frame_bytes) return;
    record.flags |= cpu::kKernelStops;
    record.frame_bytes = static_cast<std::uint32_t>(*form.frame_bytes);
}

}  // namespace

void summarise_kernels(Lowering& job) {
    CallGraph graph(job.module);
    llvm::DenseMap<const llvm::Function*, Summary> summaries;
    for (const llvm::Function* function : graph.bottom_up()) {
        summaries[function] = summarise(*function);
    }
    const auto depths = stack_depths(
        graph, [&](const llvm::Function& function) { return summaries.lookup(&function).frame; });
    for (compiler::KernelInfo& kernel : job.translation.kernels) {
        const llvm::Function* root = job.module.getFunction(kernel.signature.symbol);
        cpu::KernelRecord record;
        for (const llvm::Function* function : graph.reachable(*root)) {
            record.flags |= summaries[function].flags;
        }
        kernel.local_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(
            depths.lookup(root), std::numeric_limits<std::uint32_t>::max()));
        note_executor(record, job.gangs, kernel.signature.symbol);
        kernel.backend_data = cpu::encode_record(record);
        kernel.block = job.translation.mode.block.value_or(BlockShape{});
    }
}

}  // namespace warpwise::cpu_compiler
