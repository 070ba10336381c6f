// The list of threads, and the end of a pause.
#include "src/backends/cpu/execute/pauses.hpp"

#include "src/backends/cpu/execute/executor.hpp"

namespace warpwise::cpu {
namespace {

thread_local PausePoll* t_poll = nullptr;

}  // namespace

PausePoll::PausePoll() : outer_(t_poll) {
    t_poll = this;
}

PausePoll::~PausePoll() {
    t_poll = outer_;
}

PausePoll* PausePoll::of_this_thread() noexcept {
    return t_poll;
}

KernelThread::KernelThread(KernelFrame& frame) : frame_(frame) {
    KernelThreads& all = KernelThreads::instance();
    MutexLock lock(all.mutex_);
    all.threads_.push_back(this);
}

KernelThread::~KernelThread() {
    KernelThreads& all = KernelThreads::instance();
    MutexLock lock(all.mutex_);
    std::erase(all.threads_, this);
}

KernelThreads& KernelThreads::instance() {
    // Never destroyed: threads may still run kernels while the process ends.
    static auto* const threads = new KernelThreads;
    return *threads;
}

void KernelThreads::pause_all() noexcept {
    MutexLock lock(mutex_);
    for (KernelThread* thread : threads_) {
        if (thread->runs_.load(std::memory_order_relaxed) % 2 == 0) continue;
        request_pause(thread->frame_, thread->thread_);
    }
}

void KernelThreads::pause_slow() noexcept {
    MutexLock lock(mutex_);
    for (KernelThread* thread : threads_) {
        const std::uint64_t runs = thread->runs_.load(std::memory_order_relaxed);
        const bool is_slow = runs % 2 == 1 && runs == thread->seen_;
        thread->seen_ = runs;
        if (!is_slow || !thread->polls_.load(std::memory_order_relaxed)) continue;
        request_pause(thread->frame_, thread->thread_);
    }
}

void KernelThreads::after_fork_in_child() {
    std::erase_if(threads_, [](const KernelThread* thread) {
        return pthread_equal(thread->thread_, pthread_self()) == 0;
    });
    mutex_.unlock();
}

bool resumes_after_pause(KernelFrame& frame, const Grid& grid) {
    if (!frame.is_paused) return false;
    frame.is_paused = false;
    if (PausePoll* const poll = PausePoll::of_this_thread()) {
        // What runs kernels meanwhile must not use what the paused one uses.
        const Executor::Nested nested;
        poll->poll();
    }
    if (grid.is_stopped_at_once() && !frame.must_resume) return false;
    frame.fault = {};
    return true;
}

}  // namespace warpwise::cpu
