// The ranges and marks of the process, kept while a profile runs. The public side is
// warpwise/range.hpp.
//
// Threading: every function may be called from any thread; a child of fork() keeps none.
#pragma once

#include <cstdint>
#include <vector>

#include "warpwise/profile.hpp"

namespace warpwise::runtime {

// Nanoseconds of the host's steady clock, which all records are brought to.
std::int64_t host_now() noexcept;

// While one lives, ranges are kept.
class RangeWatch {
  public:
    RangeWatch();
    ~RangeWatch();
    RangeWatch(const RangeWatch&) = delete;
    RangeWatch& operator=(const RangeWatch&) = delete;

    // Those that began since this was made and have ended. Their starts are of host_now().
    std::vector<ProfileRecord> records() const;

  private:
    const std::int64_t begin_;
};

}  // namespace warpwise::runtime
