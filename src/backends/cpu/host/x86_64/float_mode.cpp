// MXCSR: the control register of SSE and all that came after it.
#include "src/backends/cpu/host/float_mode.hpp"

#include <xmmintrin.h>

namespace warpwise::cpu {
namespace {

constexpr unsigned kDefault = 0x1f80;  // as the processor starts: exceptions masked, all else off

}  // namespace

DefaultFloatMode::DefaultFloatMode() noexcept : previous_(_mm_getcsr()) {
    _mm_setcsr(kDefault);
}

DefaultFloatMode::~DefaultFloatMode() {
    _mm_setcsr(static_cast<unsigned>(previous_));
}

}  // namespace warpwise::cpu
