// The levels of the host's instruction set that kernels are compiled for: the one list of them, and
// which of them this machine has. Compile targets name levels, so that they are known to
// the lowest layer, without the CPU device; the list itself stands in base/<processor>/.
//
// Threading: pure functions of the machine.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "warpwise/export.hpp"

namespace warpwise {

// Each has all of those before it.
WARPWISE_API std::span<const std::string_view> processor_levels() noexcept;

WARPWISE_API bool is_processor_level(std::string_view name) noexcept;

// The highest that processor and operating system support. Throws DeviceError below the first,
// which kernels need.
WARPWISE_API std::string native_level();

// A target for code of `level` that runs on this host: behind the level, after commas, what is
// known to be faster or slower than there, as LLVM's features: "x86-64-v4,-fast-gather".
WARPWISE_API std::string tuned_for_host(std::string_view level);

// What is in front of the first comma.
WARPWISE_API std::string_view level_of(std::string_view target) noexcept;

// The level for a WARPWISE_CPU setting: "native" or one of the list. A level above the host's
// raises DeviceError: its kernels would die of illegal instructions.
WARPWISE_API std::string chosen_level(std::string_view setting);

}  // namespace warpwise
