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
#include "src/backends/cpu/host/faults.hpp"
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

    // A block failed: no higher block starts. Of several failures the lowest block's is kept, and
    // since lower ones still run, unless they may wait for others, that is the same error whatever
    // the number of threads.
    void fail(std::uint64_t linear_block, const LaunchError& error);
    // No further block starts, without an error (the user interrupted). Blocks that run end at
    // their next pause; see pauses.hpp.
    void stop() noexcept { stopped_from_.store(0, std::memory_order_relaxed); }
    // The kernel has run for longer than it may: as stop(), and those blocks fail.
    void expire(std::chrono::duration<double> limit) noexcept {
        expired_.store(limit.count(), std::memory_order_relaxed);
        stop();
    }
    // That limit, in seconds; 0: not expired.
    double expired() const noexcept {
        const double own = expired_.load(std::memory_order_relaxed);
        return own == 0 && parent != nullptr ? parent->expired() : own;
    }
    // By a failure of any block, or the user.
    bool is_stopped() const noexcept { return is_stopped(kNoBlock - 1); }
    // Whether blocks that run end, too.
    bool is_stopped_at_once() const noexcept { return is_stopped(0); }
    // Whether this block may not start.
    bool is_stopped(std::uint64_t linear_block) const noexcept {
        return linear_block >= stopped_from_.load(std::memory_order_relaxed) ||
               (parent != nullptr && parent->is_stopped());
    }
    // What blocks [begin, end) have printed. Of kernels that may print it is due for every block.
    void pass_on(std::uint64_t begin, std::uint64_t end, std::string&& text);
    // Null when all blocks went well.
    std::exception_ptr take_error();

    // Threads that run blocks of this grid as fibers and do not just spin there.
    void count_workers(int change) noexcept {
        workers_.fetch_add(change, std::memory_order_relaxed);
    }
    bool has_workers() const noexcept { return workers_.load(std::memory_order_relaxed) > 0; }

    const std::uint64_t number = next_launch_number();
    bool may_print = false;            // then output is in the order of blocks
    std::chrono::seconds patience{0};  // with blocks that spin; 0: no end
    const Index3 extent;               // in blocks
    const Index3 block;                // in threads
    std::uint32_t dynamic_shared_bytes = 0;
    bool is_of_small_array = false;     // runtime::Launch::runs_here
    bool is_cooperative = false;        // and has threads that may synchronise
    ThreadPool::Job* source = nullptr;  // of further blocks for a thread that runs some; or none
    const Grid* parent = nullptr;       // whose kernel has launched this; outlives it
    const std::byte* arguments = nullptr;
    NestedLaunches nested;
    GridOutput output;

  private:
    static constexpr std::uint64_t kNoBlock = std::numeric_limits<std::uint64_t>::max();

    std::atomic<std::uint64_t> stopped_from_ = kNoBlock;
    std::atomic<double> expired_ = 0;
    std::atomic<int> workers_ = 0;
    Mutex mutex_;
    std::exception_ptr error_ WARPWISE_GUARDED_BY(mutex_);
    std::uint64_t error_block_ WARPWISE_GUARDED_BY(mutex_) = kNoBlock;
};

}  // namespace warpwise::cpu
