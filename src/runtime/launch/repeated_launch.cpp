// See warpwise/repeated_launch.hpp.
#include "warpwise/repeated_launch.hpp"

#include <utility>

#include "src/runtime/launch/launch.hpp"
#include "src/runtime/launch/launch_limits.hpp"

namespace warpwise {

RepeatedLaunch::RepeatedLaunch(Kernel kernel, LaunchConfig config) noexcept
    : kernel_(std::move(kernel)), config_(std::move(config)) {
    runtime::Launch launch;
    is_plain_ = runtime::set_plain_extents(*kernel_.state(), config_, launch);
    grid_ = launch.grid;
    block_ = launch.block;
    dynamic_shared_bytes_ = launch.dynamic_shared_bytes;
}

[[gnu::hot]] void RepeatedLaunch::launch(std::span<const Argument> arguments) const {
    const auto& kernel = kernel_.state();
    if (is_plain_) [[likely]] {
        runtime::Launch launch{.kernel = &kernel->impl(),
                               .grid = grid_,
                               .block = block_,
                               .dynamic_shared_bytes = dynamic_shared_bytes_};
        if (runtime::launch_plain(*kernel, config_, launch, arguments)) return;
    }
    runtime::launch_kernel(kernel, config_, arguments);
}

}  // namespace warpwise
