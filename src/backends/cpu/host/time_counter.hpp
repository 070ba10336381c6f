// The processor's counter of time: clock64() of device code.
//
// Threading: any thread.
#pragma once

#include <cstdint>

namespace warpwise::cpu {

// Steady, at about 1 GHz or faster, and the same for all cores.
std::uint64_t time_counter() noexcept;

}  // namespace warpwise::cpu
