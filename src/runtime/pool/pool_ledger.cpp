// Changes of the ledger, all under its lock.
#include "src/runtime/pool/pool_ledger.hpp"

#include <algorithm>
#include <utility>

#include "src/runtime/context.hpp"

namespace warpwise::runtime {
namespace {

constexpr std::size_t kSpareEvents = 256;

}  // namespace

void PoolLedger::take_piece(Piece& piece, const PoolRequest& request, BufferState& buffer,
                            const std::shared_ptr<StreamCore>& core) {
    Piece& taken = pieces.take(piece, request.bytes);
    taken.uses.all_of([&](const Use& use) {
        if (use.core != core) use.core->lane(policy.kind).mark_after = PoolLane::kMarkedBytes;
        return true;
    });
    taken.uses.clear();
    activate(taken, buffer, request);
    adopt(taken, buffer, core);
}

bool PoolLedger::is_usable(const Piece& piece, const PoolRequest& request) {
    return piece.uses.all_of([&](const Use& use) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
        return (request.core != nullptr && request.core->follows(*use.core)) || has_passed(use);
    });
}

void PoolLedger::drain_lanes() {
    const auto put = [this](LaneEntry& piece) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
        pieces.put(static_cast<Piece&>(piece));
    };
    host_lane.drain(put);
    for (const auto& core : std::exchange(listed, {})) {
        PoolLane& lane = core->lane(policy.kind);
        lane.is_listed = false;
        lane.drain(put);
    }
}

void PoolLedger::settle() {
    pieces.settle([this](const Use& use)
                      WARPWISE_NO_THREAD_SAFETY_ANALYSIS { return has_passed(use); });
}

UnneededMemory PoolLedger::take_unneeded(std::uint64_t bytes) {
    UnneededMemory unneeded{.segments = pieces.remove_free(bytes), .extents = {}};
    std::uint64_t sum = 0;
    for (const Segment& segment : unneeded.segments) sum += segment.bytes;
    if (sum < bytes) unneeded.extents = pieces.vacate(bytes - sum);
    for (const Extent& extent : unneeded.extents) sum += extent.bytes;
    held_bytes -= sum;
    return unneeded;
}

void PoolLedger::widen(DeviceAddress address, std::size_t bytes) noexcept {
    if (address < lowest.load()) lowest.store(address);
    if (address + bytes > end.load()) end.store(address + bytes);
}

bool PoolLedger::has_passed(const Use& use) {
    StreamCore& core = *use.core;
    if (core.has_passed(use.position)) return true;
    PoolLane& lane = core.lane(policy.kind);
    // One search asks for one stream's state once.
    if (lane.asked_in == search) return false;
    drop_passed_marks(core);
    lane.asked_in = search;
    return core.has_passed(use.position);
}

void PoolLedger::drop_passed_marks(StreamCore& core) {
    auto& marks = core.lane(policy.kind).marks;
    while (!marks.empty() && marks.front().event->is_done(Wait::No)) {
        core.note_passed(marks.front().position);
        recycle(std::move(marks.front().event));
        marks.pop_front();
    }
}

void PoolLedger::note_unmarked(const Uses& uses, PoolCores& unmarked) {
    uses.all_of([&](const Use& use) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
        const auto& marks = use.core->lane(policy.kind).marks;
        const bool is_marked = !marks.empty() && marks.back().position >= use.position;
        if (!is_marked && !use.core->has_passed(use.position) &&
            std::ranges::find(unmarked, use.core) == unmarked.end()) {
            unmarked.push_back(use.core);
        }
        return true;
    });
}

void PoolLedger::recycle(std::unique_ptr<EventImpl> event) {
    if (spare_events.size() < kSpareEvents) spare_events.push_back(std::move(event));
}

// What is counted as active includes the shelf.
std::uint64_t PoolLedger::bytes_in_use() const noexcept {
    const std::uint64_t active = active_bytes.load(std::memory_order_relaxed);
    return active - std::min<std::uint64_t>(active, shelf.bytes());
}

}  // namespace warpwise::runtime
