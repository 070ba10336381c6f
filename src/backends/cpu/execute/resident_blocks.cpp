// Starting, taking turns, and waiting.
#include "src/backends/cpu/execute/resident_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <thread>
#include <utility>

#include "warpwise/error.hpp"

namespace warpwise::cpu {
namespace {

// How often gangs are polled again before the core is offered to others, some ten microseconds. The
// offer is dear where other programs compute: each taker keeps the core for a time slice. And a
// thread that holds a lock may itself look as if it waited, a step of its loop a turn.
constexpr std::size_t kIdleTurns = 1024;
// How long a whole grid does nothing but wait until one more of its blocks comes alive. What ends
// most waits is another thread that has work to do.
constexpr auto kUntilMore = std::chrono::microseconds(100);

std::size_t fiber_stack_bytes(const CpuKernel& kernel) {
    return kernel.info->local_bytes + kStackMarginBytes;
}

}  // namespace

void SharedMemoryDeleter::operator()(std::byte* memory) const noexcept {
    if (memory != nullptr) std::free(memory - kSharedMargin);
}

SharedMemory allocate_shared(std::size_t bytes) {
    static_assert(kSharedMargin % kSharedAlignment == 0);
    const std::size_t size =
        (bytes + 2 * kSharedMargin + kSharedAlignment) / kSharedAlignment * kSharedAlignment;
    auto* memory = static_cast<std::byte*>(std::aligned_alloc(kSharedAlignment, size));
    if (memory == nullptr) throw std::bad_alloc();
    return SharedMemory(memory + kSharedMargin);
}

ResidentBlocks::ResidentBlocks(Grid& grid, const CpuKernel& kernel, KernelFrame& frame,
                               std::byte* shared)
    : grid_(grid),
      kernel_(kernel),
      frame_(frame),
      first_shared_(shared),
      gangs_(GangWalk(kernel, grid).count()) {
    grid_.count_workers(1);
}

ResidentBlocks::~ResidentBlocks() {
    set_idle(false);
    grid_.count_workers(-1);
    for (Resident& resident : residents_) StackPool::instance().release(std::move(resident.stacks));
}

void ResidentBlocks::run(std::uint64_t begin, std::uint64_t end) {
    next_ = begin;
    end_ = end;
    run_all();
}

void ResidentBlocks::run_cooperative() {
    const std::uint64_t count = grid_.block_count();
    const std::size_t most = StackPool::instance().max_stacks();
    if (count > most / gangs_) {
        throw LaunchError(fmt::format(
            "a cooperative launch keeps all its threads alive at once: {} blocks of {} gangs "
            "are more than the {} gangs this system has stacks for; launch at most {} blocks",
            count, gangs_, most, most / gangs_));
    }
    end_ = count;
    while (next_ < end_) start_next();
    run_all();
}

void ResidentBlocks::run_all() {
    while (!grid_.is_stopped() && (live_ > 0 || start_next())) {
        if (run_round()) {
            idle_turns_ = 0;
            set_idle(false);
        } else if (idle_turns_ >= kIdleTurns) {
            idle_turns_ = 0;
            wait_for_others();
        }
    }
    for (Resident& resident : residents_) {
        if (resident.is_live) fail_if_expired(resident.run);
    }
}

bool ResidentBlocks::has_next() {
    if (next_ < end_) return true;
    if (live_ == 0 || grid_.source == nullptr || !grid_.source->claim(next_)) return false;
    end_ = next_ + 1;
    return true;
}

// A place whose block has ended, or a new one. Null without stacks for it.
ResidentBlocks::Resident* ResidentBlocks::free_place(StackPool::Wait wait) {
    for (Resident& resident : residents_) {
        if (!resident.is_live) return &resident;
    }
    Resident place;
    place.stacks = StackPool::instance().acquire(gangs_, fiber_stack_bytes(kernel_), wait);
    if (place.stacks.empty()) return nullptr;
    place.shared = first_shared_;
    if (!residents_.empty()) {
        place.own_shared = allocate_shared(shared_bytes(kernel_, grid_));
        place.shared = place.own_shared.get();
    }
    return &residents_.emplace_back(std::move(place));
}

// False when no block is left. Waits for stacks when none of the grid's is alive here.
bool ResidentBlocks::start_next() {
    if (!has_next()) return false;
    Resident* place = free_place(live_ == 0 ? StackPool::Wait::Yes : StackPool::Wait::No);
    lacks_stacks_ = place == nullptr;
    if (lacks_stacks_) return false;
    describe_block(place->run, grid_, kernel_, next_++, place->shared);
    place->run.frame = &frame_;
    place->run.output = &place->output;
    place->fibers.start(place->run, place->stacks.data());
    place->is_live = true;
    ++live_;
    return true;
}

bool ResidentBlocks::start_beside() {
    try {
        return start_next();
    } catch (const std::bad_alloc&) {
        lacks_stacks_ = true;
    } catch (const LaunchError&) {
        lacks_stacks_ = true;  // no memory for stacks
    }
    return false;
}

// One turn for each live block; whether any of them did more than ask again.
bool ResidentBlocks::run_round() {
    bool has_moved = false;
    for (Resident& resident : residents_) {
        if (!resident.is_live || resident.is_at_grid) continue;
        has_moved |= visit(resident);
        if (grid_.is_stopped()) return true;
    }
    if (live_ == 0 || at_grid_ != live_) return has_moved;
    pass_grid_sync();
    return true;
}

bool ResidentBlocks::visit(Resident& resident) {
    switch (resident.fibers.run()) {
        case FiberBlock::Outcome::Waits:
            idle_turns_ += resident.fibers.turns();
            return resident.fibers.has_moved();
        case FiberBlock::Outcome::AtGridSync:
            if (grid_.is_cooperative) {
                resident.is_at_grid = true;
                ++at_grid_;
                return true;
            }
            fail_block(resident.run, nullptr,
                       "grid synchronisation needs a cooperative launch (cooperative=True)");
            break;
        case FiberBlock::Outcome::Ended:
            break;
        case FiberBlock::Outcome::Failed:
            fail_if_expired(resident.run);
            break;
    }
    resident.is_live = false;
    --live_;
    const std::uint64_t block = linear_block(resident.run);
    grid_.pass_on(block, block + 1, std::exchange(resident.output, {}));
    return true;
}

void ResidentBlocks::pass_grid_sync() {
    for (Resident& resident : residents_) {
        if (!resident.is_at_grid) continue;
        resident.fibers.pass_grid_sync();
        resident.is_at_grid = false;
    }
    at_grid_ = 0;
}

// All blocks of this thread spin. Only a block of another thread can end that; when all
// threads of the grid wait, one that has not started; when no thread has done anything else for
// long, none will.
void ResidentBlocks::wait_for_others() {
    const auto now = Clock::now();
    if (!is_idle_) {
        set_idle(true);
        idle_since_ = now;
    }
    if (grid_.has_workers()) {
        idle_since_ = now;
    } else if (now - idle_since_ >= kUntilMore && start_beside()) {
        set_idle(false);
        return;
    }
    if (grid_.patience.count() != 0 && now - idle_since_ >= grid_.patience) return fail_waiting();
    std::this_thread::yield();
}

void ResidentBlocks::set_idle(bool is_idle) noexcept {
    if (is_idle == is_idle_) return;
    is_idle_ = is_idle;
    grid_.count_workers(is_idle ? -1 : 1);
}

void ResidentBlocks::fail_waiting() {
    const auto waits = std::find_if(residents_.begin(), residents_.end(), [](const Resident& one) {
        return one.is_live && !one.is_at_grid;
    });
    const std::string limit =
        !lacks_stacks_ ? ""
                       : fmt::format(
                             "; blocks that have not started may, but the system has stacks "
                             "for no more than {} threads at once beside those of other work",
                             StackPool::instance().max_stacks());
    waits->fibers.fail_waiting(grid_.patience, limit);
}

}  // namespace warpwise::cpu
