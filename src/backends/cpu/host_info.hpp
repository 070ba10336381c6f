// What the host processor is: its name, its instruction level, its clock.
//
// Threading: pure functions of the machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpwise::cpu {

// "AMD EPYC", "Intel(R) Xeon(R) ..." without decoration; "x86-64 processor" where unknown.
std::string processor_name();
// The "model name" of a /proc/cpuinfo text, trimmed of marketing marks; empty when it has none.
std::string processor_name_in(std::string_view cpuinfo);
std::uint32_t clock_khz();  // the highest the system promises, else 0

// The highest of "x86-64-v2", "x86-64-v3", "x86-64-v4" that processor and operating system
// support. Throws DeviceError below v2, which kernels need.
std::string native_level();
// The level for a WARPWISE_CPU setting: "native" or one of the three. A level above the host's
// raises DeviceError: its kernels would die of illegal instructions.
std::string chosen_level(std::string_view setting);

}  // namespace warpwise::cpu
