// A grid with what it needs while it runs: the form of its kernel and a copy of its arguments.
//
// Ownership: the kernel's module is kept alive by the launch of the host's that this belongs to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>

#include "src/backends/cpu/execute/grid.hpp"
#include "src/backends/cpu/module/kernel_forms.hpp"
#include "src/base/thread_pool.hpp"

namespace warpwise::cpu {

struct GridShape {
    Index3 blocks;
    Index3 threads;  // of a block
    std::uint32_t dynamic_shared_bytes = 0;
    bool is_cooperative = false;
};

class GridLaunch {
  public:
    GridLaunch(const CpuKernel& kernel, const GridShape& shape,
               std::span<const std::byte> arguments, OutputQueue& output);

    Grid& grid() noexcept { return grid_; }
    const Grid& grid() const noexcept { return grid_; }
    std::uint64_t pieces() const noexcept;
    // Nanoseconds that a piece may take, by what earlier ones have taken; 0: unknown.
    double forecast() const noexcept;
    // Ascending where blocks may wait for each other, or print: their output is read in order.
    ThreadPool::Order order() const noexcept;
    // When the last block has ended: what pieces have taken each, and whether one thread ran all.
    void learn(double nanoseconds, bool was_alone) noexcept;
    // Pieces [begin, end), all blocks for any range of a cooperative launch.
    void run(std::uint64_t begin, std::uint64_t end) noexcept;
    // When the last block has ended. Null when all went well.
    std::exception_ptr take_error() noexcept;

  private:
    static constexpr std::size_t kInlineArguments = 192;

    Grid grid_;
    BlockCost& cost_;
    LaunchForm form_;
    std::uint64_t blocks_of_piece_ = 1;
    std::unique_ptr<std::byte[]> large_arguments_;
    alignas(64) std::byte inline_arguments_[kInlineArguments];
};

}  // namespace warpwise::cpu
