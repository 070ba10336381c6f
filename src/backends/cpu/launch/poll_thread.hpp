// A thread that looks every so often at what nobody announces. The scheduler has two: one for
// kernels that run long (whether one has exceeded its time limit, and whether a thread that waits
// for the device is inside one and must be asked about Ctrl-C), one for events that other processes
// record. Each starts when there is something to look at, and sleeps some looks after the last of
// it.
//
// Threading: every function may be called from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>

#include "src/base/mutex.hpp"

namespace warpwise::cpu {

class PollThread {
  public:
    // `look` is called on the thread; false when there was nothing to look at.
    PollThread(std::chrono::microseconds period, std::function<bool()> look)
        : period_(period), look_(std::move(look)) {}

    // There is something to look at: what `look` reads shows it already. Costs one load while the
    // thread is awake. Never throws: without a thread to spare nobody looks.
    void wake() noexcept {
        if (!is_awake_.load()) wake_thread();
    }

    void before_fork() WARPWISE_ACQUIRE(mutex_) { mutex_.lock(); }
    void after_fork_in_parent() WARPWISE_RELEASE(mutex_) { mutex_.unlock(); }
    void after_fork_in_child() WARPWISE_RELEASE(mutex_);

  private:
    void wake_thread() noexcept;
    void run();
    void sleep_until_woken();

    const std::chrono::microseconds period_;
    const std::function<bool()> look_;
    std::atomic<bool> is_awake_ = false;
    Mutex mutex_;
    Condition wake_;
    bool is_started_ WARPWISE_GUARDED_BY(mutex_) = false;
};

}  // namespace warpwise::cpu
