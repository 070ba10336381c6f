// Persistent worker threads that run jobs piece by piece, and threads that help them while they
// wait.
//
// A Job is a range of numbered pieces. Its members claim them in chunks that shrink towards the end
// and are long enough, as far as the time of a piece is known, for a claim to cost nothing beside
// the work. Pieces that may wait for lower ones are claimed in ascending order: when piece n
// starts, every lower piece has been claimed. Of others each worker gets the same part of every
// job, as far as it can: see workers/claim_ranges.hpp.
//
// A job has as many members as pay. The first, a worker or a thread that waits, runs it alone when
// the forecast is some microseconds; calls others when it takes longer, those that
// still spin after their last work first, in a tree; and reconsiders after each chunk. What takes
// longer than forecast gets more members, so a wrong forecast costs no more than one chunk.
//
// A job that is submitted from finished() of another one is run by the same thread at once: a chain
// of short jobs stays on one core.
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
#include <memory>
#include <vector>

#include "src/base/mutex.hpp"
#include "src/base/workers/claim_ranges.hpp"
#include "src/base/workers/worker_slots.hpp"

namespace warpwise {

// Starts a detached thread that leaves asynchronous signals (Ctrl-C) to the program's own threads.
// Throws std::system_error when the system has no thread left.
void start_thread_with_signals_blocked(std::function<void()> body);
// Whether the calling thread was started so.
bool is_library_thread() noexcept;

class ThreadPool {
  public:
    using Clock = std::chrono::steady_clock;

    // In which pieces are claimed.
    enum class Order : std::uint8_t { Ascending, Any };

    class Job {
      public:
        virtual ~Job() = default;
        // Runs pieces [begin, end). Called by several threads at once for different ranges.
        virtual void run(std::uint64_t begin, std::uint64_t end) noexcept = 0;
        // The last call: all claimed pieces have been run. May delete the job.
        virtual void finished() noexcept = 0;
        // The next piece, for a thread in run() that cannot end its own before another has begun.
        // False when all are claimed, and for jobs whose pieces are in any order.
        bool claim(std::uint64_t& piece) noexcept;
        // In finished(): how long a piece has taken, in nanoseconds, and whether one thread ran
        // all.
        double piece_time() const noexcept;
        bool was_alone() const noexcept { return wanted_.load(std::memory_order_relaxed) <= 1; }

      private:
        friend class ThreadPool;

        bool is_claimed() const noexcept { return next_.load(std::memory_order_seq_cst) >= end_; }

        // The first piece not claimed yet; with ranges, how many are claimed.
        alignas(64) std::atomic<std::uint64_t> next_ = 0;
        std::uint64_t end_ = 0;
        Order order_ = Order::Ascending;
        ClaimRanges* ranges_ = nullptr;  // set by a member that is alone
        // Nanoseconds of a piece, as forecast and as measured since; 0: unknown.
        alignas(64) std::atomic<float> forecast_ = 0;
        std::atomic<unsigned> wanted_ = 0;  // members that pay; 0: not considered yet
        // Threads that may touch the job; those called count before they come.
        alignas(64) std::atomic<unsigned> members_ = 0;
        std::atomic<bool> is_listed_ = false;
        std::atomic<std::uint64_t> busy_ = 0;  // nanoseconds in run(), of members that have left
    };

    // No more than `width` members a job: the processors there are, where these are fewer than the
    // workers.
    explicit ThreadPool(unsigned size, unsigned width = ~0u);
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    unsigned size() const noexcept { return slots_.size(); }

    // pieces > 0. The job lives until finished(). `forecast`: nanoseconds that a piece may take; 0
    // where it is unknown, and then all workers are called.
    void submit(Job& job, std::uint64_t pieces, double forecast = 0,
                Order order = Order::Ascending);

    // The calling thread runs pieces of any job, or sleeps, until is_done() or the time is over;
    // returns is_done(). is_done() is called by other threads as well, with and without a lock of
    // the pool, and must be cheap; the thread that makes it true calls notify_helpers() afterwards.
    bool help_until(const std::function<bool()>& is_done, Clock::time_point deadline);
    void notify_helpers();

    // Called around fork() in a process that uses this pool (see scheduler of the CPU back end).
    void before_fork() WARPWISE_ACQUIRE(mutex_);
    void after_fork_in_parent() WARPWISE_RELEASE(mutex_);
    void after_fork_in_child() WARPWISE_RELEASE(mutex_);

  private:
    // A thread in a job.
    struct Member {
        Job& job;
        unsigned worker = kNoWorker;  // its number
        WorkerSlots::Called called{};
        std::uint64_t busy = 0;  // nanoseconds
        bool may_fill = false;   // the place that the first member has left open
        // With ranges: whether it has looked for one of its own, which, and whether all are empty.
        bool has_looked = false;
        unsigned range = ClaimRanges::kNone;
        bool is_done = false;
    };
    static constexpr unsigned kNoWorker = ~0u;
    // A thread that sleeps in help_until().
    struct Sleeper {
        const std::function<bool()>& is_done;
        Condition wake{};
        bool is_called = false;
    };
    // Of a thread in finished(): the job that it runs next.
    struct Succession {
        const ThreadPool* pool = nullptr;
        Job* next = nullptr;
    };
    static Succession& succession() noexcept;

    void start_workers() WARPWISE_REQUIRES(mutex_);
    void work(unsigned worker);
    void enlist(Job& job);
    void list(Job& job) WARPWISE_REQUIRES(mutex_);
    void unlist(Job& job) WARPWISE_REQUIRES(mutex_);
    void count_jobs() WARPWISE_REQUIRES(mutex_);
    Job* join_listed();
    void call_someone();
    bool sleep_until(const std::function<bool()>& is_done, Clock::time_point deadline);

    // Runs chunks until all are claimed or may_go_on() returns false. Returns the job to run next.
    template <class MayGoOn>
    Job* take_part(Job& job, unsigned worker, const WorkerSlots::Task& task,
                   const MayGoOn& may_go_on);
    template <class MayGoOn>
    void run_chunks(Member& member, const MayGoOn& may_go_on);
    static bool claim_chunk(Member& member, std::uint64_t& begin, std::uint64_t& end) noexcept;
    static bool claim_in_order(Job& job, std::uint64_t& begin, std::uint64_t& end) noexcept;
    static bool claim_of_ranges(Member& member, std::uint64_t& begin, std::uint64_t& end) noexcept;
    void split_into_ranges(Job& job, unsigned members) noexcept;
    static void learn(Job& job, std::uint64_t pieces, double nanoseconds) noexcept;
    unsigned members_worth(std::uint64_t pieces, double forecast) const noexcept;
    void call_first_members(Member& member);
    void reconsider(Member& member);
    bool take_open_place(Job& job);
    unsigned call_members(Member& member, const WorkerSlots::Task& task) noexcept;
    void call_members(Member& member, unsigned count, double time);
    void open_places(Job& job);
    bool leave_open(Member& member);
    Job* leave(Member& member);
    Job* finish(Job& job);

    const unsigned width_;
    WorkerSlots slots_;
    std::vector<std::unique_ptr<ClaimRanges>> ranges_;
    Mutex mutex_;
    // Jobs with unclaimed pieces that lack members, as far as known.
    std::deque<Job*> jobs_ WARPWISE_GUARDED_BY(mutex_);
    std::vector<Sleeper*> sleeping_ WARPWISE_GUARDED_BY(mutex_);
    unsigned started_ WARPWISE_GUARDED_BY(mutex_) = 0;
    alignas(64) std::atomic<unsigned> open_jobs_ = 0;       // jobs_.size()
    std::atomic<unsigned> waiting_jobs_ = 0;                // of these, without a member
    alignas(64) std::atomic<unsigned> sleeping_count_ = 0;  // sleeping_.size()
};

}  // namespace warpwise
