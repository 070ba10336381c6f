// Persistent worker threads that run jobs piece by piece, and threads that help them while they
// wait.
//
// A Job is a range of numbered pieces. Threads join a job under the pool's lock and then claim
// pieces from it without one, in ascending order, in chunks whose size follows the measured time of
// a piece, so that a claim costs nothing beside the work and a chunk stays short (about
// kChunkTime). Invariant: when piece n starts, every lower piece has been claimed. At most size()
// threads run pieces at a time, helpers first. A job with work for many wakes few: each that joins
// wakes two more.
//
// Workers start at the first submit(). After fork() the child begins with no workers and no jobs;
// its first submit() starts new ones.
//
// Threading: every function may be called from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>

#include "src/base/mutex.hpp"

namespace warpwise {

// Starts a detached thread that leaves asynchronous signals (Ctrl-C) to the program's own threads.
// Throws std::system_error when the system has no thread left.
void start_thread_with_signals_blocked(std::function<void()> body);

class ThreadPool {
  public:
    using Clock = std::chrono::steady_clock;

    class Job {
      public:
        virtual ~Job() = default;
        // Runs pieces [begin, end). Called by several threads at once for different ranges.
        virtual void run(std::uint64_t begin, std::uint64_t end) noexcept = 0;
        // The last call: all claimed pieces have been run. May delete the job.
        virtual void finished() noexcept = 0;
        // The next piece, for a thread in run() that cannot end its own before another has begun.
        // False when all are claimed.
        bool claim(std::uint64_t& piece) noexcept;

      private:
        friend class ThreadPool;
        // How many threads may join: one; all but one, since the thread that waits for the job
        // joins by itself; all. A small job whose pieces are slow and a fresh one after its first
        // chunk are for all.
        enum class Crowd : std::uint8_t { One, AllButOne, All };

        std::atomic<std::uint64_t> next_ = 0;  // first piece not claimed yet
        std::uint64_t end_ = 0;
        std::atomic<std::uint64_t> chunk_ = 1;
        std::atomic<Crowd> crowd_ = Crowd::All;
        unsigned members_ = 0;    // threads that have joined; guarded by the pool
        bool is_listed_ = false;  // in jobs_; likewise
    };

    explicit ThreadPool(unsigned size);
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    unsigned size() const noexcept { return size_; }

    // pieces > 0. The job lives until finished(). `is_small`: not worth waking more than one thread
    // for, unless a piece turns out to be slow.
    void submit(Job& job, std::uint64_t pieces, bool is_small = false);

    // The calling thread runs pieces of any job, or sleeps, until is_done() or the time is over;
    // returns is_done(). is_done() is called without a lock and must be cheap; whoever makes it
    // true calls notify_helpers() afterwards.
    bool help_until(const std::function<bool()>& is_done, Clock::time_point deadline);
    void notify_helpers();

    // Called around fork() in a process that uses this pool (see scheduler of the CPU back end).
    void before_fork() WARPWISE_ACQUIRE(mutex_);
    void after_fork_in_parent() WARPWISE_RELEASE(mutex_);
    void after_fork_in_child() WARPWISE_RELEASE(mutex_);

  private:
    void start_workers() WARPWISE_REQUIRES(mutex_);
    // These drop and retake the lock they hold, which clang's analysis cannot follow.
    void work() WARPWISE_NO_THREAD_SAFETY_ANALYSIS;
    template <class MayGoOn>
    bool help_a_job(MutexLock& lock, const MayGoOn& may_go_on) WARPWISE_NO_THREAD_SAFETY_ANALYSIS;
    Job* join() WARPWISE_REQUIRES(mutex_);
    void unlist(Job& job) WARPWISE_REQUIRES(mutex_);
    bool run_chunk(Job& job) const noexcept;
    void call_workers(unsigned count, unsigned most) WARPWISE_REQUIRES(mutex_);
    bool spin_for_call() noexcept;

    const unsigned size_;
    Mutex mutex_;
    Condition workers_wake_;
    Condition helpers_wake_;
    std::deque<Job*> jobs_
        WARPWISE_GUARDED_BY(mutex_);  // those with unclaimed pieces, as far as known
    unsigned started_ WARPWISE_GUARDED_BY(mutex_) = 0;
    unsigned sleeping_ WARPWISE_GUARDED_BY(mutex_) = 0;
    unsigned woken_ WARPWISE_GUARDED_BY(mutex_) = 0;  // of the sleeping, those on their way
    unsigned sleeping_helpers_ WARPWISE_GUARDED_BY(mutex_) = 0;
    std::atomic<unsigned> running_ = 0;       // threads that have joined a job
    std::atomic<std::uint64_t> epoch_ = 0;    // counts notify_helpers()
    std::atomic<std::size_t> open_jobs_ = 0;  // jobs_.size()
    std::atomic<unsigned> spinning_ = 0;
    std::atomic<unsigned> calls_ = 0;  // for spinning workers: so many are to look for work
};

}  // namespace warpwise
