// The version string, compiled in this file only.
#include "warpwise/version.hpp"

#ifndef WARPWISE_VERSION
#error "the build defines WARPWISE_VERSION from the project's version"
#endif

namespace warpwise {

const char* version() noexcept {
    return WARPWISE_VERSION;
}

}  // namespace warpwise
