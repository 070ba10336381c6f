// Waiting in a loop without taking the core's resources from its other hardware thread.
//
// Threading: any thread.
#pragma once

namespace warpwise {

void spin_pause() noexcept;

}  // namespace warpwise
