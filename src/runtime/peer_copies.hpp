// Copies between two devices of one kind that do not go through the host.
#pragma once

#include <cstddef>
#include <memory>

#include "src/runtime/backend.hpp"

namespace warpwise::runtime {

class BufferState;
class Context;
class StreamState;

bool has_peer_copies(const Context& one, const Context& other);

struct PeerBuffers {
    std::shared_ptr<BufferState> destination;
    DeviceAddress destination_address = 0;
    std::shared_ptr<BufferState> source;
    DeviceAddress source_address = 0;
};

// On `stream`, of the destination's device: behind what the source's device has been given on its
// current stream, and before what that stream is given later. So neither side changes or frees
// memory under the copy, and the caller does not wait. Throws ArgumentError when one of the streams
// is being captured.
void copy_between_devices(const PeerBuffers& buffers, std::size_t bytes, StreamState& stream);

}  // namespace warpwise::runtime
