// A block whose gangs are fibers: which runs next, barriers and warp operations, and the report of
// a deadlock. "Thread" below means a gang: of one thread in executor *reference*, where warp
// operations are barriers here too; of more otherwise, where only barriers of the block are.
//
// A rendezvous (barrier, warp collective) suspends the thread; the last one to arrive computes the
// results and makes all of them ready. Then threads run on in ascending order. Invariant: the order
// depends on nothing but the program.
//
// Rules where CUDA leaves a choice:
//  - Exited threads count as arrived at barriers and are ignored in masks. At a named barrier with
//    a thread count they are counted only when no other thread can run.
//  - A collective completes when all live lanes of its mask wait in the same kind of collective
//  with
//    the same mask. A lane outside its own mask is an error.
//  - activemask: the lanes that ask at the same place once no other lane of the warp can run.
//    (The widest convergence there can be; lanes waiting elsewhere do not count.)
//
// Threading: belongs to the thread that runs the block.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "src/backends/cpu/execute/block.hpp"
#include "src/backends/cpu/execute/gang_walk.hpp"

namespace warpwise::cpu {

struct WarpCall {
    Collective kind = Collective::SyncWarp;
    std::uint32_t mode = 0;  // ShuffleMode or ReduceOp
    std::uint32_t mask = 0;
    std::uint32_t operand = 0;  // of a shuffle
    std::uint32_t width = kWarpSize;
    std::uint64_t value = 0;
    const void* site = nullptr;  // of activemask: the place of the call
};

struct WarpLane {
    WarpCall call;
    std::uint64_t result = 0;
};

struct FiberThread : ThreadState, WarpLane {
    enum class State : std::uint8_t { Ready, Yielded, AtBarrier, AtWarp, AtGrid, Exited };

    State state = State::Exited;
    std::uint32_t barrier_id = 0;
    std::uint32_t barrier_count = 0;  // 0: the whole block
    bool reduces = false;             // at the block barrier: in barrier_reduce
    const char* place = nullptr;      // of the loop it yields in, "file:line"; may be null
    std::int32_t predicate = 0;
    Fiber fiber;
};

class FiberBlock {
  public:
    // Waits: all threads that could run have polled memory that others write, once.
    enum class Outcome : std::uint8_t { Ended, Waits, AtGridSync, Failed };

    // Begins a block; its threads start on `stacks`, one each. May be called again for the next.
    void start(BlockRun& run, const Stack* stacks);

    // Runs until all threads have exited, all live ones wait for the grid, those that do not wait
    // at a barrier or collective wait for memory, or the block has failed or its grid was stopped.
    Outcome run();
    // Of the last run: whether a thread did more than poll again, and how many polled at its end.
    bool has_moved() const noexcept { return has_moved_; }
    std::size_t turns() const noexcept { return turns_; }
    // After Waits: fails, naming a loop.
    void fail_waiting(std::chrono::seconds waited, const std::string& addition);
    void pass_grid_sync() noexcept;

    // For services, on the fiber of `thread`.
    void barrier(FiberThread& thread, std::uint32_t id, std::uint32_t count);
    void barrier_arrive(FiberThread& thread, std::uint32_t id, std::uint32_t count);
    std::int32_t barrier_reduce(FiberThread& thread, std::uint32_t op, std::int32_t predicate);
    void grid_sync(FiberThread& thread);
    void yield(FiberThread& thread, const char* place);
    std::uint64_t meet_in_warp(FiberThread& thread, const WarpCall& call);

  private:
    static constexpr std::uint32_t kNamedBarriers = 16;  // as on hardware

    static void run_thread(void* thread);
    void suspend(FiberThread& thread, FiberThread::State state);
    enum class Round : std::uint8_t { NobodyReady, Spun, Moved };
    Round run_ready_threads();  // one round over all
    bool open_for_exited();
    bool open_active_masks();
    void on_exit(FiberThread& thread);
    void wait_at_block_barrier(FiberThread& thread);
    void open_block_barrier_if_complete();
    void open_named_barrier(std::uint32_t id);
    void open_warp_if_complete(std::uint32_t warp, std::uint32_t mask);
    std::uint32_t warp_lanes(std::uint32_t warp) const noexcept;
    std::string describe_deadlock() const;
    std::string describe_wait(const FiberThread& thread) const;
    void compute(FiberThread* lanes, std::uint32_t live);

    BlockRun* run_ = nullptr;
    std::vector<FiberThread> threads_;
    std::uint32_t exited_ = 0;
    std::uint32_t at_block_barrier_ = 0;
    std::uint32_t at_grid_ = 0;
    std::uint32_t at_warp_ = 0;  // not counting activemask
    std::size_t turns_ = 0;
    bool has_moved_ = false;
    std::uint32_t barrier_op_ = 0;
    struct NamedBarrier {
        std::uint32_t waiting = 0;
        std::uint32_t arrived = 0;  // by barrier_arrive, without waiting
        std::uint32_t count = 0;
    };
    NamedBarrier named_[kNamedBarriers];
    bool has_open_active_masks_ = false;  // a thread waits in activemask
};

// What each lane of a complete collective gets. `lanes` are the warp's, `live` those that take
// part. Results are stored in their `result`.
void compute_collective(WarpLane* const* lanes, std::uint32_t live);

}  // namespace warpwise::cpu
