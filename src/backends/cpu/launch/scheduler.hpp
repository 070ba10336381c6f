// The streams of the CPU device: which command may start when, who runs it, who waits for it.
//
// Invariants: a queue runs one command at a time, first in first out. A command of a default queue
// starts when all earlier commands of blocking queues have ended, and the other way round
// (CUDA's legacy default stream). One lock guards all queues; nothing outside this component is
// called under it, and commands are destroyed after it has been released.
//
// Threading: every function may be called from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "src/backends/cpu/execute/kernel_output.hpp"
#include "src/backends/cpu/launch/command.hpp"
#include "src/backends/cpu/launch/host_thread.hpp"
#include "src/backends/cpu/launch/poll_thread.hpp"
#include "src/base/hooks/interrupt.hpp"
#include "src/base/mutex.hpp"
#include "src/base/thread_pool.hpp"
#include "src/runtime/backend.hpp"
#include "src/runtime/profile/work_log.hpp"

namespace warpwise::cpu {

// One stream. All but the two counters belong to the scheduler's lock.
struct QueueState {
    QueueState(const runtime::QueueOptions& queue_options, std::uint64_t queue_number)
        : options(queue_options), number(queue_number) {}

    const runtime::QueueOptions options;
    const std::uint64_t number;     // from 1, in the order they were made
    std::deque<Command*> commands;  // owned; the first one runs when is_active
    bool is_active = false;
    bool is_abandoned = false;  // its CpuQueue is gone: forgotten once empty
    std::exception_ptr error;   // the first since the last wait
    std::uint64_t error_sequence = 0;
    std::atomic<std::uint64_t> submitted = 0;  // sequence number of the last command given
    std::atomic<std::uint64_t> completed = 0;  // ... of the last command ended
};

class Scheduler {
  public:
    explicit Scheduler(ThreadPool& pool);
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;

    std::shared_ptr<QueueState> add_queue(const runtime::QueueOptions& options);
    // Lets what is queued run to its end, then forgets the queue.
    void abandon_queue(const std::shared_ptr<QueueState>& queue) noexcept;

    void submit(QueueState& queue, std::unique_ptr<Command> command);
    // The same; the calling thread runs it at once where the queue has nothing to do.
    void run_or_submit(QueueState& queue, std::unique_ptr<Command> command);
    // The calling thread runs the command, which is lent, where the queue has nothing to do and
    // waits for no other one. False, and nothing has happened, where that is not so.
    bool try_to_run(QueueState& queue, Command& command);
    void record(QueueState& queue, const std::shared_ptr<EventState>& event);
    void wait_for(QueueState& queue, const std::shared_ptr<EventState>& event);

    // The calling thread helps until is_done(), hands out kernel output and asks the interrupt
    // handler now and then: throws Interrupted when that requires it. What this process ends is
    // seen at once, what another one does after `period`.
    void wait(const std::function<bool()>& is_done,
              std::chrono::microseconds period = kInterruptPeriod);
    // The queue's first error if it belongs to a command up to `sequence`; it is then forgotten.
    std::exception_ptr take_error(QueueState& queue, std::uint64_t sequence);
    double milliseconds_between(const EventState& start, const EventState& end);

    // For commands only.
    void complete(Command& command) noexcept;
    // Pieces of one whose first ones have ended.
    void submit_more(Command& command);
    OutputQueue& output() noexcept { return output_; }
    // For profiles.
    runtime::WorkLog& log() noexcept { return log_; }

    // Around fork(); the child keeps its queues, empty and idle.
    void before_fork() WARPWISE_NO_THREAD_SAFETY_ANALYSIS;
    void after_fork_in_parent() WARPWISE_NO_THREAD_SAFETY_ANALYSIS;
    void after_fork_in_child() WARPWISE_NO_THREAD_SAFETY_ANALYSIS;

  private:
    // Commands that have ended, deleted at the end of its life: declare it before the lock.
    class Retired;
    // Asks about Ctrl-C for a thread that waits, also while it is inside a kernel.
    class Asking;

    void append(QueueState& queue, Command* command) WARPWISE_REQUIRES(mutex_);
    void enqueue(QueueState& queue, Command* command, Retired& retired) WARPWISE_REQUIRES(mutex_);
    // Whether queues that this one is ordered with have commands.
    bool has_rivals(const QueueState& queue) const WARPWISE_REQUIRES(mutex_);
    bool may_start(const QueueState& queue) const WARPWISE_REQUIRES(mutex_);
    // The command at its head runs.
    void activate(QueueState& queue) WARPWISE_REQUIRES(mutex_);
    bool advance(QueueState& queue, Retired& retired) WARPWISE_REQUIRES(mutex_);
    void advance_all(Retired& retired) WARPWISE_REQUIRES(mutex_);
    void note(const Command& command) noexcept;
    void end_front(QueueState& queue, Retired& retired) WARPWISE_REQUIRES(mutex_);
    void count(const QueueState& queue, int change) WARPWISE_REQUIRES(mutex_);
    void drop_waiting(QueueState& queue, Retired& retired) WARPWISE_REQUIRES(mutex_);
    void interrupt();
    void stop_all();
    bool watch();
    bool expire_late();
    bool pass_shared_events();
    void deliver_output();

    ThreadPool& pool_;
    HostThread host_thread_;
    OutputQueue output_;
    runtime::WorkLog log_;
    InlineMutex mutex_;
    std::vector<std::shared_ptr<QueueState>> queues_ WARPWISE_GUARDED_BY(mutex_);
    std::uint64_t last_queue_ WARPWISE_GUARDED_BY(mutex_) = 0;
    std::uint64_t last_order_ WARPWISE_GUARDED_BY(mutex_) = 0;
    // Unended commands by class: while one class has none, the default order costs nothing.
    std::uint64_t default_pending_ WARPWISE_GUARDED_BY(mutex_) = 0;
    std::uint64_t blocking_pending_ WARPWISE_GUARDED_BY(mutex_) = 0;
    std::atomic<std::uint64_t> active_ = 0;   // commands running
    std::atomic<std::uint64_t> waiting_ = 0;  // threads in wait()
    std::atomic<bool> has_limits_ = false;    // a queue has had a time limit
    PollThread watch_{kInterruptPeriod, [this] { return watch(); }};
    PollThread shared_events_{kSharedEventPeriod, [this] { return pass_shared_events(); }};
};

}  // namespace warpwise::cpu
