// Joining and leaving a job go through the pool's mutex, so that a job cannot vanish under a thread
// that looks for work; claiming a chunk is one compare-and-swap on the job.
#include "src/base/thread_pool.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "src/base/spin_pause.hpp"

namespace warpwise {
namespace {

using std::chrono::microseconds;

constexpr auto kChunkTime = microseconds(40);
// A sleeping thread takes tens of microseconds to wake and costs its waker a system call: look
// around for this long before going to sleep.
constexpr auto kSpinTime = microseconds(50);
// Whoever joins a job calls so many more: sixteen threads are there after four steps, not sixteen.
constexpr unsigned kCalls = 2;

// The pool's mutex is held for less than a microsecond: a thread that went to sleep for it would
// pay a hundred times that.
template <class Lockable>
void lock_patiently(Lockable& lock) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
    for (int i = 0; i < 100; ++i) {
        if (lock.try_lock()) return;
        spin_pause();
    }
    lock.lock();
}

void lock_soon(Mutex& mutex) WARPWISE_ACQUIRE(mutex) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
    lock_patiently(mutex);
}
void lock_soon(MutexLock& lock) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
    lock_patiently(lock);
}

}  // namespace

void start_thread_with_signals_blocked(std::function<void()> body) {
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
            start_thread_with_signals_blocked([this] { work(); });
        } catch (const std::system_error&) {
            // Fewer workers than requested are enough. Without any, the threads that wait do all
            // the work, and the next submit() tries again.
            return;
        }
    }
}

void ThreadPool::submit(Job& job, std::uint64_t pieces, bool is_small) {
    lock_soon(mutex_);
    const MutexLock lock(mutex_, std::adopt_lock);
    if (started_ == 0) start_workers();
    job.next_.store(0, std::memory_order_relaxed);
    job.end_ = pieces;
    job.chunk_.store(1, std::memory_order_relaxed);
    job.crowd_.store(is_small ? Job::Crowd::One : Job::Crowd::AllButOne, std::memory_order_relaxed);
    job.members_ = 0;
    job.is_listed_ = true;
    jobs_.push_back(&job);
    open_jobs_.store(jobs_.size(), std::memory_order_relaxed);
    if (sleeping_helpers_ > 0) {
        helpers_wake_.notify_one();
    } else {
        call_workers(1, size_);
    }
}

// Calls so many, as long as no more than `most` threads run pieces or are on their way.
void ThreadPool::call_workers(unsigned count, unsigned most) {
    const unsigned calls = calls_.load(std::memory_order_relaxed);
    const unsigned there = running_.load(std::memory_order_relaxed) + calls + woken_;
    count = std::min(count, most - std::min(most, there));
    // Those that spin see the call, and look again, locked, before they sleep.
    const unsigned spinning = spinning_.load(std::memory_order_relaxed);
    const unsigned awake = std::min(count, spinning - std::min(spinning, calls));
    if (awake > 0) calls_.fetch_add(awake, std::memory_order_relaxed);
    for (count -= awake; count > 0 && woken_ < sleeping_; --count, ++woken_) {
        workers_wake_.notify_one();
    }
}

ThreadPool::Job* ThreadPool::join() {
    // Round robin, so that the work of different streams overlaps.
    Job* job = jobs_.front();
    jobs_.pop_front();
    jobs_.push_back(job);
    ++job->members_;
    running_.fetch_add(1, std::memory_order_relaxed);
    const Job::Crowd crowd = job->crowd_.load(std::memory_order_relaxed);
    const bool has_more = job->next_.load(std::memory_order_relaxed) + 1 < job->end_;
    if (jobs_.size() > 1 || (has_more && crowd == Job::Crowd::All)) {
        call_workers(kCalls, size_);
    } else if (has_more && crowd == Job::Crowd::AllButOne) {
        call_workers(kCalls, size_ - 1);
    }
    return job;
}

void ThreadPool::unlist(Job& job) {
    if (!job.is_listed_) return;
    job.is_listed_ = false;
    std::erase(jobs_, &job);
    open_jobs_.store(jobs_.size(), std::memory_order_relaxed);
}

bool ThreadPool::Job::claim(std::uint64_t& piece) noexcept {
    std::uint64_t next = next_.load(std::memory_order_relaxed);
    do {
        if (next == end_) return false;
    } while (!next_.compare_exchange_weak(next, next + 1, std::memory_order_relaxed));
    piece = next;
    return true;
}

// False when all pieces are claimed.
bool ThreadPool::run_chunk(Job& job) const noexcept {
    std::uint64_t begin = job.next_.load(std::memory_order_relaxed);
    std::uint64_t end = 0;
    do {
        if (begin == job.end_) return false;
        const std::uint64_t share = std::max<std::uint64_t>(1, (job.end_ - begin) / (2 * size_));
        end = begin + std::min(job.chunk_.load(std::memory_order_relaxed), share);
    } while (!job.next_.compare_exchange_weak(begin, end, std::memory_order_relaxed));
    const auto start = Clock::now();
    job.run(begin, end);
    const auto elapsed = Clock::now() - start;
    const std::uint64_t size = end - begin;
    const bool is_slow = elapsed > 2 * kChunkTime;
    if (elapsed < kChunkTime / 2) {
        if (job.chunk_.load(std::memory_order_relaxed) < 2 * size) {
            job.chunk_.store(2 * size, std::memory_order_relaxed);
        }
    } else if (is_slow) {
        job.chunk_.store(std::max<std::uint64_t>(1, size / 2), std::memory_order_relaxed);
    }
    const Job::Crowd crowd = job.crowd_.load(std::memory_order_relaxed);
    if (crowd == Job::Crowd::AllButOne || (crowd == Job::Crowd::One && is_slow)) {
        job.crowd_.store(Job::Crowd::All, std::memory_order_relaxed);
    }
    return true;
}

// Joins one job and runs chunks of it until they are all claimed, another job waits for its turn,
// more threads are to be called, or may_go_on() returns false. False if there was none to join.
template <class MayGoOn>
bool ThreadPool::help_a_job(MutexLock& lock, const MayGoOn& may_go_on) {
    if (jobs_.empty()) return false;
    Job& job = *join();
    lock.unlock();
    const Job::Crowd crowd = job.crowd_.load(std::memory_order_relaxed);
    bool has_more = true;
    do {
        has_more = run_chunk(job);
    } while (has_more && open_jobs_.load(std::memory_order_relaxed) == 1 &&
             job.crowd_.load(std::memory_order_relaxed) == crowd && may_go_on());
    lock_soon(lock);
    running_.fetch_sub(1, std::memory_order_relaxed);
    if (job.next_.load(std::memory_order_relaxed) == job.end_) unlist(job);
    if (--job.members_ == 0 && !job.is_listed_) {
        lock.unlock();
        job.finished();
        lock_soon(lock);
    }
    return true;
}

bool ThreadPool::spin_for_call() noexcept {
    for (const auto until = Clock::now() + kSpinTime; Clock::now() < until;) {
        for (int i = 0; i < 16; ++i) {
            unsigned calls = calls_.load(std::memory_order_relaxed);
            if (calls > 0 && calls_.compare_exchange_strong(calls, calls - 1)) return true;
            spin_pause();
        }
    }
    return false;
}

void ThreadPool::work() {
    const auto is_welcome = [this] { return running_.load(std::memory_order_relaxed) <= size_; };
    MutexLock lock(mutex_);
    bool may_spin = true;
    for (;;) {
        if (!jobs_.empty() && running_.load(std::memory_order_relaxed) < size_) {
            help_a_job(lock, is_welcome);
            may_spin = true;
        } else if (may_spin) {
            spinning_.fetch_add(1, std::memory_order_relaxed);
            lock.unlock();
            may_spin = spin_for_call();
            lock_soon(lock);
            // A call that no thread is left to receive is withdrawn.
            const unsigned others = spinning_.fetch_sub(1, std::memory_order_relaxed) - 1;
            if (calls_.load(std::memory_order_relaxed) > others) calls_.store(others);
        } else {
            ++sleeping_;
            while (woken_ == 0) workers_wake_.wait(lock);
            --woken_;
            --sleeping_;
            may_spin = true;
        }
    }
}

bool ThreadPool::help_until(const std::function<bool()>& is_done, Clock::time_point deadline) {
    const auto may_go_on = [&] { return !is_done() && Clock::now() < deadline; };
    for (auto spin_end = Clock::time_point{};;) {
        const std::uint64_t epoch = epoch_.load(std::memory_order_acquire);
        const bool done = is_done();
        const auto now = Clock::now();
        lock_soon(mutex_);
        MutexLock lock(mutex_, std::adopt_lock);
        if (done || now >= deadline) {
            // What this thread would have run next is a worker's again.
            if (!jobs_.empty()) call_workers(1, size_);
            return done;
        }
        if (help_a_job(lock, may_go_on)) {
            spin_end = {};
            continue;
        }
        if (epoch_.load(std::memory_order_acquire) != epoch) continue;
        if (spin_end == Clock::time_point{}) spin_end = now + kSpinTime;
        if (now < spin_end) {
            lock.unlock();
            for (int i = 0; i < 32 && epoch_.load(std::memory_order_relaxed) == epoch; ++i)
                spin_pause();
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
    started_ = sleeping_ = woken_ = sleeping_helpers_ = 0;
    running_.store(0);
    open_jobs_.store(0);
    spinning_.store(0);
    calls_.store(0);
    new (&workers_wake_) Condition;
    new (&helpers_wake_) Condition;
    mutex_.unlock();
}

}  // namespace warpwise
