// Waiting for another thread in a loop, for a bounded time and only where no other thread needs the
// processor: pauses at first, then offers the processor to others now and then. Ends early when an
// offer was taken or the thread was interrupted for long, as on a machine with more busy threads
// than processors; the caller sleeps then.
//
// Threading: a plain value of the waiting thread.
#pragma once

#include <chrono>

namespace warpwise {

class BoundedSpin {
  public:
    using Clock = std::chrono::steady_clock;

    // One step, less than a microsecond of pauses, cut short when has_come() is true. False: do not
    // spin any longer.
    template <class HasCome>
    bool step(const HasCome& has_come) noexcept {
        for (unsigned i = 0; i < kPauses; ++i) {
            if (has_come()) return true;
            pause();
        }
        return may_go_on();
    }

  private:
    static constexpr unsigned kPauses = 16;

    static void pause() noexcept;
    bool may_go_on() noexcept;

    const Clock::time_point start_ = Clock::now();
    Clock::time_point last_ = start_;
    Clock::time_point next_offer_ = start_ + std::chrono::microseconds(5);
};

}  // namespace warpwise
