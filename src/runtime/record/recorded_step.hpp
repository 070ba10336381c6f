// One operation of a capture, with what it uses.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "src/runtime/graphs.hpp"

namespace warpwise::runtime {

class BufferState;
class EventState;
class KernelState;

using Buffers = std::vector<std::shared_ptr<BufferState>>;

// A step and what it uses.
struct RecordedStep : GraphStep {
    // Of a launch: its arguments and what it keeps alive.
    std::vector<std::byte> arguments;
    std::shared_ptr<const void> owner;
    std::shared_ptr<KernelState> kernel;
    std::shared_ptr<EventState> event;
    Buffers buffers;  // without null; of a launch: those of its arguments
    // Of a copy between devices: memory of the other one, which is not among `buffers`.
    std::shared_ptr<BufferState> peer_source;
    // Of a launch, and staying when it is changed: what it kept alive when it was captured (the
    // module, bound textures), and the memory behind bound textures.
    std::shared_ptr<const void> captured_owner;
    Buffers bound;
};

using Step = std::shared_ptr<const RecordedStep>;

// Differs between all calls of the process.
std::uint64_t next_graph_version() noexcept;

// Null buffers are left out.
std::shared_ptr<RecordedStep> make_step(GraphOperation operation, Buffers buffers);
// A launch with arguments of its own.
std::shared_ptr<RecordedStep> make_launch(const std::shared_ptr<KernelState>& kernel,
                                          const Launch& launch, Buffers buffers);

// For errors: "the launch of scale", "a copy of 16 bytes".
std::string description_of(const RecordedStep& step);

}  // namespace warpwise::runtime
