// Events of the CPU device. EventState is the shared part: queued commands keep it alive after the
// user has dropped the event.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

#include "src/runtime/backend.hpp"

namespace warpwise::cpu {

class Scheduler;

// How soon it is seen that another process has recorded an event.
inline constexpr auto kSharedEventPeriod = std::chrono::microseconds(200);

// `recorded` counts the times the event was put into a queue, `reached` is the highest of these
// counts whose point has been passed: the event is done when they are equal. The time belongs to
// the scheduler's lock. A shared state lies in memory that several processes map (ipc.hpp); it has
// no time.
struct EventState {
    bool is_shared = false;
    std::atomic<std::uint64_t> recorded = 0;
    std::atomic<std::uint64_t> reached = 0;
    std::atomic<std::uint64_t> sequence = 0;     // of its latest mark, in the queue that got it
    std::chrono::steady_clock::time_point time;  // when `reached` was
};

class CpuEvent : public runtime::EventImpl {
  public:
    explicit CpuEvent(Scheduler& scheduler);
    CpuEvent(Scheduler& scheduler, std::shared_ptr<EventState> state);

    bool is_done(runtime::Wait wait) override;
    double milliseconds_until(const runtime::EventImpl& end) override;

    const std::shared_ptr<EventState>& state() const noexcept { return state_; }

  private:
    Scheduler& scheduler_;
    std::shared_ptr<EventState> state_;
};

}  // namespace warpwise::cpu
