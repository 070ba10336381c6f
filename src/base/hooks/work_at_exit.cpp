// The handler, who it waits for, and when it is registered.
#include "src/base/hooks/work_at_exit.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "warpwise/error.hpp"
#include "warpwise/settings.hpp"

namespace warpwise {

// A list without a lock: objects are only added, and none is destroyed.
struct AllWorkAtExit {
    static inline std::atomic<WorkAtExit*> first = nullptr;
    static inline std::atomic<bool> is_closing = false;

    static void add(WorkAtExit& work) {
        work.next_ = first.load();
        while (!first.compare_exchange_weak(work.next_, &work)) {
        }
    }

    static void wait(int status, void*) {
        is_closing = true;
        for (WorkAtExit* work = first.load(); work != nullptr; work = work->next_) {
            if (work->close()) continue;
            std::fflush(nullptr);
            ::_exit(status);
        }
    }
};

namespace {

// The end of the main thread is no end of the process after pthread_exit(): then the handler, which
// is registered once more, waits for the end that comes.
struct RegisteringAtEnd {
    ~RegisteringAtEnd() { ::on_exit(&AllWorkAtExit::wait, nullptr); }
};

[[maybe_unused]] const bool kIsFirst = [] {
    wait_first_at_exit();
    return true;
}();

}  // namespace

void wait_first_at_exit() noexcept {
    if (::syscall(SYS_gettid) != ::getpid()) return;
    static thread_local const RegisteringAtEnd at_end;
    static_cast<void>(&at_end);
}

WorkAtExit::WorkAtExit() : process_(getpid()) {
    AllWorkAtExit::add(*this);
    ::on_exit(&AllWorkAtExit::wait, nullptr);
}

// Whether nothing runs any more. Nothing will.
bool WorkAtExit::close() {
    std::unique_lock lock(mutex_);
    is_closed_ = true;
    forget_other_process();
    return ended_.wait_for(lock, settings().exit_wait, [this] { return active_ == 0; });
}

bool WorkAtExit::is_process_ending() noexcept {
    return AllWorkAtExit::is_closing;
}

void WorkAtExit::begin() {
    if (!try_begin()) throw DeviceError("nothing can be compiled or loaded while the process ends");
}

bool WorkAtExit::try_begin() noexcept {
    const std::lock_guard lock(mutex_);
    if (is_closed_) return false;
    forget_other_process();
    ++active_;
    return true;
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
