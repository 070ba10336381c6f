// A block while it runs, as the run time sees it: what device code knows (BlockState) and what its
// services need.
//
// Threading: belongs to the thread that runs the block.
#pragma once

#include <optional>
#include <string>

#include "src/backends/cpu/execute/grid.hpp"
#include "src/backends/cpu/host/faults.hpp"

namespace warpwise::cpu {

class FiberBlock;

struct BlockRun : BlockState {
    Grid* grid = nullptr;
    const CpuKernel* kernel = nullptr;    // the form of it that runs this block
    KernelFrame* frame = nullptr;         // of the running thread
    std::string* output = nullptr;        // printf of the blocks before and of this one
    const ThreadState* thread = nullptr;  // the one that runs now
    FiberBlock* fibers = nullptr;         // null when threads run in a plain loop
    bool has_failed = false;
};

// The services, which lie above this folder: defined in services/.
const RuntimeTable& runtime_table() noexcept;

// Fills in what device code sees; `shared` is the block's own shared memory.
void describe_block(BlockRun& run, Grid& grid, const CpuKernel& kernel, std::uint64_t linear_block,
                    std::byte* shared);
// The block behind the one described, on the same shared memory.
void describe_next_block(BlockRun& run) noexcept;
// Its number in the grid.
std::uint64_t linear_block(const BlockRun& run) noexcept;

// Bytes of shared memory of one block, and of the static part device code counts from.
std::size_t shared_bytes(const CpuKernel& kernel, const Grid& grid) noexcept;

// Reports "kernel 'k': <what>, in block (x, y, z), thread (x, y, z)" and stops the grid. The thread
// is left out when null; of a gang with several active lanes the range is named.
void fail_block(BlockRun& run, const ThreadState* thread, const std::string& what);

// The same for the fault noted in the block's frame, by the thread that ran. Of one that was
// stopped (kPauseSignal) nothing is reported, unless its grid has expired.
void fail_by_fault(BlockRun& run);

// The same where only the run of blocks is known, that of the frame's Places.
void fail_run_by_fault(BlockRun& run);

// Reports that the grid has expired, for a block that has not failed yet; without effect otherwise.
void fail_if_expired(BlockRun& run);

// From a service: abandons the calling thread, and with it the block. fail_block() came before.
[[noreturn]] void leave_block(const ThreadState* thread) noexcept;

inline BlockRun& run_of(const ThreadState* thread) noexcept {
    return *static_cast<BlockRun*>(thread->block);
}

}  // namespace warpwise::cpu
