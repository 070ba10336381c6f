// The optional part of the contract of back ends that separates addresses from memory: addresses
// are reserved first, and memory comes behind parts of them later, and goes again. A pool that
// takes its memory so grows without gaps (pool_growth.cpp).
//
// Addresses and sizes are multiples of granule(). The runtime keeps what is mapped: it maps only
// what is not, and unmaps what map() took, chunk by chunk or several neighbours at once.
// Threading: every function may be called from any thread; no two calls at once are about the same
// addresses.
#pragma once

#include <cstddef>

#include "src/runtime/backend.hpp"

namespace warpwise::runtime {

class ReservedMemory {
  public:
    virtual ~ReservedMemory() = default;
    virtual std::size_t granule() = 0;  // a power of two
    // Addresses without memory behind them. Throws OutOfMemoryError when there are none left.
    virtual DeviceAddress reserve(std::size_t bytes) = 0;
    // What reserve() gave; nothing in it is mapped any more.
    virtual void release(DeviceAddress address, std::size_t bytes) noexcept = 0;
    // Memory in chunks of `chunk` bytes, the last one may be smaller. Accessible to every device
    // that reaches ordinary memory of the device. Throws OutOfMemoryError; a throwing call did
    // nothing.
    virtual void map(DeviceAddress address, std::size_t bytes, std::size_t chunk) = 0;
    // Whole chunks. No queued work uses them any more: the caller saw to that.
    virtual void unmap(DeviceAddress address, std::size_t bytes) noexcept = 0;
};

}  // namespace warpwise::runtime
