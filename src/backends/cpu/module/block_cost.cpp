// The average over launches.
#include "src/backends/cpu/module/block_cost.hpp"

#include <algorithm>
#include <cmath>

namespace warpwise::cpu {
namespace {

constexpr double kOldShare = 0.75;
constexpr double kMostGrowth = 4;
// On several threads: what is far above, and what is then believed of it.
constexpr double kFarAbove = 2;
constexpr double kGrowthOfMany = 1.5;
// Smaller changes are not worth a write to memory that all launching threads read.
constexpr double kNoChange = 0.03;

}  // namespace

double BlockCost::of(std::uint32_t threads) const noexcept {
    const Measured measured = measured_.load(std::memory_order_relaxed);
    if (threads <= measured.threads || measured.threads == 0) return measured.nanoseconds;
    return static_cast<double>(measured.nanoseconds) * threads / measured.threads;
}

void BlockCost::learn(std::uint32_t threads, double nanoseconds, bool was_alone) noexcept {
    const double known = of(threads);
    double now = kOldShare * known + (1 - kOldShare) * nanoseconds;
    if (known == 0) {
        now = nanoseconds;
    } else if (was_alone || nanoseconds <= known) {
        now = std::min(now, kMostGrowth * known);
    } else {
        now = nanoseconds > kFarAbove * known ? kGrowthOfMany * known : known;
    }
    const bool is_same_size = measured_.load(std::memory_order_relaxed).threads == threads;
    if (is_same_size && std::abs(now - known) <= kNoChange * known) return;
    measured_.store({static_cast<float>(now), threads}, std::memory_order_relaxed);
}

}  // namespace warpwise::cpu
