// Several devices: access to each other's memory, and copies between them.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/runtime/context.hpp"
#include "src/runtime/peer_copies.hpp"
#include "src/runtime/peers.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/refuse.hpp"
#include "src/runtime/stream/capture.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "warpwise/device.hpp"
#include "warpwise/stream.hpp"

namespace warpwise {
namespace runtime {
namespace {

// Null when the two are of different kinds, or their kind has no peers.
PeerSupport* peers_of(const Context& one, const Context& other) {
    return &one.backend() == &other.backend() ? one.backend().peers() : nullptr;
}

// Later work of `second` comes after the work of `first` so far.
void order(StreamCore& first, StreamCore& second) {
    const Context& context = first.context();
    const auto event = context.backend().make_event(context.ordinal(), /*timing=*/false);
    first.queue().record(*event);
    second.queue().wait(*event);
}

}  // namespace

bool has_peer_copies(const Context& one, const Context& other) {
    return peers_of(one, other) != nullptr;
}

std::vector<std::shared_ptr<StreamCore>> follow_peers(
    std::span<const std::shared_ptr<BufferState>> sources,
    const std::shared_ptr<StreamCore>& core) {
    std::vector<std::shared_ptr<StreamCore>> theirs;
    for (const auto& source : sources) {
        const auto there = current_stream(source->context());
        there->refuse_in_capture("used for a copy between devices");
        if (std::ranges::count(theirs, there->core()) == 0) {
            order(*there->core(), *core);
            theirs.push_back(there->core());
        }
        source->note_use(there->core());
    }
    return theirs;
}

void make_follow(std::span<const std::shared_ptr<StreamCore>> followers, StreamCore& core) {
    for (const auto& follower : followers) order(core, *follower);
}

void copy_between_devices(const PeerBuffers& buffers, std::size_t bytes, StreamState& stream) {
    buffers.destination->settle(FlushReason::Access);
    buffers.source->settle(FlushReason::Access);
    Context& from = buffers.source->context();
    const PeerCopy copy{.to_ordinal = stream.context().ordinal(),
                        .to = buffers.destination_address,
                        .from_ordinal = from.ordinal(),
                        .from = buffers.source_address,
                        .bytes = bytes};
    const bool captured = stream.capture([&](CaptureBranch& branch) {
        current_stream(from)->refuse_in_capture("used for a copy between devices");
        branch.add_peer_copy(copy, buffers.destination, buffers.source);
    });
    if (captured) return;
    const auto theirs = follow_peers({&buffers.source, 1}, stream.core());
    buffers.destination->note_use(stream.core());
    peers_of(stream.context(), from)->copy(stream.core()->queue(), copy);
    make_follow(theirs, *stream.core());
}

}  // namespace runtime

namespace {

using runtime::Context;
using runtime::PeerSupport;

PeerSupport& checked_peers(const Context& own, const Context& peer) {
    if (&own == &peer) runtime::refuse_value("{} is no peer of itself", own.name());
    PeerSupport* const peers = runtime::peers_of(own, peer);
    if (peers == nullptr) {
        throw UnsupportedError(
            fmt::format("{} cannot access memory of {}: only GPUs can access each other's; copy it",
                        own.name(), peer.name()));
    }
    return *peers;
}

}  // namespace

bool Device::can_access_peer(const Device& peer) const {
    if (*this == peer) return false;
    PeerSupport* const peers = runtime::peers_of(*context_, *peer.context_);
    return peers != nullptr && peers->can_access(ordinal(), peer.ordinal());
}

void Device::enable_peer_access(const Device& peer) const {
    PeerSupport& peers = checked_peers(*context_, *peer.context_);
    if (!peers.can_access(ordinal(), peer.ordinal())) {
        throw UnsupportedError(fmt::format(
            "kernels of {} cannot access memory of {}: no link or bus between the two allows it; "
            "copy what they need with Buffer.copy_from(), which works between all GPUs",
            name(), peer.name()));
    }
    peers.enable_access(ordinal(), peer.ordinal());
}

void Device::disable_peer_access(const Device& peer) const {
    PeerSupport& peers = checked_peers(*context_, *peer.context_);
    synchronize();
    peers.disable_access(ordinal(), peer.ordinal());
}

}  // namespace warpwise
