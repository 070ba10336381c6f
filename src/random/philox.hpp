// Philox4x32-10 on the host: the same words as src/codegen/device/array/draws.cuh.
//
// Threading: pure functions.
#pragma once

#include <array>
#include <cstdint>

#include "warpwise/random.hpp"

namespace warpwise::random {

using PhiloxBlock = std::array<std::uint32_t, 4>;

PhiloxBlock philox_block(const PhiloxState& state, std::uint64_t block, std::uint32_t attempt);

// Words of a state one after the other, for what the host draws.
class HostWords {
  public:
    explicit HostWords(const PhiloxState& state) noexcept : state_(state) {}
    std::uint32_t word();
    // Without bias; `count` is not 0.
    std::uint64_t below(std::uint64_t count);
    double unit();  // in (0, 1)

  private:
    PhiloxState state_;
    std::uint64_t block_ = 0;
    unsigned used_ = 4;
    PhiloxBlock words_{};
};

}  // namespace warpwise::random
