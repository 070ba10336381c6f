// Ctrl-C: the exception a signal handler raised while a thread waited for a device.
#pragma once

namespace warpwise::python {

// Raises in Python what interrupted this thread's wait: the signal handler's own exception where
// one was kept, else KeyboardInterrupt with `message`. Needs the GIL.
void restore_interrupt(const char* message);

}  // namespace warpwise::python
