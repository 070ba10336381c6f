// The launch of a generated kernel: nothing is checked, a capture is the only branch.
#include "src/runtime/launch/generated_launch.hpp"

#include "src/runtime/launch/launch_limits.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/stream/capture.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise::runtime {
namespace {

template <class ListBuffers>
void queue(const std::shared_ptr<KernelState>& kernel, StreamState& stream, Launch& launch,
           const ListBuffers& buffers) {
    launch.keep_alive = &kernel->keep_alive();
    const bool is_recorded = stream.capture(
        [&](CaptureBranch& branch) { branch.add_launch(kernel, launch, buffers(), {}); });
    if (!is_recorded) stream.core()->queue().launch(launch);
}

}  // namespace

void launch_generated(const std::shared_ptr<KernelState>& kernel, StreamState& stream,
                      const GeneratedLaunch& call) {
    Launch launch{.kernel = &kernel->impl(),
                  .grid = call.grid,
                  .block = call.block,
                  .dynamic_shared_bytes = call.shared_bytes,
                  .runs_here = call.runs_here,
                  .arguments = call.arguments};
    queue(kernel, stream, launch, [&] {
        Buffers all(call.buffers.begin(), call.buffers.end());
        for (const auto* buffer : call.more_buffers) all.push_back(*buffer);
        return all;
    });
}

void launch_generated(const std::shared_ptr<KernelState>& kernel, StreamState& stream,
                      const LaunchConfig& config, std::span<const std::byte> arguments,
                      const std::function<std::vector<std::shared_ptr<BufferState>>()>& buffers) {
    Launch launch{.kernel = &kernel->impl(), .arguments = arguments};
    set_extents(*kernel, config, launch);
    queue(kernel, stream, launch, buffers);
}

}  // namespace warpwise::runtime
