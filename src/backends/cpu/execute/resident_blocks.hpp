// The blocks of one grid that are alive at once on one thread, each gang in a fiber.
//
// Usually that is one, and the next starts when it has ended. Blocks that wait for memory which a
// later block writes (a barrier of the whole grid made by hand, from a counter in memory) need that
// block alive too: when no thread of the grid does anything but wait, the thread starts one block
// more beside those it has, and they take turns. In a cooperative launch all are alive from the
// start. A grid whose blocks do not wait for each other never has more than one a thread.
//
// When there is no further block, or no stacks for it, and nothing moves for as long as the grid is
// patient, a block fails and names the loop that it waits in.
//
// Threading: belongs to the thread that runs the blocks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "src/backends/cpu/execute/block.hpp"
#include "src/backends/cpu/execute/fiber_block.hpp"
#include "src/backends/cpu/host/stack_pool.hpp"

namespace warpwise::cpu {

struct SharedMemoryDeleter {
    void operator()(std::byte* memory) const noexcept;
};
using SharedMemory = std::unique_ptr<std::byte[], SharedMemoryDeleter>;

// With margins. Throws std::bad_alloc.
SharedMemory allocate_shared(std::size_t bytes);

class ResidentBlocks {
  public:
    // `shared` is for the first block; further ones bring their own.
    ResidentBlocks(Grid& grid, const CpuKernel& kernel, KernelFrame& frame, std::byte* shared);
    ~ResidentBlocks();
    ResidentBlocks(const ResidentBlocks&) = delete;
    ResidentBlocks& operator=(const ResidentBlocks&) = delete;

    // Runs blocks [begin, end), and others of the grid that these wait for. Failures and output are
    // reported to the grid. Throws LaunchError when there are no stacks for even one block.
    void run(std::uint64_t begin, std::uint64_t end);
    // All blocks at once: a cooperative launch. Throws LaunchError if there are not enough stacks
    // for them.
    void run_cooperative();

  private:
    using Clock = std::chrono::steady_clock;

    struct Resident {
        BlockRun run;
        FiberBlock fibers;
        std::vector<Stack> stacks;
        SharedMemory own_shared;
        std::byte* shared = nullptr;
        std::string output;
        bool is_live = false;
        bool is_at_grid = false;
    };

    void run_all();
    bool has_next();
    bool start_next();
    bool start_beside();
    Resident* free_place(StackPool::Wait wait);
    bool run_round();
    bool visit(Resident& resident);
    void pass_grid_sync();
    void wait_for_others();
    void set_idle(bool is_idle) noexcept;
    void fail_waiting();

    Grid& grid_;
    const CpuKernel& kernel_;
    KernelFrame& frame_;
    std::byte* const first_shared_;
    const std::size_t gangs_;  // of a block
    std::deque<Resident> residents_;
    std::uint64_t next_ = 0;  // the first block that has not started, of those this thread has
    std::uint64_t end_ = 0;
    std::size_t live_ = 0;
    std::size_t at_grid_ = 0;
    std::size_t idle_turns_ = 0;  // of gangs that all spun, since one did something else
    bool lacks_stacks_ = false;
    bool is_idle_ = false;  // for longer than a moment: the grid counts it as idle
    Clock::time_point idle_since_;
};

}  // namespace warpwise::cpu
