// The thread that looks, every 50 ms, at kernels which run long: whether one has exceeded its time
// limit, and whether a thread that waits for the device is inside one and must be asked about
// Ctrl-C. It starts when there is something to watch, and sleeps a second after the last of it.
//
// Threading: every function may be called from any thread.
#pragma once

#include <atomic>
#include <functional>

#include "src/base/mutex.hpp"

namespace warpwise::cpu {

class KernelWatch {
  public:
    // `look` is called on the thread; false when there was nothing to watch.
    explicit KernelWatch(std::function<bool()> look) : look_(std::move(look)) {}

    // There is something to watch: what `look` reads shows it already. Costs one load while the
    // thread is awake. Never throws: without a thread to spare kernels are not watched.
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

    const std::function<bool()> look_;
    std::atomic<bool> is_awake_ = false;
    Mutex mutex_;
    Condition wake_;
    bool is_started_ WARPWISE_GUARDED_BY(mutex_) = false;
};

}  // namespace warpwise::cpu
