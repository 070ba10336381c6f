// Copies between two devices of one kind that do not go through the host.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "src/runtime/backend.hpp"

namespace warpwise::runtime {

class BufferState;
class Context;
class StreamCore;
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
// memory under the copy, and the caller does not wait. Recorded when `stream` is being captured;
// throws ArgumentError when the other one is.
void copy_between_devices(const PeerBuffers& buffers, std::size_t bytes, StreamState& stream);

// Work given to `core` from now on comes behind what the devices of `sources` have been given on
// their current streams, which are returned. Throws ArgumentError when one of those is being
// captured.
std::vector<std::shared_ptr<StreamCore>> follow_peers(
    std::span<const std::shared_ptr<BufferState>> sources, const std::shared_ptr<StreamCore>& core);
// What `followers` are given from now on comes behind the work of `core` so far.
void make_follow(std::span<const std::shared_ptr<StreamCore>> followers, StreamCore& core);

}  // namespace warpwise::runtime
