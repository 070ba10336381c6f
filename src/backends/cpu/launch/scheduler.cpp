// Starting, ending and dropping commands.
#include "src/backends/cpu/launch/scheduler.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "src/backends/cpu/execute/executor.hpp"
#include "src/backends/cpu/execute/pauses.hpp"
#include "src/base/hooks/interrupt.hpp"
#include "src/runtime/ranges.hpp"
#include "src/runtime/stream/output.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu {
namespace {

using std::chrono::milliseconds;

// How long an interrupted wait gives running blocks to end before it returns to the user.
constexpr auto kInterruptGrace = milliseconds(500);
// How often they are made to pause meanwhile.
constexpr auto kPausePeriod = milliseconds(10);

// Whether the calling thread may run the queue's next command itself.
bool is_free(const QueueState& queue) {
    return queue.commands.empty() && queue.options.time_limit.count() == 0;
}

}  // namespace

class Scheduler::Asking final : public PausePoll {
  public:
    explicit Asking(Scheduler& scheduler) : scheduler_(scheduler) { ++scheduler_.waiting_; }
    ~Asking() override { --scheduler_.waiting_; }

    void poll() override {
        if (is_interrupted_ || !interrupt_requested()) return;
        is_interrupted_ = true;
        scheduler_.stop_all();
    }
    bool was_interrupted() const noexcept { return is_interrupted_; }
    bool is_interrupted() {
        poll();
        return is_interrupted_;
    }

  private:
    Scheduler& scheduler_;
    bool is_interrupted_ = false;
};

class Scheduler::Retired {
  public:
    Retired() = default;
    Retired(const Retired&) = delete;
    Retired& operator=(const Retired&) = delete;
    ~Retired() {
        while (first_ != nullptr) delete std::exchange(first_, first_->next_retired);
    }
    void add(Command* command) noexcept {
        command->next_retired = first_;
        first_ = command;
    }

  private:
    Command* first_ = nullptr;
};

// What before_fork() locks is made here, not by the first thread that uses it.
Scheduler::Scheduler(ThreadPool& pool) : pool_(pool) {
    KernelThreads::instance();
}

std::shared_ptr<QueueState> Scheduler::add_queue(const runtime::QueueOptions& options) {
    const InlineLock lock(mutex_);
    auto queue = std::make_shared<QueueState>(options, ++last_queue_);
    queues_.push_back(queue);
    if (options.time_limit.count() > 0) has_limits_ = true;
    return queue;
}

void Scheduler::abandon_queue(const std::shared_ptr<QueueState>& queue) noexcept {
    const InlineLock lock(mutex_);
    queue->is_abandoned = true;
    if (queue->commands.empty()) std::erase(queues_, queue);
}

void Scheduler::count(const QueueState& queue, int change) {
    if (queue.options.is_default) {
        default_pending_ += change;
    } else if (!queue.options.non_blocking) {
        blocking_pending_ += change;
    }
}

void Scheduler::activate(QueueState& queue) {
    queue.is_active = true;
    active_.fetch_add(1, std::memory_order_relaxed);
}

void Scheduler::append(QueueState& queue, Command* command) {
    command->scheduler = this;
    command->queue = &queue;
    const bool has_limit = queue.options.time_limit.count() > 0;
    command->is_watched = log_.is_on();
    command->is_timed = command->is_watched || has_limit;
    if (has_limit) watch_.wake();
    command->order = ++last_order_;
    command->sequence = queue.submitted.load(std::memory_order_relaxed) + 1;
    queue.commands.push_back(command);
    queue.submitted.store(command->sequence, std::memory_order_release);
    count(queue, 1);
}

void Scheduler::enqueue(QueueState& queue, Command* command, Retired& retired) {
    append(queue, command);
    if (queue.commands.size() == 1 && advance(queue, retired)) advance_all(retired);
}

void Scheduler::submit(QueueState& queue, std::unique_ptr<Command> command) {
    if (command->kind() == Command::Kind::Host) host_thread_.start();
    Retired retired;
    const InlineLock lock(mutex_);
    enqueue(queue, command.release(), retired);
}

void Scheduler::run_or_submit(QueueState& queue, std::unique_ptr<Command> command) {
    Command* const mine = command.release();
    {
        Retired retired;
        const InlineLock lock(mutex_);
        if (!is_free(queue)) return enqueue(queue, mine, retired);
        append(queue, mine);
        if (!may_start(queue)) return;
        activate(queue);
    }
    mine->run_here();
}

bool Scheduler::try_to_run(QueueState& queue, Command& command) {
    {
        const InlineLock lock(mutex_);
        if (!is_free(queue) || has_rivals(queue)) return false;
        append(queue, &command);
        activate(queue);
    }
    command.run_here();
    return true;
}

void Scheduler::record(QueueState& queue, const std::shared_ptr<EventState>& event) {
    Retired retired;
    const InlineLock lock(mutex_);
    const std::uint64_t count = event->recorded.fetch_add(1) + 1;
    auto command = std::make_unique<RecordCommand>(event, count);
    event->sequence.store(queue.submitted.load() + 1);
    enqueue(queue, command.release(), retired);
}

void Scheduler::wait_for(QueueState& queue, const std::shared_ptr<EventState>& event) {
    Retired retired;
    const InlineLock lock(mutex_);
    auto command = std::make_unique<WaitCommand>(event, event->recorded.load());
    if (command->is_ready() && queue.commands.empty()) return;
    enqueue(queue, command.release(), retired);
    if (event->is_shared) shared_events_.wake();
}

// Whether the default-stream order lets the head of `queue` start.
bool Scheduler::has_rivals(const QueueState& queue) const {
    if (queue.options.is_default) return blocking_pending_ > 0;
    return !queue.options.non_blocking && default_pending_ > 0;
}

bool Scheduler::may_start(const QueueState& queue) const {
    if (!has_rivals(queue)) return true;
    const std::uint64_t order = queue.commands.front()->order;
    return std::none_of(queues_.begin(), queues_.end(), [&](const auto& other) {
        const bool is_ordered = other->options.is_default
                                    ? !queue.options.is_default
                                    : queue.options.is_default && !other->options.non_blocking;
        return is_ordered && !other->commands.empty() && other->commands.front()->order < order;
    });
}

// Starts what can be started at the head of `queue`; true when commands have ended meanwhile.
bool Scheduler::advance(QueueState& queue, Retired& retired) {
    bool has_ended = false;
    while (!queue.is_active && !queue.commands.empty()) {
        Command& command = *queue.commands.front();
        if (!may_start(queue) || !command.is_ready()) break;
        if (command.kind() == Command::Kind::Point) {
            command.reach();
            if (command.is_watched) [[unlikely]]
                note(command);
            end_front(queue, retired);
            has_ended = true;
            continue;
        }
        activate(queue);
        if (command.kind() == Command::Kind::Host) {
            host_thread_.push(command);
        } else {
            pool_.submit(command, command.pieces(), command.forecast(), command.order_of_pieces());
        }
    }
    return has_ended;
}

void Scheduler::advance_all(Retired& retired) {
    for (bool has_ended = true; has_ended;) {
        has_ended = false;
        for (const auto& queue : queues_) has_ended |= advance(*queue, retired);
    }
}

void Scheduler::end_front(QueueState& queue, Retired& retired) {
    Command* command = queue.commands.front();
    queue.commands.pop_front();
    count(queue, -1);
    queue.completed.store(command->sequence, std::memory_order_release);
    if (!command->is_lent) retired.add(command);
}

void Scheduler::submit_more(Command& command) {
    pool_.submit(command, command.pieces(), command.forecast(), command.order_of_pieces());
}

// Called where nothing may be thrown: what there is no memory for is not in the profile.
void Scheduler::note(const Command& command) noexcept {
    try {
        ProfileRecord record;
        if (!command.describe(record)) return;
        record.start = command.start();
        record.duration = runtime::host_now() - record.start;
        record.stream = command.queue->number;
        log_.add(std::move(record));
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
    }
}

void Scheduler::complete(Command& command) noexcept {
    if (command.is_watched) [[unlikely]]
        note(command);
    std::exception_ptr error = command.take_error();
    command.release_resources();
    {
        Retired retired;
        const InlineLock lock(mutex_);
        QueueState& queue = *command.queue;
        if (error && !queue.error) {
            queue.error = std::move(error);
            queue.error_sequence = command.sequence;
        }
        end_front(queue, retired);
        queue.is_active = false;
        active_.fetch_sub(1, std::memory_order_relaxed);
        advance_all(retired);
        if (queue.is_abandoned && queue.commands.empty()) {
            std::erase_if(queues_, [&](const auto& other) { return other.get() == &queue; });
        }
    }
    pool_.notify_helpers();
}

void Scheduler::deliver_output() {
    if (!output_.is_empty()) runtime::write_output(output_.take());
}

void Scheduler::wait(const std::function<bool()>& is_done, std::chrono::microseconds period) {
    Executor::arrive_from_program();
    if (is_done()) return deliver_output();
    Asking asking(*this);
    watch_.wake();
    const auto is_done_or_loud = [&] { return is_done() || output_.has_much(); };
    for (;;) {
        const auto deadline = ThreadPool::Clock::now() + period;
        const bool has_ended = is_done();
        if (!has_ended) pool_.help_until(is_done_or_loud, deadline);
        deliver_output();
        // What was interrupted inside of a kernel may have ended for that reason.
        if (!asking.was_interrupted() && (has_ended || is_done())) break;
        if (asking.is_interrupted()) {
            interrupt();
            deliver_output();
            throw Interrupted(
                "interrupted: running kernels were stopped, queued work was dropped; the device "
                "can be used again");
        }
    }
    deliver_output();
}

void Scheduler::drop_waiting(QueueState& queue, Retired& retired) {
    if (queue.commands.empty()) return;
    Command* running = queue.is_active ? queue.commands.front() : nullptr;
    for (Command* command : queue.commands) {
        if (command == running) continue;
        command->drop();
        count(queue, -1);
        retired.add(command);
    }
    queue.commands.clear();
    const std::uint64_t last = queue.submitted.load();
    if (running == nullptr) {
        queue.completed.store(last, std::memory_order_release);
        return;
    }
    queue.commands.push_back(running);
    running->sequence = last;  // who waits for what was dropped waits for this one
    running->stop();
}

// Queued work is dropped, running grids start no more blocks.
void Scheduler::stop_all() {
    Retired retired;
    const InlineLock lock(mutex_);
    for (const auto& queue : queues_) drop_waiting(*queue, retired);
}

// After stop_all(): makes running blocks end.
void Scheduler::interrupt() {
    pool_.notify_helpers();
    const auto end = ThreadPool::Clock::now() + kInterruptGrace;
    const auto is_idle = [this] { return active_.load() == 0; };
    do {
        KernelThreads::instance().pause_all();
    } while (!pool_.help_until(is_idle, ThreadPool::Clock::now() + kPausePeriod) &&
             ThreadPool::Clock::now() < end);
}

// Expires what has run for too long; whether there is such a command.
bool Scheduler::expire_late() {
    bool is_any_late = false;
    const std::int64_t now = runtime::host_now();
    const InlineLock lock(mutex_);
    for (const auto& queue : queues_) {
        const auto limit = queue->options.time_limit;
        if (!queue->is_active || limit.count() == 0) continue;
        Command& command = *queue->commands.front();
        const std::chrono::nanoseconds run(now - command.start());
        if (command.start() == 0 || run < limit) continue;
        command.expire(limit);
        is_any_late = true;
    }
    return is_any_late;
}

bool Scheduler::watch() {
    const bool has_limits = has_limits_.load();
    if (waiting_.load() == 0 && !(has_limits && active_.load() > 0)) return false;
    KernelThreads& threads = KernelThreads::instance();
    has_limits&& expire_late() ? threads.pause_all() : threads.pause_slow();
    return true;
}

// Starts what waited for events of other processes; whether a queue still waits for one.
bool Scheduler::pass_shared_events() {
    bool is_waiting = false;
    {
        Retired retired;
        const InlineLock lock(mutex_);
        advance_all(retired);
        for (const auto& queue : queues_) {
            is_waiting |= !queue->commands.empty() && queue->commands.front()->awaits_process();
        }
    }
    pool_.notify_helpers();
    return is_waiting;
}

std::exception_ptr Scheduler::take_error(QueueState& queue, std::uint64_t sequence) {
    const InlineLock lock(mutex_);
    if (!queue.error || queue.error_sequence > sequence) return nullptr;
    return std::exchange(queue.error, nullptr);
}

double Scheduler::milliseconds_between(const EventState& start, const EventState& end) {
    const InlineLock lock(mutex_);
    return std::chrono::duration<double, std::milli>(end.time - start.time).count();
}

void Scheduler::before_fork() {
    mutex_.lock();
    watch_.before_fork();
    shared_events_.before_fork();
    host_thread_.before_fork();
    KernelThreads::instance().before_fork();
    pool_.before_fork();
    output_.mutex().lock();
}

void Scheduler::after_fork_in_parent() {
    output_.mutex().unlock();
    pool_.after_fork_in_parent();
    KernelThreads::instance().after_fork_in_parent();
    host_thread_.after_fork_in_parent();
    shared_events_.after_fork_in_parent();
    watch_.after_fork_in_parent();
    mutex_.unlock();
}

void Scheduler::after_fork_in_child() {
    // The parent's threads still run these commands, over there. Here they are forgotten, not
    // destroyed: state of other threads depends on them.
    for (const auto& queue : queues_) {
        for (Command* command : queue->commands) {
            if (!command->is_seen_by_processes()) command->drop();
        }
        queue->commands.clear();
        queue->is_active = false;
        queue->error = nullptr;
        queue->completed.store(queue->submitted.load());
    }
    std::erase_if(queues_, [](const auto& queue) { return queue->is_abandoned; });
    default_pending_ = blocking_pending_ = 0;
    active_.store(0);
    waiting_.store(0);
    output_.mutex().unlock();
    output_.take();
    pool_.after_fork_in_child();
    KernelThreads::instance().after_fork_in_child();
    host_thread_.after_fork_in_child();
    shared_events_.after_fork_in_child();
    watch_.after_fork_in_child();
    mutex_.unlock();
}

}  // namespace warpwise::cpu
