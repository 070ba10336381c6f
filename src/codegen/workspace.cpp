// Allocating it, and clearing its counters.
#include "src/codegen/workspace.hpp"

#include "src/codegen/arguments.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise::codegen {

Workspace Workspace::make(const Group& group, const Geometry& geometry,
                          runtime::StreamState& stream, const Binding& binding) {
    Workspace workspace;
    if (geometry.parts.count <= 1) return workspace;
    const auto states =
        static_cast<std::size_t>(geometry.kept * geometry.parts.count) * state_bytes(group);
    const auto counters = static_cast<std::size_t>(geometry.counters) * 4;
    workspace.memory =
        stream.is_capturing()
            ? mem_alloc_unpooled(states + counters, Device(stream.context().shared()))
            : mem_alloc(states + counters, Stream(stream.shared_from_this()));
    const auto& state = workspace.memory.state();
    workspace.states = runtime::address_of(workspace.memory);
    workspace.counters = workspace.states + states;
    runtime::Fill fill;
    fill.destination = workspace.counters;
    fill.pattern = 0;
    fill.pattern_bytes = 4;
    fill.count = static_cast<std::size_t>(geometry.counters);
    stream.fill(fill, state);
    if (!stream.is_capturing()) state->note_use(stream.core());
    workspace.all_ = binding.buffers;
    workspace.all_.push_back(state);
    return workspace;
}

}  // namespace warpwise::codegen
