// A block whose gangs return at its barriers (kKernelStops): called one after the other, round by
// round, until all have ended. What they keep meanwhile lies in frames of a fixed size.
//
// Invariants: a gang that has returned without ending waits at a barrier of the whole block, and
// exited lanes count as arrived, so that after each round all have come; unless lanes of one gang
// wait elsewhere, which nothing can resolve.
//
// Ownership: the memory is the worker's and outlives blocks and grids; a fault abandons the stack
// that run() uses, and nothing else.
// Threading: belongs to the thread that runs the blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "src/backends/cpu/execute/block.hpp"
#include "src/backends/cpu/execute/gang_walk.hpp"

namespace warpwise::cpu {

class RegionBlock {
  public:
    // For the blocks of run's grid. Throws std::bad_alloc.
    void prepare(BlockRun& run);
    // Runs the block that `run` describes now to its end, or until it fails or the grid is stopped.
    void run();

  private:
    struct FrameDeleter {
        void operator()(std::byte* memory) const noexcept { std::free(memory); }
    };
    // What the gangs of a round have left behind.
    struct Round {
        std::size_t waiting = 0;  // gangs at a barrier
        std::uint32_t elsewhere = 0;
        std::uint32_t votes_how = 0;
    };

    void note(Round& round, const ThreadState& gang) noexcept;
    Round run_from_the_start();
    Round go_on();
    void count_votes();
    void fail_for_ever();

    BlockRun* run_ = nullptr;
    GangWalk walk_;
    std::vector<ThreadState> gangs_;
    std::unique_ptr<std::byte[], FrameDeleter> frames_;
    std::size_t frames_size_ = 0;
};

}  // namespace warpwise::cpu
