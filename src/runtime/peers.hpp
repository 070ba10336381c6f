// The optional part of the contract of back ends that is about several devices of one kind: memory
// of one in kernels of the other, and copies from one to the other.
#pragma once

#include <cstddef>

#include "src/runtime/backend.hpp"

namespace warpwise::runtime {

struct PeerCopy {
    int to_ordinal = 0;  // that of the queue's device
    DeviceAddress to = 0;
    int from_ordinal = 0;
    DeviceAddress from = 0;
    std::size_t bytes = 0;
};

class PeerSupport {
  public:
    virtual ~PeerSupport() = default;
    // Whether kernels of the one can be given access to memory of the other, which is not itself.
    virtual bool can_access(int ordinal, int peer) = 0;
    // For all memory of the peer, also what it allocates later. Nothing changes when it is so.
    virtual void enable_access(int ordinal, int peer) = 0;
    virtual void disable_access(int ordinal, int peer) = 0;
    // In the order of `queue`; needs no access.
    virtual void copy(Queue& queue, const PeerCopy& copy) = 0;
};

}  // namespace warpwise::runtime
