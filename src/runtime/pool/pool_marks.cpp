// See pool_marks.hpp.
#include "src/runtime/pool/pool_marks.hpp"

#include <utility>

#include "src/base/log.hpp"
#include "src/runtime/context.hpp"

namespace warpwise::runtime {
namespace {

// Marks of one stream that wait; more add no information.
constexpr std::size_t kMarks = 32;

}  // namespace

std::unique_ptr<EventImpl> PoolMarks::take_event() {
    {
        MutexLock lock(ledger_.mutex);
        if (!ledger_.spare_events.empty()) {
            auto event = std::move(ledger_.spare_events.back());
            ledger_.spare_events.pop_back();
            return event;
        }
    }
    return ledger_.context.backend().make_event(ledger_.context.ordinal(), false);
}

void PoolMarks::mark(const std::shared_ptr<StreamCore>& core) {
    auto event = take_event();
    const std::uint64_t position = core->advance();
    if (!core->record(*event)) return;  // closed: all has passed
    MutexLock lock(ledger_.mutex);
    PoolLane& lane = core->lane(ledger_.policy.kind);
    lane.unmarked_bytes = 0;
    lane.marked = position;
    ledger_.drop_passed_marks(*core);
    if (lane.marks.size() >= kMarks) {
        ledger_.recycle(std::move(lane.marks.back().event));
        lane.marks.pop_back();
    }
    lane.marks.push_back({position, std::move(event)});
}

void PoolMarks::mark_all(const PoolCores& cores) noexcept {
    for (const auto& core : cores) {
        try {
            mark(core);
        } catch (const std::exception& error) {
            // Nothing is lost by it: the stream's memory is taken for used until it is marked
            // again or waited for.
            log::info("{}: no mark behind memory given back: {}", ledger_.context.name(),
                      error.what());
        }
    }
}

void PoolMarks::wait_for(const std::shared_ptr<StreamCore>& core) {
    auto event = take_event();
    const std::uint64_t position = core->advance();
    if (!core->record(*event)) return;
    event->is_done(Wait::Yes);
    core->note_passed(position);
    MutexLock lock(ledger_.mutex);
    ledger_.recycle(std::move(event));
}

}  // namespace warpwise::runtime
