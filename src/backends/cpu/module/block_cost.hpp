// How long the blocks of a kernel take, as measured by its launches: what decides how many threads
// a launch is worth.
//
// Threading: all functions from any thread; of concurrent measurements, one may be lost.
#pragma once

#include <atomic>
#include <cstdint>

namespace warpwise::cpu {

class BlockCost {
  public:
    // Nanoseconds of a block of so many threads; 0 before the first measurement. Larger blocks than
    // those measured are assumed to take longer in proportion.
    double of(std::uint32_t threads) const noexcept;
    // Follows a change within a few launches, so that one measurement that was disturbed does
    // little harm. Blocks on several threads wait for memory that moves between cores, which is no
    // reason for more threads: unless the measurement is far above, it is followed downwards only.
    void learn(std::uint32_t threads, double nanoseconds, bool was_alone) noexcept;

  private:
    struct Measured {
        float nanoseconds = 0;
        std::uint32_t threads = 0;
    };

    std::atomic<Measured> measured_ = Measured{};
};

}  // namespace warpwise::cpu
