// Spins first: most waits are for kernels of microseconds, and waking up costs fifty of them.
#include "src/backends/cuda/waiting.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "src/runtime/output.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr auto kSpin = microseconds(200);
constexpr auto kShortestSleep = microseconds(20);
constexpr auto kLongestSleep = microseconds(500);
constexpr auto kInterruptPeriod = std::chrono::milliseconds(50);

}  // namespace

void wait_until(const std::function<bool()>& is_done) {
    const auto start = Clock::now();
    auto asked = start;
    auto sleep = kShortestSleep;
    while (!is_done()) {
        const auto now = Clock::now();
        if (now - asked >= kInterruptPeriod) {
            asked = now;
            if (runtime::interrupt_requested()) {
                throw Interrupted(
                    "interrupted: what is queued on the GPU runs on; wait for it again before its "
                    "results are used");
            }
        }
        if (now - start < kSpin) continue;
        std::this_thread::sleep_for(sleep);
        sleep = std::min(2 * sleep, kLongestSleep);
    }
}

}  // namespace warpwise::cuda
