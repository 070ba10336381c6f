// Two threads and their list. Invariant: while the process ends, they touch nothing.
#include "src/codegen/background.hpp"

#include <unistd.h>

#include <atomic>
#include <deque>
#include <exception>
#include <utility>

#include "src/base/hooks/work_at_exit.hpp"
#include "src/base/log.hpp"
#include "src/base/mutex.hpp"
#include "src/base/thread_pool.hpp"

namespace warpwise::codegen {
namespace {

class Background {
  public:
    // One kernel need not wait for what takes seconds.
    static constexpr unsigned kMostThreads = 2;

    void add(std::function<void()> work) {
        MutexLock lock(mutex_);
        if (idle_ == 0 && threads_ < kMostThreads) {
            start_thread_with_signals_blocked([this] { work_on(); });
            ++threads_;
        }
        list_.push_back(std::move(work));
        wake_.notify_one();
    }
    const pid_t process = ::getpid();

  private:
    void work_on() {
        for (;;) {
            std::function<void()> work;
            {
                MutexLock lock(mutex_);
                ++idle_;
                while (list_.empty()) wake_.wait(lock);
                --idle_;
                work = std::move(list_.front());
                list_.pop_front();
            }
            try {
                at_exit_.begin();
            } catch (const std::exception&) {
                sleep_for_good();
            }
            try {
                work();
            } catch (const std::exception& error) {
                log::info("in the background: {}", error.what());
            }
            work = nullptr;  // what it held ends here
            at_exit_.end();
        }
    }
    void sleep_for_good() {
        MutexLock lock(mutex_);
        for (;;) wake_.wait(lock);
    }

    WorkAtExit at_exit_;
    Mutex mutex_;
    Condition wake_;
    unsigned threads_ WARPWISE_GUARDED_BY(mutex_) = 0;
    unsigned idle_ WARPWISE_GUARDED_BY(mutex_) = 0;
    std::deque<std::function<void()>> list_ WARPWISE_GUARDED_BY(mutex_);
};

// Never destroyed. That of the process before a fork() has a thread that is not here, and a lock
// that may be held.
Background& background() {
    static std::atomic<Background*> all = new Background;
    Background* own = all.load();
    if (own->process != ::getpid()) all = own = new Background;
    return *own;
}

}  // namespace

void run_in_background(std::function<void()> work) noexcept {
    try {
        background().add(std::move(work));
    } catch (const std::exception& error) {
        log::info("no thread to compile kernels in the background: {}", error.what());
    }
}

}  // namespace warpwise::codegen
