// Kernels launched by kernels. A grid collects what its threads launch; it runs when the blocks of
// that grid have ended, one grid after the other in the order of launching, each with all that it
// launches in its turn before the next: that is within what CUDA promises of any streams. The
// launch of the host's is complete when all of it is. A thread that waits for what its grid has
// launched (cudaDeviceSynchronize(), which CUDA had up to version 12) runs it before it goes on.
//
// Threading: add() and run_on_the_spot() from all threads that run blocks of the grid; the rest
// when these have ended.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "src/backends/cpu/module/kernel.hpp"
#include "src/base/mutex.hpp"

namespace warpwise::cpu {

class Grid;
class GridLaunch;
struct KernelFrame;

struct NestedLaunch {
    const CpuKernel* kernel = nullptr;
    std::array<std::uint32_t, 3> blocks{}, threads{};
    std::uint32_t dynamic_shared_bytes = 0;
    bool is_tail = false;  // after all others of its grid
    std::vector<std::byte> arguments;
};

class NestedLaunches {
  public:
    void add(NestedLaunch&& launch);
    bool is_empty() const noexcept { return is_empty_.load(std::memory_order_relaxed); }
    // In the order in which they are to run; none are left.
    std::vector<NestedLaunch> take();
    // Runs what `grid`, to which this belongs, has launched so far, and what that launches. What
    // goes wrong is reported to the grid, as of the block `linear_block`. The calling thread, whose
    // frame is `frame`, pauses meanwhile where that is requested.
    void run_on_the_spot(Grid& grid, std::uint64_t linear_block, KernelFrame& frame);

  private:
    std::vector<NestedLaunch> take_ready();

    Mutex running_;  // before mutex_
    Mutex mutex_;
    std::vector<NestedLaunch> launches_ WARPWISE_GUARDED_BY(mutex_);
    std::vector<NestedLaunch> tail_ WARPWISE_GUARDED_BY(mutex_);
    std::atomic<bool> is_empty_ = true;
};

// Adds the launch of `symbol` that a thread of `grid`, which runs `parent`, has requested. The
// arguments follow the record. Returns what is wrong with it, or nothing.
std::string add_nested_launch(Grid& grid, const CpuKernel& parent, const char* symbol,
                              const NestedRecord& record);

// What a launch of the host's still has to run.
class NestedRun {
  public:
    explicit NestedRun(Grid& root);
    ~NestedRun();
    NestedRun(const NestedRun&) = delete;
    NestedRun& operator=(const NestedRun&) = delete;

    // Ends the grid that ran, the root at first. The next one, or null when none is left or one has
    // failed; its error is the root's then.
    GridLaunch* next();

  private:
    Grid& root_;
    std::unique_ptr<GridLaunch> running_;
    std::deque<NestedLaunch> waiting_;
};

}  // namespace warpwise::cpu
