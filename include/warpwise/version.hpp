// The version of the library. The string is compiled in one file, so that a new version does not
// rebuild the world.
#pragma once

#include "warpwise/export.hpp"

namespace warpwise {

// "major.minor.patch", the version of the loaded library.
WARPWISE_API const char* version() noexcept;

}  // namespace warpwise
