// Claims go through the pool's mutex: chunks last tens of microseconds, so it is hardly contended,
// and a job cannot vanish under a thread that looks for work.
#include "src/base/thread_pool.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

namespace warpwise {
namespace {

using std::chrono::microseconds;

constexpr auto kChunkTime = microseconds(40);
// A sleeping thread takes microseconds to wake and costs its waker a system call: look around for
// this long before going to sleep.
constexpr auto kSpinTime = microseconds(20);

inline void relax() noexcept {
    __builtin_ia32_pause();
}

}  // namespace

void start_quiet_thread(std::function<void()> body) {
    // Its own faults it takes: a blocked SIGSEGV would kill the process.
    sigset_t mask;
    sigfillset(&mask);
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&mask, signal);
    sigset_t previous;
    pthread_sigmask(SIG_SETMASK, &mask, &previous);
    try {
        std::thread(std::move(body)).detach();
    } catch (...) {
        pthread_sigmask(SIG_SETMASK, &previous, nullptr);
        throw;
    }
    pthread_sigmask(SIG_SETMASK, &previous, nullptr);
}

ThreadPool::ThreadPool(unsigned size) : size_(std::max(1u, size)) {}

void ThreadPool::start_workers() {
    for (; started_ < size_; ++started_) {
        try {
            start_quiet_thread([this] { work(); });
        } catch (const std::system_error&) {
            // Fewer workers than asked for are still workers. Without any, those who wait do all
            // the work, and the next submit() tries again.
            return;
        }
    }
}

void ThreadPool::submit(Job& job, std::uint64_t pieces, bool is_small) {
    MutexLock lock(mutex_);
    if (started_ == 0) start_workers();
    job.next_ = 0;
    job.end_ = pieces;
    job.chunk_ = 1;
    job.running_ = 0;
    job.is_small_ = is_small;
    jobs_.push_back(&job);
    open_jobs_.store(jobs_.size(), std::memory_order_relaxed);
    if (sleeping_helpers_ > 0) {
        helpers_wake_.notify_one();
    } else {
        wake_worker();
    }
}

void ThreadPool::wake_worker() {
    // A spinning worker sees the job by itself: it looks again, locked, before it sleeps.
    if (sleeping_ > 0 && running_ < size_ && spinning_.load(std::memory_order_relaxed) == 0) {
        workers_wake_.notify_one();
    }
}

ThreadPool::Job* ThreadPool::claim(std::uint64_t& begin, std::uint64_t& end) {
    // Round robin, so that the work of different streams overlaps.
    Job* job = jobs_.front();
    jobs_.pop_front();
    const std::uint64_t left = job->end_ - job->next_;
    const std::uint64_t share = std::max<std::uint64_t>(1, left / (2 * size_));
    begin = job->next_;
    end = begin + std::min(job->chunk_, share);
    job->next_ = end;
    if (end != job->end_) jobs_.push_back(job);
    open_jobs_.store(jobs_.size(), std::memory_order_relaxed);
    ++job->running_;
    ++running_;
    // Each thread that gets work wakes the next, as long as there is more.
    const bool others_wait = jobs_.size() > (end != job->end_ ? 1 : 0);
    if (others_wait || (end != job->end_ && !job->is_small_)) wake_worker();
    return job;
}

bool ThreadPool::run_chunk(MutexLock& lock) {
    if (jobs_.empty()) return false;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    Job* job = claim(begin, end);
    lock.unlock();
    const auto start = Clock::now();
    job->run(begin, end);
    const auto elapsed = Clock::now() - start;
    lock.lock();
    --running_;
    if (elapsed < kChunkTime / 2) {
        job->chunk_ = std::max(job->chunk_, 2 * (end - begin));
    } else if (elapsed > 2 * kChunkTime) {
        job->chunk_ = std::max<std::uint64_t>(1, (end - begin) / 2);
        job->is_small_ = false;
    }
    if (--job->running_ == 0 && job->next_ == job->end_) {
        lock.unlock();
        job->finished();
        lock.lock();
    }
    return true;
}

bool ThreadPool::spin_for_work() const noexcept {
    const auto until = Clock::now() + kSpinTime;
    while (Clock::now() < until) {
        if (open_jobs_.load(std::memory_order_relaxed) > 0) return true;
        relax();
    }
    return false;
}

void ThreadPool::work() {
    MutexLock lock(mutex_);
    bool may_spin = true;
    for (;;) {
        if (!jobs_.empty() && running_ < size_) {
            run_chunk(lock);
            may_spin = true;
        } else if (jobs_.empty() && may_spin && spinning_.load() == 0) {
            ++spinning_;
            lock.unlock();
            spin_for_work();
            lock.lock();
            --spinning_;
            may_spin = false;
        } else {
            ++sleeping_;
            workers_wake_.wait(lock);
            --sleeping_;
            may_spin = true;
        }
    }
}

bool ThreadPool::help_until(const std::function<bool()>& is_done, Clock::time_point deadline) {
    for (auto spin_end = Clock::time_point{};;) {
        const std::uint64_t epoch = epoch_.load(std::memory_order_acquire);
        const bool done = is_done();
        const auto now = Clock::now();
        MutexLock lock(mutex_);
        if (done || now >= deadline) {
            // What this thread would have run next is a worker's again.
            if (!jobs_.empty()) wake_worker();
            return done;
        }
        if (run_chunk(lock)) {
            spin_end = {};
            continue;
        }
        if (epoch_.load(std::memory_order_acquire) != epoch) continue;
        if (spin_end == Clock::time_point{}) spin_end = now + kSpinTime;
        if (now < spin_end) {
            lock.unlock();
            for (int i = 0; i < 32 && epoch_.load(std::memory_order_relaxed) == epoch; ++i) relax();
            continue;
        }
        ++sleeping_helpers_;
        helpers_wake_.wait_until(lock, deadline);
        --sleeping_helpers_;
    }
}

void ThreadPool::notify_helpers() {
    epoch_.fetch_add(1, std::memory_order_release);
    MutexLock lock(mutex_);
    if (sleeping_helpers_ > 0) helpers_wake_.notify_all();
}

void ThreadPool::before_fork() {
    mutex_.lock();
}

void ThreadPool::after_fork_in_parent() {
    mutex_.unlock();
}

void ThreadPool::after_fork_in_child() {
    // The workers and sleepers of the parent do not exist here; their conditions must forget them.
    jobs_.clear();
    started_ = sleeping_ = sleeping_helpers_ = running_ = 0;
    open_jobs_.store(0);
    spinning_.store(0);
    new (&workers_wake_) Condition;
    new (&helpers_wake_) Condition;
    mutex_.unlock();
}

}  // namespace warpwise
