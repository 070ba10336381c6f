// Where kernel printf goes, and how a long wait is interrupted: the two hooks a host language
// needs.
//
// Threading: both handlers are called without any lock of the library held, on a thread that is
// inside synchronize() or a blocking copy (never on a worker).
#pragma once

#include <functional>
#include <string_view>

#include "warpwise/export.hpp"

namespace warpwise {

// Receives kernel output at synchronisation points, in block order. Default: stdout, flushed.
// An empty function restores the default. Returns the previous handler.
using OutputHandler = std::function<void(std::string_view)>;
WARPWISE_API OutputHandler set_output_handler(OutputHandler handler);

// Asked about every 50 ms while a thread waits for a device. When it returns true, running grids
// of that device stop between blocks, queued ones are dropped, and the wait throws Interrupted.
using InterruptHandler = std::function<bool()>;
WARPWISE_API InterruptHandler set_interrupt_handler(InterruptHandler handler);

}  // namespace warpwise
