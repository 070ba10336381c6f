// The handler, and who it waits for.
#include "src/base/hooks/work_at_exit.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "warpwise/error.hpp"
#include "warpwise/settings.hpp"

namespace warpwise {

// on_exit() calls in reverse order of registration.
WorkAtExit::WorkAtExit() : process_(getpid()) {
    ::on_exit(
        [](int status, void* work) {
            if (static_cast<WorkAtExit*>(work)->close()) return;
            std::fflush(nullptr);
            ::_exit(status);
        },
        this);
}

// Whether nothing runs any more. Nothing will.
bool WorkAtExit::close() {
    std::unique_lock lock(mutex_);
    is_closed_ = true;
    forget_other_process();
    return ended_.wait_for(lock, settings().exit_wait, [this] { return active_ == 0; });
}

void WorkAtExit::begin() {
    const std::lock_guard lock(mutex_);
    if (is_closed_) throw DeviceError("nothing can be compiled while the process ends");
    forget_other_process();
    ++active_;
}

void WorkAtExit::end() noexcept {
    const std::lock_guard lock(mutex_);
    --active_;
    ended_.notify_all();
}

// After fork() the threads that worked are not here.
void WorkAtExit::forget_other_process() {
    const pid_t here = getpid();
    if (std::exchange(process_, here) != here) active_ = 0;
}

}  // namespace warpwise
