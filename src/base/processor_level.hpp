// The levels of the x86-64 instruction set that kernels are compiled for: the one list of them, and
// which of them this machine has.
//
// Threading: pure functions of the machine.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "warpwise/export.hpp"

namespace warpwise {

// Each has all of those before it.
inline constexpr std::array<std::string_view, 3> kProcessorLevels = {"x86-64-v2", "x86-64-v3",
                                                                     "x86-64-v4"};

WARPWISE_API bool is_processor_level(std::string_view name) noexcept;

// The highest that processor and operating system support. Throws DeviceError below the first,
// which kernels need.
WARPWISE_API std::string native_level();

// The level for a WARPWISE_CPU setting: "native" or one of the list. A level above the host's
// raises DeviceError: its kernels would die of illegal instructions.
WARPWISE_API std::string chosen_level(std::string_view setting);

}  // namespace warpwise
