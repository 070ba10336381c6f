// What devices with memory of their own do with host and managed memory. Devices in host memory
// need none of it: there all memory is accessible to host and device.
//
// The runtime has checked addresses, ranges and kinds. Throwing calls did nothing.
// Threading: every function may be called from any thread.
#pragma once

#include <cstddef>

#include "src/runtime/backend.hpp"
#include "warpwise/host_memory.hpp"

namespace warpwise::runtime {

inline constexpr int kHostLocation = -1;

class MemorySupport {
  public:
    virtual ~MemorySupport() = default;
    // Page-locks it; kernels reach it at the same address.
    virtual void register_host(DeviceAddress address, std::size_t bytes, bool read_only) = 0;
    virtual void unregister_host(DeviceAddress address) noexcept = 0;
    // Of managed memory. `location`: the ordinal of a device of this kind, or kHostLocation.
    virtual void advise(DeviceAddress address, std::size_t bytes, MemoryAdvice advice,
                        int location) = 0;
    virtual void prefetch(Queue& queue, DeviceAddress address, std::size_t bytes, int location) = 0;
    virtual void attach(Queue& queue, DeviceAddress address, std::size_t bytes,
                        ManagedAccess access) = 0;
};

}  // namespace warpwise::runtime
