// How much memory the host, and the cgroup the process lives in, could still give.
//
// Threading: functions of the system's state at the time of the call.
#pragma once

#include "warpwise/device.hpp"

namespace warpwise::cpu {

// free: without swapping, page cache counted as free. total: the smaller of RAM and limit.
MemoryInfo host_memory();

}  // namespace warpwise::cpu
