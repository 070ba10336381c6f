// What the host processor is: its name and its clock.
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

}  // namespace warpwise::cpu
