// Allocating it, and clearing its counters.
#include "src/codegen/workspace.hpp"

#include <utility>

#include "src/codegen/arguments.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise::codegen {

PartsMemory::PartsMemory(runtime::StreamState& stream, std::size_t state_bytes, std::size_t count) {
    constexpr std::size_t kCounterBytes = 4;
    const auto zeroed = stream.zeroed_words(count);
    const std::size_t bytes = state_bytes + (zeroed ? 0 : count * kCounterBytes);
    memory = stream.is_capturing() ? mem_alloc_unpooled(bytes, Device(stream.context().shared()))
                                   : mem_alloc(bytes, Stream(stream.shared_from_this()));
    states = runtime::address_of(memory);
    if (zeroed) {
        counters = zeroed->address();
    } else {
        counters = states + state_bytes;
        const runtime::Fill fill{
            .destination = counters, .pattern = 0, .pattern_bytes = kCounterBytes, .count = count};
        stream.fill(fill, memory.state());
    }
    if (!stream.is_capturing()) memory.state()->note_use(stream.core());
}

Workspace Workspace::make(const Group& group, const Geometry& geometry,
                          runtime::StreamState& stream) {
    if (geometry.parts.count <= 1) return {};
    const auto states = static_cast<std::size_t>(geometry.kept * geometry.parts.count);
    return {PartsMemory(stream, states * state_bytes(group),
                        static_cast<std::size_t>(geometry.counters))};
}

}  // namespace warpwise::codegen
