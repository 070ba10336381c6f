// A kernel of the CPU device, and the limits of its launches.
//
// Ownership: belongs to its module; `info` points into a program the module keeps.
#pragma once

#include <memory>
#include <string>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/kernel_record.hpp"
#include "src/backends/cpu/module/block_cost.hpp"
#include "src/runtime/backend.hpp"

namespace warpwise::cpu {

inline constexpr std::uint32_t kMaxThreadsPerBlock = 1024;
inline constexpr std::uint32_t kMaxBlockDim[3] = {1024, 1024, 64};
inline constexpr std::uint64_t kMaxGridDim[3] = {0x7fffffff, 65535, 65535};
// What an H100 lets a kernel opt into: 227 KiB. Programs written for it fit.
inline constexpr std::uint32_t kMaxSharedBytes = 232448;

class KernelForms;
class LoadedModule;

struct CpuKernel final : runtime::KernelImpl {
    CpuKernel();
    ~CpuKernel() override;

    KernelRecord record;  // of `info`
    KernelEntry entry = nullptr;
    LoadedModule* module = nullptr;      // it belongs to
    std::unique_ptr<KernelForms> forms;  // where it may be compiled for blocks of one shape
    mutable BlockCost cost;              // in whatever form

    std::string executor() const override;
    double lane_by_lane() const override { return record.lane_by_lane / 1000.0; }
    std::vector<KernelForm> reported_forms() const override;
    void compile_fully(const std::array<std::uint32_t, 3>& block) override;
    bool needs_fibers() const noexcept { return (record.flags & kKernelNeedsFibers) != 0; }
    bool stops() const noexcept { return (record.flags & kKernelStops) != 0; }
    bool prints() const noexcept { return (record.flags & kKernelPrints) != 0; }
    // Null unless the kernel runs blocks by itself.
    BlockRunEntry block_run_entry() const noexcept {
        if ((record.flags & kKernelRunsBlocks) == 0) return nullptr;
        return reinterpret_cast<BlockRunEntry>(reinterpret_cast<void (*)()>(entry));
    }
    // Whether it marks the places of its gangs, instead of storing them to the state of the gang.
    bool marks_places() const noexcept {
        return (record.flags & (kKernelRunsBlocks | kKernelCallsRuntime)) == kKernelRunsBlocks;
    }
    // Whether runs of several blocks are faster than as many blocks.
    bool runs_rounds() const noexcept { return (record.flags & kKernelRunsRounds) != 0; }
    bool has_linear_gangs() const noexcept { return (record.flags & kKernelGangsAreLinear) != 0; }
    bool numbers_in_31_bits() const noexcept {
        return (record.flags & kKernelNumbersIn31Bits) != 0;
    }
    std::uint32_t gang_columns() const noexcept { return record.gang_columns(); }
    std::uint32_t gang_rows() const noexcept { return record.gang_rows(); }
};

}  // namespace warpwise::cpu
