// Rounding and denormals of the calling thread.
//
// Threading: concerns the calling thread only.
#pragma once

#include <cstdint>

namespace warpwise::cpu {

// Until its end the thread rounds to nearest and keeps denormals, as kernels require, whatever mode
// it has set for itself.
class DefaultFloatMode {
  public:
    DefaultFloatMode() noexcept;
    ~DefaultFloatMode();
    DefaultFloatMode(const DefaultFloatMode&) = delete;
    DefaultFloatMode& operator=(const DefaultFloatMode&) = delete;

  private:
    const std::uint64_t previous_;
};

}  // namespace warpwise::cpu
