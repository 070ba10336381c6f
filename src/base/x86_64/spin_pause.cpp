// The PAUSE instruction.
#include "src/base/spin_pause.hpp"

#include <xmmintrin.h>

namespace warpwise {

void spin_pause() noexcept {
    _mm_pause();
}

}  // namespace warpwise
