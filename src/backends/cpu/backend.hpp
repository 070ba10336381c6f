// The CPU as a device: implements src/runtime/backend.hpp. One device, "cpu".
//
// Touches nothing and starts no thread until it is used; never destroyed. After fork() the child
// has a working device of its own: idle queues, the same memory, modules and kernels; work the
// parent had in flight goes on in the parent only.
//
// Threading: every function may be called from any thread.
#pragma once

#include "src/runtime/backend.hpp"

namespace warpwise::cpu {

runtime::Backend& cpu_backend();

}  // namespace warpwise::cpu
