// Spins first: most waits are short, and waking up costs fifty microseconds.
#include "src/backends/cuda/device/waiting.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "src/base/hooks/interrupt.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr auto kSpin = microseconds(2000);
constexpr auto kShortestSleep = microseconds(20);
constexpr auto kLongestSleep = microseconds(500);
// A sleep is at most so large a part of the time waited before.
constexpr int kShare = 256;

}  // namespace

void wait_until(const std::function<bool()>& is_done) {
    const auto start = Clock::now();
    auto last_check = start;
    while (!is_done()) {
        const auto now = Clock::now();
        if (now - last_check >= kInterruptPeriod) {
            last_check = now;
            if (interrupt_requested()) {
                throw Interrupted(
                    "interrupted: what is queued on the GPU runs on; wait for it again before its "
                    "results are used");
            }
        }
        if (now - start < kSpin) continue;
        const auto share = std::chrono::duration_cast<microseconds>(now - start) / kShare;
        std::this_thread::sleep_for(std::clamp(share, kShortestSleep, kLongestSleep));
    }
}

}  // namespace warpwise::cuda
