// Where kernel printf goes, how a long wait is interrupted, and which line of a program is running:
// the hooks a host language needs.
//
// Threading: the handlers are called without any lock of the library held, the first two on a
// thread that is inside synchronize() or a blocking copy (never on a worker).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "warpwise/export.hpp"

namespace warpwise {

// Receives kernel output at synchronisation points, in block order. Default: stdout, flushed.
// An empty function restores the default. Returns the previous handler.
using OutputHandler = std::function<void(std::string_view)>;
WARPWISE_API OutputHandler set_output_handler(OutputHandler handler);

// Asked about every 50 ms while a thread waits for a device or a compile. When it returns true, the
// wait throws Interrupted: running kernels of the CPU device are stopped and queued ones are
// dropped, those of a GPU run on; a compile ends by itself, at its next step.
using InterruptHandler = std::function<bool()>;
WARPWISE_API InterruptHandler set_interrupt_handler(InterruptHandler handler);

// Names the line of the program that is calling the library, such as "model.py:12", for errors that
// are found later, when kernels have run. Empty where it is not known. Called on the calling
// thread.
using CallerHandler = std::function<std::string()>;
WARPWISE_API CallerHandler set_caller_handler(CallerHandler handler);

// The same, cheap enough for every operation on arrays: errors in their evaluation, which comes
// later, name the line that wrote the expression. `mark` returns a number for the calling line (0:
// not known) in some nanoseconds; it runs on the calling thread under a lock of the library, and
// must not call the library. `name` says which line a number stands for; empty where that is not
// known any more. Both may be null.
struct CallerPlaces {
    std::uint64_t (*mark)() noexcept = nullptr;
    std::string (*name)(std::uint64_t place) = nullptr;
};
WARPWISE_API CallerPlaces set_caller_places(CallerPlaces places);

// What exit() does by itself, and Python when the interpreter shuts down: waits for the queued work
// of all devices, for settings().exit_wait at most, hands out what kernels printed, and writes
// errors that nothing has reported to stderr. What has not ended by then is stopped as above. Calls
// after the first do nothing.
WARPWISE_API void finish_before_exit() noexcept;

}  // namespace warpwise
