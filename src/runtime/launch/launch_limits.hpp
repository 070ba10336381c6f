// Grid, block and shared memory against the limits of kernel and device.
#pragma once

#include "src/runtime/module/kernel_state.hpp"

namespace warpwise::runtime {

// Throws ArgumentError for extents that are no extents and LaunchError for what the device cannot
// do; else fills in grid, block and dynamic_shared_bytes of `launch`.
void set_extents(const KernelState& kernel, const LaunchConfig& config, Launch& launch);
// The same for what most launches are: extents within LaunchBounds, and nothing special. Otherwise
// false, and `launch` is as it was.
bool set_plain_extents(const KernelState& kernel, const LaunchConfig& config,
                       Launch& launch) noexcept;

}  // namespace warpwise::runtime
