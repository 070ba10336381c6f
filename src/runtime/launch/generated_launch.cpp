// The launch of a generated kernel: nothing is checked, a capture is the only branch.
#include "src/runtime/launch/generated_launch.hpp"

#include "src/runtime/memory/buffer_state.hpp"
#include "src/runtime/stream/capture.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise::runtime {

void launch_generated(const std::shared_ptr<KernelState>& kernel, StreamState& stream,
                      const GeneratedLaunch& call) {
    Launch launch{.kernel = &kernel->impl(),
                  .grid = call.grid,
                  .block = call.block,
                  .runs_here = call.runs_here,
                  .arguments = call.arguments};
    launch.keep_alive = &kernel->keep_alive();
    const bool is_recorded = stream.capture([&](CaptureBranch& branch) {
        branch.add_launch(kernel, launch, Buffers(call.buffers.begin(), call.buffers.end()), {});
    });
    if (!is_recorded) stream.core()->queue().launch(launch);
}

}  // namespace warpwise::runtime
