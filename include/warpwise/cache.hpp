// The disk cache of compiled programs: for tools that inspect or empty it, and for programs that
// keep some of theirs elsewhere.
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

// While it lives, programs that the calling thread compiles are looked up and kept in another
// folder, or, for an empty name, compiled each time and kept nowhere. The innermost one counts.
//
//   const ww::CacheFolder shipped("/opt/app/kernels");
//   ww::SourceModule module(source);
//
// Code that the CPU device optimises in the background is kept in the usual folder. Threading:
// belongs to the thread that made it. Throws nothing for a folder that cannot be used: it is then
// as good as none.
class WARPWISE_API CacheFolder {
  public:
    explicit CacheFolder(const std::string& folder);
    ~CacheFolder();
    CacheFolder(const CacheFolder&) = delete;
    CacheFolder& operator=(const CacheFolder&) = delete;

  private:
    const void* outer_;
};

}  // namespace warpwise
