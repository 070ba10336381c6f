// Registers finish_before_exit() (warpwise/output.hpp) with exit(): called where a device is first
// used, so that it runs before what that device needs is destroyed.
//
// Threading: any thread.
#pragma once

namespace warpwise::runtime {

void finish_at_exit();

}  // namespace warpwise::runtime
