// Launching kernels whose callers know their parameters: generated ones, with packed arguments.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "src/runtime/module/kernel_state.hpp"

namespace warpwise::runtime {

class BufferState;
class StreamState;

struct GeneratedLaunch {
    std::array<std::uint32_t, 3> grid{1, 1, 1};
    std::array<std::uint32_t, 3> block{1, 1, 1};
    std::uint32_t shared_bytes = 0;        // dynamic
    std::span<const std::byte> arguments;  // as the kernel's signature lays them out
    bool runs_here = false;                // as Launch
    // All memory that the kernel reaches: what a graph that records the launch keeps alive.
    std::span<const std::shared_ptr<BufferState>> buffers;
    std::span<const std::shared_ptr<BufferState>* const> more_buffers;  // by reference
};

// Queues the launch, or records it while the stream is captured. The caller vouches for extents and
// arguments, has flushed pending work and noted the uses of the buffers.
void launch_generated(const std::shared_ptr<KernelState>& kernel, StreamState& stream,
                      const GeneratedLaunch& call);

// The same with an extent, shared memory and attributes of a user's: they are checked as those of
// every launch. Throws ArgumentError and LaunchError. The buffers are asked for where the launch is
// recorded.
void launch_generated(const std::shared_ptr<KernelState>& kernel, StreamState& stream,
                      const LaunchConfig& config, std::span<const std::byte> arguments,
                      const std::function<std::vector<std::shared_ptr<BufferState>>()>& buffers);

}  // namespace warpwise::runtime
