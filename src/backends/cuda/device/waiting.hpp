// Waiting for the driver by asking: a thread inside the driver's own waits could not be
// interrupted.
//
// Threading: any thread; holds no lock.
#pragma once

#include <functional>

namespace warpwise::cuda {

// Polls until `is_done` returns true: without a pause for the first two milliseconds, then after
// short sleeps. Throws Interrupted when the interrupt handler requests the end of the wait; what
// was queued goes on then.
void wait_until(const std::function<bool()>& is_done);

}  // namespace warpwise::cuda
