// Whether waits are to end: how the library asks the interrupt handler of warpwise/output.hpp.
//
// Threading: any thread; call only where a user's code may run (inside a wait, no lock held).
#pragma once

#include <chrono>

namespace warpwise {

// How often a wait asks.
inline constexpr auto kInterruptPeriod = std::chrono::milliseconds(50);

// Whether the interrupt handler requires waits to end; false without one.
bool interrupt_requested();

// Whether the handler may ever interrupt this thread: there is one, and the thread is not the
// library's own.
bool may_be_interrupted();

}  // namespace warpwise
