// Stopping kernels in the middle of their blocks, and asking about Ctrl-C on a thread that is
// inside one: threads that run kernels are made to pause (see host/faults.hpp), then go on or are
// stopped.
//
// A thread that waits for the device runs blocks meanwhile, for as long as they take. What it would
// do in its wait, it does while they pause: that is its PausePoll, where a user's code may run, and
// kernels again.
//
// Threading: every function may be called from any thread.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "src/backends/cpu/execute/grid.hpp"
#include "src/backends/cpu/host/faults.hpp"
#include "src/base/mutex.hpp"

namespace warpwise::cpu {

// What a thread that waits does while the kernel that it runs pauses.
class PausePoll {
  public:
    PausePoll();  // becomes this thread's
    virtual ~PausePoll();
    PausePoll(const PausePoll&) = delete;
    PausePoll& operator=(const PausePoll&) = delete;

    // Called without a lock, on the thread's own stack. May stop grids.
    virtual void poll() = 0;

    static PausePoll* of_this_thread() noexcept;

  private:
    PausePoll* const outer_;
};

// A thread's executor as others see it: known from its construction to its destruction.
class KernelThread {
  public:
    explicit KernelThread(KernelFrame& frame);
    ~KernelThread();
    KernelThread(const KernelThread&) = delete;
    KernelThread& operator=(const KernelThread&) = delete;

    void begin() noexcept {
        polls_.store(PausePoll::of_this_thread() != nullptr, std::memory_order_relaxed);
        runs_.store(runs_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    void end() noexcept { begin(); }

  private:
    friend class KernelThreads;

    KernelFrame& frame_;
    const pthread_t thread_ = pthread_self();
    std::atomic<std::uint64_t> runs_ = 0;  // odd: inside of Executor::run()
    std::atomic<bool> polls_ = false;
    std::uint64_t seen_ = 0;  // runs_ at the last pause_slow()
};

class KernelThreads {
  public:
    static KernelThreads& instance();

    // All that run blocks, of any grid: those of stopped ones end.
    void pause_all() noexcept;
    // Those that have a PausePoll and have run the same blocks since the last call.
    void pause_slow() noexcept;

    void before_fork() WARPWISE_ACQUIRE(mutex_) { mutex_.lock(); }
    void after_fork_in_parent() WARPWISE_RELEASE(mutex_) { mutex_.unlock(); }
    // Of the threads only the calling one is left.
    void after_fork_in_child() WARPWISE_RELEASE(mutex_);

  private:
    friend class KernelThread;

    Mutex mutex_;
    std::vector<KernelThread*> threads_ WARPWISE_GUARDED_BY(mutex_);
};

// Who has resumed a fiber asks whether it is to be resumed again: it has paused, and its grid was
// not stopped meanwhile. If it was, the frame has a fault with signal kPauseSignal.
bool resumes_after_pause(KernelFrame& frame, const Grid& grid);

}  // namespace warpwise::cpu
