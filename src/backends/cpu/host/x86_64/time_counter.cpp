// The time stamp counter, which all processors with AVX advance at a constant rate.
#include "src/backends/cpu/host/time_counter.hpp"

#include <x86intrin.h>

namespace warpwise::cpu {

std::uint64_t time_counter() noexcept {
    return __rdtsc();
}

}  // namespace warpwise::cpu
