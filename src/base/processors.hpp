// How many processors this process may use.
//
// Threading: pure functions of the system's state at the time of the call.
#pragma once

#include <optional>
#include <string_view>

namespace warpwise {

// Processors of the affinity mask, cut to the CPU quota of the cgroup (v1 or v2). At least 1.
unsigned usable_processors();

// The quota of a cgroup v2 `cpu.max` text in whole processors, rounded up; none when unlimited or
// not understood.
std::optional<unsigned> parse_cpu_max(std::string_view text);

}  // namespace warpwise
