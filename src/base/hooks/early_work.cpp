// What was begun, and how much of it goes on.
#include "src/base/hooks/early_work.hpp"

#include <pthread.h>

#include <exception>
#include <set>
#include <utility>

#include "src/base/hooks/work_at_exit.hpp"
#include "src/base/log.hpp"
#include "src/base/mutex.hpp"
#include "src/base/thread_pool.hpp"

namespace warpwise {
namespace {

class EarlyWork {
  public:
    EarlyWork() {
        ::pthread_atfork([] { all().before_fork(); }, [] { all().after_fork(); },
                         [] { all().after_fork(); });
    }
    // Never destroyed: threads may use it while the process ends.
    static EarlyWork& all() {
        static auto* const only = new EarlyWork;
        return *only;
    }

    // False where it was begun before.
    bool begin(const void* subject) {
        MutexLock lock(mutex_);
        if (!known_.insert(subject).second) return false;
        ++active_;
        return true;
    }
    void end() {
        MutexLock lock(mutex_);
        --active_;
        changed_.notify_all();
    }
    bool is_active() {
        MutexLock lock(mutex_);
        return active_ != 0;
    }
    void run(const std::function<void()>& work) noexcept {
        try {
            const WorkAtExit::Scope scope(at_exit_);
            work();
        } catch (const std::exception& error) {
            log::info("done early: {}", error.what());
        }
        end();
    }

  private:
    // The mutex stays locked in between, which clang cannot follow: nothing begins before the fork.
    void before_fork() WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
        for (mutex_.lock(); active_ != 0; mutex_.lock()) {
            mutex_.unlock();
            MutexLock lock(mutex_);
            while (active_ != 0) changed_.wait(lock);
        }
    }
    void after_fork() WARPWISE_NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock(); }

    WorkAtExit at_exit_;
    Mutex mutex_;
    Condition changed_;
    std::set<const void*> known_ WARPWISE_GUARDED_BY(mutex_);
    unsigned active_ WARPWISE_GUARDED_BY(mutex_) = 0;
};

}  // namespace

void begin_early(const void* subject, std::function<void()> work) noexcept {
    EarlyWork& all = EarlyWork::all();
    try {
        if (!all.begin(subject)) return;
    } catch (const std::exception& error) {
        log::info("not begun early: {}", error.what());
        return;
    }
    try {
        start_thread_with_signals_blocked([&all, work = std::move(work)] { all.run(work); });
    } catch (const std::exception& error) {
        log::info("no thread to begin early: {}", error.what());
        all.end();
    }
}

bool has_early_work() noexcept {
    return EarlyWork::all().is_active();
}

}  // namespace warpwise
