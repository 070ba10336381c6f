// Waiting for events and reading their times.
#include "src/backends/cpu/launch/event.hpp"

#include <utility>

#include "src/backends/cpu/launch/scheduler.hpp"

namespace warpwise::cpu {

CpuEvent::CpuEvent(Scheduler& scheduler) : CpuEvent(scheduler, std::make_shared<EventState>()) {}

CpuEvent::CpuEvent(Scheduler& scheduler, std::shared_ptr<EventState> state)
    : scheduler_(scheduler), state_(std::move(state)) {}

bool CpuEvent::is_done(runtime::Wait wait) {
    const EventState& state = *state_;
    const std::uint64_t count = state.recorded.load(std::memory_order_acquire);
    const auto is_reached = [&state, count] {
        return state.reached.load(std::memory_order_acquire) >= count;
    };
    if (wait == runtime::Wait::No || count == 0) return is_reached();
    state.is_shared ? scheduler_.wait(is_reached, kSharedEventPeriod) : scheduler_.wait(is_reached);
    return true;
}

double CpuEvent::milliseconds_until(const runtime::EventImpl& end) {
    const auto& other = static_cast<const CpuEvent&>(end);
    return scheduler_.milliseconds_between(*state_, *other.state_);
}

}  // namespace warpwise::cpu
