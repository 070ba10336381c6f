// A kernel with its grid and block, for loops that launch it again and again.
//
//   const ww::RepeatedLaunch step(kernel, {.grid = 4, .block = 256});
//   for (int turn = 0; turn < turns; ++turn) step(x, y, 2.0f, 1024);
//
// It does what kernel(config, ...) does, with the same checks and errors; what depends on the
// configuration alone is checked once.
//
// Threading: may be launched from many threads at once.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "warpwise/export.hpp"
#include "warpwise/kernel.hpp"

namespace warpwise {

class WARPWISE_API RepeatedLaunch {
  public:
    // A configuration beyond the limits of kernel and device is refused by each launch.
    RepeatedLaunch(Kernel kernel, LaunchConfig config) noexcept;

    // As Kernel's.
    template <class... Arguments>
    void operator()(const Arguments&... arguments) const {
        with_arguments([&](std::span<const Argument> list) { launch(list); },
                       config_.stream ? &*config_.stream : nullptr, arguments...);
    }
    void launch(std::span<const Argument> arguments) const;

    const Kernel& kernel() const noexcept { return kernel_; }
    const LaunchConfig& config() const noexcept { return config_; }

  private:
    // In the order of a launch.
    Kernel kernel_;
    bool is_plain_ = false;  // within the bounds, and nothing special: then these are its extents
    std::uint32_t dynamic_shared_bytes_ = 0;
    std::array<std::uint32_t, 3> grid_{};
    std::array<std::uint32_t, 3> block_{};
    LaunchConfig config_;
};

}  // namespace warpwise
