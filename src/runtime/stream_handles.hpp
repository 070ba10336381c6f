// The optional part of the contract of back ends that is about streams as other libraries know
// them: by a handle, a plain number.
#pragma once

#include <cstdint>
#include <memory>

#include "src/runtime/backend.hpp"

namespace warpwise::runtime {

class StreamHandles {
  public:
    virtual ~StreamHandles() = default;
    virtual std::uint64_t handle(Queue& queue) = 0;
    // Of a stream that others know as the device's default one.
    virtual bool is_default(std::uint64_t handle) = 0;
    struct Wrapped {
        std::unique_ptr<Queue> queue;  // does not own the stream
        QueueOptions options;
    };
    // The stream must be there until no queued work uses it and the queue is gone. Throws
    // ArgumentError for a handle of another device or context.
    virtual Wrapped wrap(int ordinal, std::uint64_t handle) = 0;
    virtual PriorityRange priorities(int ordinal) = 0;
};

}  // namespace warpwise::runtime
