// Memory for the partial results of a reduction in several parts, for one launch.
//
// Threading: a plain value of the launching thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "src/codegen/geometry.hpp"
#include "src/codegen/group.hpp"
#include "warpwise/buffer.hpp"

namespace warpwise::runtime {
class StreamState;
}

namespace warpwise::codegen {

// States of parts, and a counter of 4 bytes for each group of them.
struct PartsMemory {
    Buffer memory;  // freed in the order of the stream
    std::uint64_t states = 0;
    std::uint64_t counters = 0;  // 0 each, once the stream is there; the kernel leaves them so

    PartsMemory() = default;
    // A captured graph keeps memory of its own. Throws OutOfMemoryError.
    PartsMemory(runtime::StreamState& stream, std::size_t state_bytes, std::size_t counters);
};

struct Workspace : PartsMemory {
    // Empty where each result has one part. Throws OutOfMemoryError.
    static Workspace make(const Group& group, const Geometry& geometry,
                          runtime::StreamState& stream);
    // Its own, where it has one.
    std::span<const std::shared_ptr<runtime::BufferState>> buffers() const noexcept {
        return {&memory.state(), memory.state() ? std::size_t{1} : 0};
    }
};

}  // namespace warpwise::codegen
