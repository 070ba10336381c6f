// How much memory the host could still give, within the limits of the process and its cgroup.
//
// Threading: functions of the system's state at the time of the call.
#pragma once

#include "warpwise/device.hpp"

namespace warpwise::cpu {

// free: without swapping, page cache counted as free. total: the smaller of RAM and limit.
MemoryInfo host_memory();

}  // namespace warpwise::cpu
