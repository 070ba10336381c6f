// Arguments as words; memory that is cleared first.
#include "src/array/order/library_step.hpp"

#include <limits>
#include <utility>

#include "src/array/refuse.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/launch/generated_launch.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise::array {

void LibraryStep::run(std::int64_t blocks, int threads) {
    if (blocks > std::numeric_limits<std::int32_t>::max()) {
        refuse_value("an operation over an array takes {} blocks; split the array", blocks);
    }
    const Stream stream(runtime::current_stream(*context_));
    graph::run_step(uses_, stream, [&](const graph::UsedMemory& memory) {
        for (const Zeroed& one : zeroed_) {
            const graph::Use& use = uses_[one.use];
            const auto& state = use.value->storage->memory()->buffer().state();
            runtime::Fill fill;
            fill.destination = memory.addresses[one.use];
            fill.pattern = 0;
            fill.pattern_bytes = 4;
            fill.count = static_cast<std::size_t>((one.bytes + 3) / 4);
            stream.state()->fill(fill, state);
        }
        std::vector<std::uint64_t> words;
        words.reserve(arguments_.size());
        for (const Argument& one : arguments_) {
            words.push_back(one.use >= 0 ? memory.addresses[static_cast<std::size_t>(one.use)]
                                         : static_cast<std::uint64_t>(one.number));
        }
        runtime::launch_generated(kernel_, *stream.state(),
                                  {.grid = {static_cast<std::uint32_t>(blocks), 1, 1},
                                   .block = {static_cast<std::uint32_t>(threads), 1, 1},
                                   .arguments = std::as_bytes(std::span(words)),
                                   .buffers = memory.buffers()});
    });
}

Array scratch(std::int64_t bytes, runtime::Context& context) {
    const Shape shape{(bytes + 15) / 16 * 16};
    const auto stream = runtime::current_stream(context);
    if (!stream->is_capturing()) return Array(graph::empty(shape, uint8, context));
    // A graph keeps its own for as long as it lives: nothing else uses that memory.
    const Buffer buffer =
        mem_alloc_unpooled(static_cast<std::size_t>(shape[0]), Device(context.shared()));
    return from_buffer(buffer, shape, uint8);
}

}  // namespace warpwise::array
