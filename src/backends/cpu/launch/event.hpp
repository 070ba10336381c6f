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

// `recorded` counts the times the event was put into a queue, `reached` is the highest of these
// counts whose point has been passed: the event is done when they are equal. The time belongs to
// the scheduler's lock.
struct EventState {
    std::atomic<std::uint64_t> recorded = 0;
    std::atomic<std::uint64_t> reached = 0;
    std::atomic<std::uint64_t> sequence = 0;     // of its latest mark, in the queue that got it
    std::chrono::steady_clock::time_point time;  // when `reached` was
};

class CpuEvent final : public runtime::EventImpl {
  public:
    explicit CpuEvent(Scheduler& scheduler);

    bool is_done(runtime::Wait wait) override;
    double milliseconds_until(const runtime::EventImpl& end) override;

    const std::shared_ptr<EventState>& state() const noexcept { return state_; }

  private:
    Scheduler& scheduler_;
    std::shared_ptr<EventState> state_;
};

}  // namespace warpwise::cpu
