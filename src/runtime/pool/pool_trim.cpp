// Which work has ended, and giving memory back to the device. Lambdas: see pool_state.cpp.
#include <algorithm>
#include <iterator>
#include <utility>

#include "src/base/log.hpp"
#include "src/runtime/device/context.hpp"
#include "src/runtime/memory_kinds.hpp"
#include "src/runtime/pool/pool_state.hpp"

namespace warpwise::runtime {
namespace {

constexpr std::size_t kSpareEvents = 256;
// Marks of one stream that wait; more say nothing new to anybody.
constexpr std::size_t kMarks = 32;

}  // namespace

bool PoolState::has_passed(const Use& use) {
    StreamCore& core = *use.core;
    if (core.has_passed(use.position)) return true;
    PoolLane& lane = core.lane(policy_.kind);
    // One search asks for one stream's state once.
    if (lane.asked_in == search_) return false;
    while (!lane.marks.empty() && lane.marks.front().event->is_done(Wait::No)) {
        core.note_passed(lane.marks.front().position);
        recycle(std::move(lane.marks.front().event));
        lane.marks.pop_front();
    }
    lane.asked_in = search_;
    return core.has_passed(use.position);
}

// Adds the streams whose marks do not reach as far as `uses`.
void PoolState::note_unmarked(const Uses& uses, Cores& unmarked) {
    uses.all_of([&](const Use& use) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
        const auto& marks = use.core->lane(policy_.kind).marks;
        const bool is_marked = !marks.empty() && marks.back().position >= use.position;
        if (!is_marked && !use.core->has_passed(use.position) &&
            std::ranges::find(unmarked, use.core) == unmarked.end()) {
            unmarked.push_back(use.core);
        }
        return true;
    });
}

std::unique_ptr<EventImpl> PoolState::take_event() {
    {
        MutexLock lock(mutex_);
        if (!spare_events_.empty()) {
            auto event = std::move(spare_events_.back());
            spare_events_.pop_back();
            return event;
        }
    }
    return context_.backend().make_event(context_.ordinal(), false);
}

void PoolState::recycle(std::unique_ptr<EventImpl> event) {
    if (spare_events_.size() < kSpareEvents) spare_events_.push_back(std::move(event));
}

void PoolState::mark(const std::shared_ptr<StreamCore>& core) {
    auto event = take_event();
    const std::uint64_t position = core->advance();
    if (!core->record(*event)) return;  // closed: all has passed
    MutexLock lock(mutex_);
    PoolLane& lane = core->lane(policy_.kind);
    lane.unmarked_bytes = 0;
    lane.marked = position;
    while (!lane.marks.empty() && lane.marks.front().event->is_done(Wait::No)) {
        core->note_passed(lane.marks.front().position);
        recycle(std::move(lane.marks.front().event));
        lane.marks.pop_front();
    }
    if (lane.marks.size() >= kMarks) {
        recycle(std::move(lane.marks.back().event));
        lane.marks.pop_back();
    }
    lane.marks.push_back({position, std::move(event)});
}

void PoolState::mark_all(const Cores& cores) noexcept {
    for (const auto& core : cores) {
        try {
            mark(core);
        } catch (const std::exception& error) {
            // Nothing is lost by it: the stream's memory is taken for used until it is marked
            // again or waited for.
            log::info("{}: no mark behind memory given back: {}", context_.name(), error.what());
        }
    }
}

void PoolState::wait_for(const std::shared_ptr<StreamCore>& core) {
    auto event = take_event();
    const std::uint64_t position = core->advance();
    if (!core->record(*event)) return;
    event->is_done(Wait::Yes);
    core->note_passed(position);
    MutexLock lock(mutex_);
    recycle(std::move(event));
}

void PoolState::settle() {
    pieces_.settle([this](const Use& use)
                       WARPWISE_NO_THREAD_SAFETY_ANALYSIS { return has_passed(use); });
}

void PoolState::drain_lanes() {
    const auto put = [this](Piece& piece)
                         WARPWISE_NO_THREAD_SAFETY_ANALYSIS { pieces_.put(piece); };
    host_lane_.drain(put);
    for (const auto& core : std::exchange(listed_, {})) {
        PoolLane& lane = core->lane(policy_.kind);
        lane.is_listed = false;
        lane.drain(put);
    }
}

bool PoolState::is_over() const {
    return kept_bytes() > look_above_;
}

void PoolState::give_back_beyond_policy() {
    Cores unmarked;
    Unneeded unneeded;
    {
        MutexLock lock(mutex_);
        if (kept_bytes() <= policy_.most_kept) {
            look_above_ = policy_.most_kept;
            return;
        }
        ++search_;
        drain_lanes();
        settle();
        unneeded = take_unneeded(kept_bytes() - policy_.most_kept);
        pieces_.for_each([&](const Piece& piece) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
            if (piece.state == Piece::State::Free) note_unmarked(piece.uses, unmarked);
        });
        look_above_ = std::max(policy_.most_kept, kept_bytes() + policy_.most_kept / 16);
    }
    mark_all(unmarked);
    release(unneeded);
}

PoolState::Unneeded PoolState::take_unneeded(std::uint64_t bytes) {
    Unneeded unneeded{.segments = pieces_.remove_free(bytes), .extents = {}};
    std::uint64_t sum = 0;
    for (const Segment& segment : unneeded.segments) sum += segment.bytes;
    if (sum < bytes) unneeded.extents = pieces_.vacate(bytes - sum);
    for (const Extent& extent : unneeded.extents) sum += extent.bytes;
    held_bytes_ -= sum;
    return unneeded;
}

void PoolState::release(const Unneeded& unneeded) noexcept {
    for (const Segment& segment : unneeded.segments) {
        allocator_.release(segment.address, segment.bytes, policy_.kind);
    }
    if (reserved_.load() != nullptr) unmap(unneeded.extents);
}

void PoolState::release_direct(const Block& block) noexcept {
    if (block.kind != MemoryKind::Registered) {
        allocator_.release(block.address, block.bytes, block.kind);
    } else if (auto* const support = context_.backend().memory(context_.ordinal())) {
        support->unregister_host(block.address);
    }
}

void PoolState::sweep() noexcept {
    std::vector<Leaving> done;
    bool must_look = false;
    try {
        MutexLock lock(mutex_);
        ++search_;
        done.reserve(leaving_.size());
        const auto first = std::partition(
            leaving_.begin(), leaving_.end(),
            [&](const Leaving& leaving) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
                return !leaving.uses.all_of([&](const Use& use) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
                    return has_passed(use);
                });
            });
        std::move(first, leaving_.end(), std::back_inserter(done));
        leaving_.erase(first, leaving_.end());
        has_leaving_.store(!leaving_.empty(), std::memory_order_relaxed);
        for (const Leaving& leaving : done) known_.erase(leaving.block.address);
        must_look = kept_bytes() > policy_.most_kept;
    } catch (const std::bad_alloc&) {
        return;  // tried again at the next sweep
    }
    // Owners are let go here, outside of the lock: their deleters are not ours.
    for (const auto& [block, uses] : done) {
        if (block.origin == Block::Origin::Direct) release_direct(block);
    }
    if (!must_look) return;
    try {
        give_back_beyond_policy();
    } catch (const std::bad_alloc&) {
        return;
    }
}

// All that may help a request that would fail.
void PoolState::trim() {
    log::info("{}: out of memory; what the pools keep is given back", context_.name());
    free_held();
    if (!context_.info().shares_host_memory) return;
    PoolState& device_pool = *context_.pool();
    PoolState& other = &device_pool == this ? *context_.host_pool() : device_pool;
    other.free_held();
}

bool PoolState::settle_pending() {
    try {
        return context_.settle(FlushReason::Memory);
    } catch (const OutOfMemoryError& error) {
        // Some of it may have run, and released what it held.
        log::info("{}: while pending work was run for want of memory: {}", context_.name(),
                  error.what());
        return true;
    }
}

void PoolState::free_held() {
    clear_shelf();
    Cores users;
    const auto note_users = [&](const Uses& uses) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
        uses.all_of([&](const Use& use) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
            if (!has_passed(use) && std::ranges::find(users, use.core) == users.end()) {
                users.push_back(use.core);
            }
            return true;
        });
    };
    {
        MutexLock lock(mutex_);
        ++search_;
        drain_lanes();
        pieces_.for_each([&](const Piece& piece) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
            if (piece.state == Piece::State::Free) note_users(piece.uses);
        });
        for (const Leaving& leaving : leaving_) note_users(leaving.uses);
    }
    for (const auto& core : users) wait_for(core);
    Unneeded unneeded;
    {
        MutexLock lock(mutex_);
        ++search_;
        drain_lanes();
        settle();
        unneeded = take_unneeded(held_bytes_);
    }
    release(unneeded);
    sweep();
}

}  // namespace warpwise::runtime
