// How long a wait spins, and how it notices that others need the processor.
#include "src/base/workers/bounded_spin.hpp"

#include <thread>

#include "src/base/spin_pause.hpp"

namespace warpwise {
namespace {

using std::chrono::microseconds;

// A sleeping thread takes tens of microseconds to wake and costs its waker a system call of some
// microseconds.
constexpr auto kLongest = microseconds(50);
constexpr auto kBetweenOffers = microseconds(5);
// A step, or an offer that no thread takes, is shorter by an order of magnitude; a time slice is
// longer.
constexpr auto kInterrupted = microseconds(25);

}  // namespace

void BoundedSpin::pause() noexcept {
    spin_pause();
}

bool BoundedSpin::may_go_on() noexcept {
    auto now = Clock::now();
    if (now - last_ > kInterrupted || now - start_ > kLongest) return false;
    if (now >= next_offer_) {
        std::this_thread::yield();
        const auto after = Clock::now();
        if (after - now > kInterrupted) return false;
        now = after;
        next_offer_ = now + kBetweenOffers;
    }
    last_ = now;
    return true;
}

}  // namespace warpwise
