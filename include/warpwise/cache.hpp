// The disk cache of compiled programs, for tools that inspect or empty it.
#pragma once

#include <cstdint>
#include <string>

#include "warpwise/export.hpp"

namespace warpwise {

struct CacheInfo {
    std::string folder;
    bool usable = false;  // false: programs are compiled afresh
    std::string reason;   // why it is not usable
    std::uint64_t entries = 0;
    std::uint64_t bytes = 0;
    std::uint64_t limit = 0;  // bytes
    std::uint64_t hits = 0;   // of this process
    std::uint64_t misses = 0;
};

WARPWISE_API CacheInfo cache_info();
WARPWISE_API std::uint64_t cache_clear();  // returns the number of bytes freed

}  // namespace warpwise
