// Scheduling and rendezvous of one block.
#include "src/backends/cpu/execute/fiber_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <utility>

#include "src/backends/cpu/execute/deadlock.hpp"
#include "src/backends/cpu/execute/pauses.hpp"

namespace warpwise::cpu {

using State = FiberThread::State;

void FiberBlock::start(BlockRun& run, const Stack* stacks) {
    run_ = &run;
    run.fibers = this;
    GangWalk gangs(*run.kernel, *run.grid);
    if (threads_.size() != gangs.count()) threads_ = std::vector<FiberThread>(gangs.count());
    exited_ = at_block_barrier_ = at_grid_ = at_warp_ = 0;
    has_open_active_masks_ = false;
    std::fill(std::begin(named_), std::end(named_), NamedBarrier{});
    for (std::size_t gang = 0; gang < threads_.size(); ++gang, gangs.advance()) {
        FiberThread& thread = threads_[gang];
        gangs.describe(thread);
        thread.block = &run;
        thread.state = State::Ready;
        thread.fiber.start(stacks[gang], &FiberBlock::run_thread, &thread, gang);
    }
}

void FiberBlock::run_thread(void* argument) {
    auto* thread = static_cast<FiberThread*>(argument);
    BlockRun& run = run_of(thread);
    run.frame->in_kernel = 1;
    run.kernel->entry(thread, run.grid->arguments);
    run.frame->in_kernel = 0;
    run.fibers->on_exit(*thread);
}

FiberBlock::Outcome FiberBlock::run() {
    has_moved_ = false;
    while (exited_ < run_->thread_count) {
        const Round round = run_ready_threads();
        has_moved_ |= round == Round::Moved;
        if (run_->has_failed || run_->grid->is_stopped()) return Outcome::Failed;
        if (round == Round::Moved) continue;
        // All spin, perhaps for lanes that sit in activemask, perhaps for another block.
        if (open_active_masks()) continue;
        if (round == Round::Spun) return Outcome::Waits;
        if (open_for_exited()) continue;
        if (at_grid_ + exited_ == run_->thread_count) return Outcome::AtGridSync;
        fail_block(*run_, nullptr, describe_deadlock());
        return Outcome::Failed;
    }
    return Outcome::Ended;
}

FiberBlock::Round FiberBlock::run_ready_threads() {
    bool has_moved = false;
    turns_ = 0;
    for (FiberThread& thread : threads_) {
        if (thread.state != State::Ready && thread.state != State::Yielded) continue;
        thread.state = State::Ready;
        run_->thread = &thread;
        run_->frame->fiber = &thread.fiber;
        do {
            thread.fiber.resume();
        } while (resumes_after_pause(*run_->frame, *run_->grid));
        ++turns_;
        has_moved |= thread.state != State::Yielded;
        if (run_->frame->fault.signal != 0) fail_by_fault(*run_);
        if (run_->has_failed) return Round::Moved;
    }
    if (turns_ == 0) return Round::NobodyReady;
    return has_moved ? Round::Moved : Round::Spun;
}

void FiberBlock::fail_waiting(std::chrono::seconds waited, const std::string& addition) {
    const auto spins = std::find_if(threads_.begin(), threads_.end(), [](const FiberThread& one) {
        return one.state == State::Yielded;
    });
    const std::string place = spins->place != nullptr ? fmt::format(" at {}", spins->place) : "";
    fail_block(*run_, &*spins,
               fmt::format("no progress for {} s: the loop{} waits for memory that no running "
                           "thread writes{}; if the host writes it, set WARPWISE_WATCHDOG to more "
                           "seconds, or to 0",
                           waited.count(), place, addition));
}

void FiberBlock::suspend(FiberThread& thread, State state) {
    thread.state = state;
    thread.fiber.suspend();
}

void FiberBlock::yield(FiberThread& thread, const char* place) {
    thread.place = place;
    suspend(thread, State::Yielded);
}

void FiberBlock::on_exit(FiberThread& thread) {
    thread.state = State::Exited;
    exited_ += thread.lanes;
    open_block_barrier_if_complete();
    if (at_warp_ == 0) return;
    // Lanes that waited for this one alone may go on.
    const std::uint32_t warp = thread.linear_index / kWarpSize;
    for (std::uint32_t rest = warp_lanes(warp); rest != 0; rest &= rest - 1) {
        const FiberThread& lane = threads_[warp * kWarpSize + std::countr_zero(rest)];
        if (lane.state != State::AtWarp || lane.call.kind == Collective::ActiveMask) continue;
        open_warp_if_complete(warp, lane.call.mask);
    }
}

void FiberBlock::wait_at_block_barrier(FiberThread& thread) {
    thread.barrier_id = 0;
    thread.barrier_count = 0;
    at_block_barrier_ += thread.lanes - thread.elsewhere;
    thread.state = State::AtBarrier;
    open_block_barrier_if_complete();
    thread.fiber.suspend();
}

void FiberBlock::open_block_barrier_if_complete() {
    if (at_block_barrier_ == 0 || at_block_barrier_ + exited_ < run_->thread_count) return;
    const auto is_here = [](const FiberThread& thread) {
        return thread.state == State::AtBarrier && thread.barrier_id == 0 &&
               thread.barrier_count == 0;
    };
    std::int32_t count = 0;
    bool all = true;
    for (const FiberThread& thread : threads_) {
        if (!is_here(thread) || !thread.reduces) continue;
        count += thread.predicate;
        all &= static_cast<std::uint32_t>(thread.predicate) == thread.arrived;
    }
    const std::int32_t result = barrier_op_ == kBarrierCount ? count
                                : barrier_op_ == kBarrierAnd ? all
                                                             : count != 0;
    for (FiberThread& thread : threads_) {
        if (!is_here(thread)) continue;
        thread.result = static_cast<std::uint64_t>(result);
        thread.state = State::Ready;
    }
    at_block_barrier_ = 0;
}

void FiberBlock::barrier(FiberThread& thread, std::uint32_t id, std::uint32_t count) {
    thread.reduces = false;
    if (id == 0 && (count == 0 || count == run_->thread_count))
        return wait_at_block_barrier(thread);
    id %= kNamedBarriers;
    NamedBarrier& barrier = named_[id];
    thread.barrier_id = id;
    thread.barrier_count = count == 0 ? run_->thread_count : count;
    barrier.count = thread.barrier_count;
    barrier.waiting += thread.arrived;
    thread.state = State::AtBarrier;
    if (barrier.waiting + barrier.arrived >= barrier.count) open_named_barrier(id);
    thread.fiber.suspend();
}

void FiberBlock::barrier_arrive(FiberThread& thread, std::uint32_t id, std::uint32_t count) {
    id %= kNamedBarriers;
    NamedBarrier& barrier = named_[id];
    barrier.count = count == 0 ? run_->thread_count : count;
    barrier.arrived += thread.arrived;
    if (barrier.waiting + barrier.arrived >= barrier.count) open_named_barrier(id);
}

void FiberBlock::open_named_barrier(std::uint32_t id) {
    named_[id] = {};
    for (FiberThread& thread : threads_) {
        const bool is_here = thread.state == State::AtBarrier && thread.barrier_count != 0 &&
                             thread.barrier_id == id;
        if (is_here) thread.state = State::Ready;
    }
}

// No thread can run: named barriers whose missing threads have exited open.
bool FiberBlock::open_for_exited() {
    for (std::uint32_t id = 0; id < kNamedBarriers; ++id) {
        const NamedBarrier& barrier = named_[id];
        if (barrier.waiting == 0) continue;
        if (barrier.waiting + barrier.arrived + exited_ < barrier.count) continue;
        open_named_barrier(id);
        return true;
    }
    return false;
}

std::int32_t FiberBlock::barrier_reduce(FiberThread& thread, std::uint32_t op,
                                        std::int32_t predicate) {
    thread.reduces = true;
    // Of a gang, its number of lanes with a true predicate.
    thread.predicate = thread.lanes == 1 ? predicate != 0 : predicate;
    barrier_op_ = op;
    wait_at_block_barrier(thread);
    return static_cast<std::int32_t>(thread.result);
}

void FiberBlock::grid_sync(FiberThread& thread) {
    at_grid_ += thread.lanes - thread.elsewhere;
    suspend(thread, State::AtGrid);
}

void FiberBlock::pass_grid_sync() noexcept {
    at_grid_ = 0;
    for (FiberThread& thread : threads_) {
        if (thread.state == State::AtGrid) thread.state = State::Ready;
    }
}

// The lanes of a warp that exist.
std::uint32_t FiberBlock::warp_lanes(std::uint32_t warp) const noexcept {
    const std::uint32_t count = std::min(kWarpSize, run_->thread_count - warp * kWarpSize);
    return count == kWarpSize ? ~0u : (1u << count) - 1;
}

std::uint64_t FiberBlock::meet_in_warp(FiberThread& thread, const WarpCall& call) {
    thread.call = call;
    thread.state = State::AtWarp;
    if (call.kind == Collective::ActiveMask) {
        has_open_active_masks_ = true;
    } else {
        ++at_warp_;
        open_warp_if_complete(thread.linear_index / kWarpSize, call.mask);
    }
    thread.fiber.suspend();
    return thread.result;
}

void FiberBlock::open_warp_if_complete(std::uint32_t warp, std::uint32_t mask) {
    FiberThread* lanes = &threads_[warp * kWarpSize];
    std::uint32_t live = 0;
    const FiberThread* first = nullptr;
    for (std::uint32_t rest = mask & warp_lanes(warp); rest != 0; rest &= rest - 1) {
        const FiberThread& lane = lanes[std::countr_zero(rest)];
        if (lane.state == State::Exited) continue;
        if (first == nullptr) first = &lane;
        const bool is_here = lane.state == State::AtWarp && lane.call.mask == mask &&
                             lane.call.kind == first->call.kind &&
                             lane.call.kind != Collective::ActiveMask;
        if (!is_here) return;
        live |= 1u << std::countr_zero(rest);
    }
    if (live == 0) return;
    compute(lanes, live);
    at_warp_ -= static_cast<std::uint32_t>(std::popcount(live));
    for (; live != 0; live &= live - 1) lanes[std::countr_zero(live)].state = State::Ready;
}

// Answers activemask in warps where no other lane can run: the lanes that call it at the place
// where the lowest lane calls it.
bool FiberBlock::open_active_masks() {
    if (!has_open_active_masks_) return false;
    bool has_opened = false;
    bool is_left = false;
    for (std::uint32_t first = 0; first < run_->thread_count; first += kWarpSize) {
        FiberThread* lanes = &threads_[first];
        std::uint32_t asking = 0;
        const void* site = nullptr;
        bool others_run = false;
        for (std::uint32_t rest = warp_lanes(first / kWarpSize); rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
            others_run |= lanes[lane].state == State::Ready;
            const bool asks = lanes[lane].state == State::AtWarp &&
                              lanes[lane].call.kind == Collective::ActiveMask;
            if (!asks) continue;
            if (site == nullptr) site = lanes[lane].call.site;
            if (lanes[lane].call.site == site) {
                asking |= 1u << lane;
            } else {
                is_left = true;
            }
        }
        if (asking == 0) continue;
        if (others_run) {
            is_left = true;
            continue;
        }
        compute(lanes, asking);
        for (; asking != 0; asking &= asking - 1) {
            lanes[std::countr_zero(asking)].state = State::Ready;
        }
        has_opened = true;
    }
    has_open_active_masks_ = is_left;
    return has_opened;
}

std::string FiberBlock::describe_wait(const FiberThread& thread) const {
    static constexpr const char* kNames[] = {
        "__syncwarp",     "__activemask",     "a warp vote",      "a warp shuffle",
        "a warp shuffle", "__match_any_sync", "__match_all_sync", "__reduce_sync"};
    switch (thread.state) {
        case State::Exited:
            return "exited";
        case State::AtGrid:
            return "waiting for the whole grid";
        case State::AtBarrier:
            if (thread.barrier_count == 0) return describe_wait_for_block(thread);
            return fmt::format("waiting at barrier {} for {} threads", thread.barrier_id,
                               thread.barrier_count);
        case State::AtWarp:
            return fmt::format("waiting in {} with mask 0x{:08x}",
                               kNames[static_cast<std::size_t>(thread.call.kind)],
                               thread.call.mask);
        default:
            return "running";
    }
}

void FiberBlock::compute(FiberThread* lanes, std::uint32_t live) {
    std::array<WarpLane*, kWarpSize> warp{};
    for (std::uint32_t rest = live; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
        warp[lane] = &lanes[lane];
    }
    compute_collective(warp.data(), live);
}

std::string FiberBlock::describe_deadlock() const {
    Deadlock deadlock;
    for (const FiberThread& thread : threads_) deadlock.add(thread, describe_wait(thread));
    return std::move(deadlock).text();
}

}  // namespace warpwise::cpu
