// One launch, from arguments to the queue.
#pragma once

#include <memory>
#include <span>

#include "src/runtime/module/kernel_state.hpp"

namespace warpwise::runtime {

// Checks everything, in this order: stream, arguments, extents; then queues the launch, or records
// it while its stream is being captured.
void launch_kernel(const std::shared_ptr<KernelState>& kernel, const LaunchConfig& config,
                   std::span<const Argument> arguments);

// The same for a launch with extents that set_plain_extents() took, whose arguments are numbers and
// buffers that nothing is pending on. False, and nothing has happened, where it needs more:
// launch_kernel() does it, or refuses it.
bool launch_plain(const KernelState& kernel, const LaunchConfig& config, Launch& launch,
                  std::span<const Argument> arguments);

}  // namespace warpwise::runtime
