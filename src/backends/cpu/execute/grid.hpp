// One launch in flight: what every executor needs to run its blocks, and where they report.
//
// Threading: many threads run blocks of one grid; the description is constant meanwhile, the
// reporting members may be used by all of them.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <limits>

#include "src/backends/cpu/execute/kernel_output.hpp"
#include "src/backends/cpu/execute/nested_launches.hpp"
#include "src/backends/cpu/module/kernel.hpp"
#include "src/base/mutex.hpp"
#include "src/base/thread_pool.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu {

using Index3 = std::array<std::uint32_t, 3>;

class Grid {
  public:
    Grid(OutputQueue& queue, const Index3& blocks, const Index3& threads)
        : extent(blocks), block(threads), output(queue) {}

    std::uint64_t block_count() const noexcept {
        return std::uint64_t{extent[0]} * extent[1] * extent[2];
    }
    std::uint32_t thread_count() const noexcept { return block[0] * block[1] * block[2]; }
    Index3 block_index(std::uint64_t linear) const noexcept {
        return {static_cast<std::uint32_t>(linear % extent[0]),
                static_cast<std::uint32_t>(linear / extent[0] % extent[1]),
                static_cast<std::uint32_t>(linear / extent[0] / extent[1])};
    }

    // A block failed: no further block starts. Of several failures the lowest block's is kept.
    void fail(std::uint64_t linear_block, const LaunchError& error);
    // No further block starts, without an error (the user interrupted).
    void stop() noexcept { is_stopped_.store(true, std::memory_order_relaxed); }
    bool is_stopped() const noexcept {
        return is_stopped_.load(std::memory_order_relaxed) ||
               (parent != nullptr && parent->is_stopped());
    }
    // What blocks [begin, end) have printed. Of kernels that may print it is due for every block.
    void pass_on(std::uint64_t begin, std::uint64_t end, std::string&& text);
    // Null when all blocks went well.
    std::exception_ptr take_error();

    // Threads of the pool that run blocks of this grid and do not just spin there.
    void count_workers(int change) noexcept {
        workers_.fetch_add(change, std::memory_order_relaxed);
    }
    bool has_workers() const noexcept { return workers_.load(std::memory_order_relaxed) > 0; }

    bool may_print = false;            // then output is in the order of blocks
    std::chrono::seconds patience{0};  // with blocks that spin; 0: no end
    const Index3 extent;               // in blocks
    const Index3 block;                // in threads
    std::uint32_t dynamic_shared_bytes = 0;
    bool is_cooperative = false;        // and has threads that may meet
    ThreadPool::Job* source = nullptr;  // of further blocks for a thread that runs some; or none
    const Grid* parent = nullptr;       // whose kernel has launched this; outlives it
    const std::byte* arguments = nullptr;
    NestedLaunches nested;
    GridOutput output;

  private:
    std::atomic<bool> is_stopped_ = false;
    std::atomic<int> workers_ = 0;
    Mutex mutex_;
    std::exception_ptr error_ WARPWISE_GUARDED_BY(mutex_);
    std::uint64_t error_block_ WARPWISE_GUARDED_BY(mutex_) =
        std::numeric_limits<std::uint64_t>::max();
};

}  // namespace warpwise::cpu
