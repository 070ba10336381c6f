// Work of threads that the end of the process must not disturb: calls of a library whose own state
// exit() destroys, such as a compiler's.
//
// A handler of exit() waits until no such work runs, for as long as settings().exit_wait says. Then
// the process ends without running what other handlers there are, for the work still uses what they
// destroy.
//
// Threading: begin() and end() may be called from any thread.
#pragma once

#include <condition_variable>
#include <mutex>

#include <sys/types.h>

#include "warpwise/export.hpp"

namespace warpwise {

class WARPWISE_API WorkAtExit {
  public:
    // Registers the handler; those of libraries that are loaded by now run after it. An object
    // lives as long as the process.
    WorkAtExit();
    WorkAtExit(const WorkAtExit&) = delete;
    WorkAtExit& operator=(const WorkAtExit&) = delete;

    // Throws DeviceError once the process ends.
    void begin();
    void end() noexcept;

  private:
    bool close();
    void forget_other_process();

    std::mutex mutex_;
    std::condition_variable ended_;
    pid_t process_;
    unsigned active_ = 0;
    bool is_closed_ = false;
};

}  // namespace warpwise
