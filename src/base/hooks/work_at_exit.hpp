// Work of threads that the end of the process must not disturb: calls of a library whose own state
// exit() destroys, such as a compiler's.
//
// A handler of exit() waits until no such work runs, for as long as settings().exit_wait says. Then
// the process ends without running what other handlers there are, for the work still uses what they
// destroy.
//
// The handler must run before theirs, and exit() calls handlers in reverse order of registration:
// libraries register more whenever they first use a static object, long after they were loaded. So
// it is registered by the end of the main thread, which exit() begins with; where another thread
// calls exit(), only what was registered before the WorkAtExit is known to be destroyed after it.
//
// Threading: every function may be called from any thread.
#pragma once

#include <condition_variable>
#include <mutex>

#include <sys/types.h>

#include "warpwise/export.hpp"

namespace warpwise {

class WARPWISE_API WorkAtExit {
  public:
    // An object lives as long as the process.
    WorkAtExit();
    WorkAtExit(const WorkAtExit&) = delete;
    WorkAtExit& operator=(const WorkAtExit&) = delete;

    // Throws DeviceError once the process ends.
    void begin();
    // False once the process ends.
    bool try_begin() noexcept;
    void end() noexcept;

    // Whether some begin() may throw by now: what fails then needs no word to the user.
    static bool is_process_ending() noexcept;

    // From begin() to the end of a scope.
    class Scope {
      public:
        explicit Scope(WorkAtExit& work) : work_(work) { work_.begin(); }
        ~Scope() { work_.end(); }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

      private:
        WorkAtExit& work_;
    };

  private:
    friend struct AllWorkAtExit;

    bool close();
    void forget_other_process();

    std::mutex mutex_;
    std::condition_variable ended_;
    pid_t process_;
    unsigned active_ = 0;
    bool is_closed_ = false;
    WorkAtExit* next_ = nullptr;  // in the list of all
};

// On the main thread: from now on its end registers the handler. Called where the library is loaded
// and by the last synchronisation, for a library that another thread has loaded.
WARPWISE_API void wait_first_at_exit() noexcept;

}  // namespace warpwise
