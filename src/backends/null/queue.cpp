// Queues of the null back end: one thread each, woken through one condition.
#include "src/backends/null/queue.hpp"

#include <chrono>
#include <cstring>
#include <deque>
#include <optional>
#include <thread>
#include <utility>

#include "src/backends/null/control.hpp"
#include "src/base/mutex.hpp"
#include "src/runtime/profile/work_records.hpp"
#include "src/runtime/ranges.hpp"

namespace warpwise::null {
namespace {

using Clock = std::chrono::steady_clock;
using runtime::Wait;

// Where an event was recorded. One for each record().
struct Point {
    bool is_done = false;
    Clock::time_point time{};
    std::uint64_t number = 0;  // of the work that reaches it
};

struct Work {
    std::uint64_t number = 0;
    std::function<void()> run;
    std::shared_ptr<Point> wait_for;      // nothing runs before this is done
    std::shared_ptr<Point> reach;         // done when this work is
    std::optional<ProfileRecord> record;  // for a profile, where one runs
};

struct QueueState {
    int ordinal = 0;
    runtime::QueueOptions options;
    std::uint64_t name = 0;
    std::deque<Work> work;  // the first one stays while it runs
    std::exception_ptr error;
    std::uint64_t error_number = 0;  // of the work that failed
    bool is_closed = false;
};

// All queues share one lock and one condition: simple before fast.
struct Machine {
    Mutex mutex;
    Condition changed;
    int pauses WARPWISE_GUARDED_BY(mutex) = 0;
    std::uint64_t works WARPWISE_GUARDED_BY(mutex) = 0;
    std::uint64_t names WARPWISE_GUARDED_BY(mutex) = 0;
    std::vector<std::weak_ptr<QueueState>> queues WARPWISE_GUARDED_BY(mutex);

    bool may_run(const QueueState& queue, const Work& work) WARPWISE_REQUIRES(mutex);
};

Machine& machine() {
    static Machine* const instance = new Machine;
    return *instance;
}

bool Machine::may_run(const QueueState& queue, const Work& work) {
    if (work.wait_for && !work.wait_for->is_done) return false;
    if (queue.options.non_blocking) return true;
    for (const auto& weak : queues) {
        const auto other = weak.lock();
        if (!other || other.get() == &queue || other->ordinal != queue.ordinal) continue;
        if (other->options.non_blocking || other->work.empty()) continue;
        const bool is_ordered = queue.options.is_default || other->options.is_default;
        if (is_ordered && other->work.front().number < work.number) return false;
    }
    return true;
}

void run_queue(const std::shared_ptr<QueueState>& queue) {
    Machine& m = machine();
    MutexLock lock(m.mutex);
    while (true) {
        const bool has_work = !queue->work.empty();
        if (!has_work && queue->is_closed) return;
        if (!has_work || m.pauses > 0 || !m.may_run(*queue, queue->work.front())) {
            m.changed.wait(lock);
            continue;
        }
        std::function<void()> run = std::move(queue->work.front().run);
        std::optional<ProfileRecord> record = std::move(queue->work.front().record);
        lock.unlock();
        std::exception_ptr error;
        if (record) record->start = runtime::host_now();
        try {
            if (run) run();
            run = nullptr;  // releases what the work kept alive, before it counts as done
        } catch (...) {
            error = std::current_exception();
        }
        if (record) {
            record->duration = runtime::host_now() - record->start;
            record->stream = queue->name;
            log_of(queue->ordinal).add(*std::move(record));
        }
        lock.lock();
        if (error && !queue->error) {
            queue->error = error;
            queue->error_number = queue->work.front().number;
        }
        if (const auto& point = queue->work.front().reach) {
            point->is_done = true;
            point->time = Clock::now();
        }
        queue->work.pop_front();
        m.changed.notify_all();
    }
}

class NullEvent final : public runtime::EventImpl {
  public:
    bool is_done(Wait wait) override {
        Machine& m = machine();
        MutexLock lock(m.mutex);
        if (!point_ || point_->is_done) return true;
        if (wait == Wait::No) return false;
        const auto point = point_;
        m.pauses = 0;
        m.changed.notify_all();
        while (!point->is_done) m.changed.wait(lock);
        return true;
    }

    double milliseconds_until(const EventImpl& end) override {
        MutexLock lock(machine().mutex);
        const auto& last = static_cast<const NullEvent&>(end).point_;
        return std::chrono::duration<double, std::milli>(last->time - point_->time).count();
    }

    std::shared_ptr<Point> point_;  // guarded by the machine's mutex
};

class NullQueue final : public runtime::Queue {
  public:
    explicit NullQueue(std::shared_ptr<QueueState> state) : state_(std::move(state)) {}

    ~NullQueue() override {
        Machine& m = machine();
        MutexLock lock(m.mutex);
        state_->is_closed = true;  // the thread ends when the work has
        m.changed.notify_all();
    }

    void launch(const runtime::Launch& launch) override {
        Call call = start(Call::Kind::Launch);
        call.kernel = launch.kernel->info->signature.symbol;
        call.grid = launch.grid;
        call.block = launch.block;
        call.shared_bytes = launch.dynamic_shared_bytes;
        call.cooperative = launch.cooperative;
        call.arguments.assign(launch.arguments.begin(), launch.arguments.end());
        enter(std::move(call));
        add({.run =
                 [keep_alive = launch.kept()] {
                     if (const auto error = take_launch_error()) std::rethrow_exception(error);
                 },
             .record = if_watched([&] { return runtime::record_of(launch); })});
    }

    void copy(runtime::DeviceAddress destination, runtime::DeviceAddress source, std::size_t bytes,
              runtime::CopyKind kind) override {
        Call call = start(Call::Kind::Copy);
        call.destination = destination;
        call.source = source;
        call.bytes = bytes;
        call.copy_kind = kind;
        enter(std::move(call));
        add({.run =
                 [=] {
                     std::memmove(reinterpret_cast<void*>(destination),
                                  reinterpret_cast<void*>(source), bytes);
                 },
             .record = if_watched([&] { return runtime::record_of_copy(kind, bytes); })});
    }

    void fill(runtime::DeviceAddress destination, std::uint64_t pattern, std::size_t pattern_bytes,
              std::size_t count) override {
        Call call = start(Call::Kind::Fill);
        call.destination = destination;
        call.pattern = pattern;
        call.pattern_bytes = pattern_bytes;
        call.bytes = pattern_bytes * count;
        enter(std::move(call));
        auto record = if_watched([&] { return runtime::record_of_fill(pattern_bytes * count); });
        add({.run =
                 [=] {
                     auto* const to = reinterpret_cast<std::byte*>(destination);
                     for (std::size_t i = 0; i < count; ++i) {
                         std::memcpy(to + i * pattern_bytes, &pattern, pattern_bytes);
                     }
                 },
             .record = std::move(record)});
    }

    void record(runtime::EventImpl& event) override {
        enter(start(Call::Kind::Record));
        auto point = std::make_shared<Point>();
        add({.reach = point});
        MutexLock lock(machine().mutex);
        static_cast<NullEvent&>(event).point_ = std::move(point);
    }

    void wait(runtime::EventImpl& event) override {
        enter(start(Call::Kind::Wait));
        std::shared_ptr<Point> point;
        {
            MutexLock lock(machine().mutex);
            point = static_cast<NullEvent&>(event).point_;
        }
        if (point) add({.wait_for = std::move(point)});
    }

    void call_host(std::function<void()> function) override {
        enter(start(Call::Kind::CallHost));
        add({.run = std::move(function)});
    }

    using runtime::Queue::is_done;

    bool is_done(Wait wait, const runtime::EventImpl* until) override {
        Machine& m = machine();
        MutexLock lock(m.mutex);
        // What is given while we wait is not waited for.
        std::uint64_t last = m.works;
        if (until != nullptr) {
            const auto& point = static_cast<const NullEvent*>(until)->point_;
            last = point ? point->number : 0;
        }
        const auto has_ended = [&] {
            return state_->work.empty() || state_->work.front().number > last;
        };
        if (wait == Wait::Yes && !has_ended()) {
            m.pauses = 0;
            m.changed.notify_all();
            while (!has_ended()) m.changed.wait(lock);
        }
        if (!has_ended()) return false;
        if (state_->error && state_->error_number <= last) {
            std::rethrow_exception(std::exchange(state_->error, nullptr));
        }
        return true;
    }

  private:
    Call start(Call::Kind kind) const {
        return {.kind = kind, .ordinal = state_->ordinal, .queue = state_->name};
    }

    template <class Describe>
    std::optional<ProfileRecord> if_watched(Describe&& describe) const {
        if (!log_of(state_->ordinal).is_on()) return std::nullopt;
        return describe();
    }

    void add(Work work) {
        Machine& m = machine();
        MutexLock lock(m.mutex);
        work.number = ++m.works;
        if (work.reach) work.reach->number = work.number;
        state_->work.push_back(std::move(work));
        m.changed.notify_all();
    }

    const std::shared_ptr<QueueState> state_;
};

}  // namespace

runtime::WorkLog& log_of(int ordinal) {
    static auto* const logs = new runtime::WorkLog[kDeviceCount];
    return logs[ordinal];
}

Pause::Pause() {
    Machine& m = machine();
    MutexLock lock(m.mutex);
    ++m.pauses;
}

Pause::~Pause() {
    Machine& m = machine();
    MutexLock lock(m.mutex);
    if (m.pauses > 0) --m.pauses;
    m.changed.notify_all();
}

std::unique_ptr<runtime::Queue> make_queue(int ordinal, const runtime::QueueOptions& options) {
    enter({.kind = Call::Kind::MakeQueue, .ordinal = ordinal});
    auto state = std::make_shared<QueueState>();
    state->ordinal = ordinal;
    state->options = options;
    Machine& m = machine();
    {
        MutexLock lock(m.mutex);
        state->name = ++m.names;
        std::erase_if(m.queues, [](const auto& weak) { return weak.expired(); });
        m.queues.push_back(state);
    }
    auto queue = std::make_unique<NullQueue>(state);
    std::thread(run_queue, std::move(state)).detach();
    return queue;
}

std::unique_ptr<runtime::EventImpl> make_event() {
    return std::make_unique<NullEvent>();
}

}  // namespace warpwise::null
