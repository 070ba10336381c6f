// Ranges and marks: names for what the program does, on the host's time line.
//
//   {
//       ww::Range step("assemble");            // until the end of the block
//       kernel({.grid = 4, .block = 256}, x, n);
//   }
//   ww::mark("converged");
//
// They appear in whatever tool has asked for NVTX (Nsight Systems, Nsight Compute: the library that
// NVTX_INJECTION64_PATH names, as with NVIDIA's own header) and among the records of every Profile
// that runs meanwhile (profile.hpp). When there is neither, a range costs one load and one branch
// at either end, and its name is not read.
//
// Nesting: ranges belong to the thread that begins them, and end there in the opposite order.
//
// Threading: every function may be called from any thread.
#pragma once

#include <atomic>
#include <string_view>

#include "warpwise/export.hpp"

namespace warpwise {

namespace runtime {

// Not zero while ranges have a receiver; so at the start, until the library has looked for a
// tool. Of the library's own.
extern WARPWISE_API std::atomic<int> g_range_watchers;
WARPWISE_API bool begin_range(std::string_view name);
WARPWISE_API void end_range() noexcept;

}  // namespace runtime

// Lives in the thread that makes it.
class Range {
  public:
    explicit Range(std::string_view name)
        : begun_(runtime::g_range_watchers.load(std::memory_order_relaxed) != 0 &&
                 runtime::begin_range(name)) {}
    ~Range() {
        if (begun_) runtime::end_range();
    }
    Range(const Range&) = delete;
    Range& operator=(const Range&) = delete;

  private:
    const bool begun_;
};

// The same for those who cannot keep an object. pop_range() ends the innermost range of this thread
// that push_range() began; throws ArgumentError when there is none.
WARPWISE_API void push_range(std::string_view name);
WARPWISE_API void pop_range();

// A point in time.
WARPWISE_API void mark(std::string_view name);

}  // namespace warpwise
