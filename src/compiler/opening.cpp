// The compilers that were opened, and how many are being opened.
#include "src/compiler/opening.hpp"

#include <pthread.h>

#include <exception>
#include <set>

#include "src/base/hooks/work_at_exit.hpp"
#include "src/base/log.hpp"
#include "src/base/mutex.hpp"
#include "src/base/thread_pool.hpp"

namespace warpwise::compiler {
namespace {

class Openings {
  public:
    // A child would have half of a library, and locks that nobody releases.
    Openings() {
        ::pthread_atfork([] { openings().before_fork(); }, [] { openings().after_fork(); },
                         [] { openings().after_fork(); });
    }
    // Never destroyed: threads may use it while the process ends.
    static Openings& openings() {
        static auto* const all = new Openings;
        return *all;
    }

    bool add(Compiler& compiler) {
        MutexLock lock(mutex_);
        if (!known_.insert(&compiler).second) return false;
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
    void run(Compiler& compiler) noexcept {
        try {
            const WorkAtExit::Scope opening(at_exit_);
            compiler.open();
        } catch (const std::exception& error) {
            log::info("opening a compiler: {}", error.what());
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
    std::set<Compiler*> known_ WARPWISE_GUARDED_BY(mutex_);
    unsigned active_ WARPWISE_GUARDED_BY(mutex_) = 0;
};

}  // namespace

void open_in_background(Compiler& compiler) noexcept {
    if (!compiler.is_permanent()) return;
    Openings& openings = Openings::openings();
    try {
        if (!openings.add(compiler)) return;
    } catch (const std::exception& error) {
        log::info("opening a compiler: {}", error.what());
        return;
    }
    try {
        start_thread_with_signals_blocked([&] { openings.run(compiler); });
    } catch (const std::exception& error) {
        log::info("no thread to open a compiler: {}", error.what());
        openings.end();
    }
}

bool is_opening() noexcept {
    return Openings::openings().is_active();
}

}  // namespace warpwise::compiler
