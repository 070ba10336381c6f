// One lock and one condition for all streams.
#include "tests/unit/backends/cuda/fake_machine.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace warpwise::cuda::fake {

struct Work {
    std::uint64_t order;
    std::function<void()> run;       // without the lock
    std::function<bool()> is_ready;  // under it
    std::function<void()> reach;     // under it, when it is done
};

struct Stream {
    Order order;
    std::deque<Work> work;  // the first one stays while it runs
    bool is_closed = false;
};

namespace {

struct Machine {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<Stream*> streams;
    std::uint64_t works = 0;

    bool may_run(const Stream& stream) const {
        const Work& first = stream.work.front();
        if (first.is_ready && !first.is_ready()) return false;
        if (stream.order == Order::NonBlocking) return true;
        const Order other = stream.order == Order::Legacy ? Order::Blocking : Order::Legacy;
        return std::ranges::none_of(streams, [&](const Stream* one) {
            return one->order == other && !one->work.empty() &&
                   one->work.front().order < first.order;
        });
    }
};

Machine& machine() {
    static auto* const instance = new Machine;
    return *instance;
}

void run(Stream* stream) {
    Machine& all = machine();
    std::unique_lock lock(all.mutex);
    for (;;) {
        all.changed.wait(
            lock, [&] { return stream->work.empty() ? stream->is_closed : all.may_run(*stream); });
        if (stream->work.empty()) break;
        const Work& work = stream->work.front();
        if (work.run) {
            lock.unlock();
            work.run();
            lock.lock();
        }
        if (work.reach) work.reach();
        stream->work.pop_front();
        all.changed.notify_all();
    }
    std::erase(all.streams, stream);
    delete stream;
}

void add(Stream* stream, Work work) {
    Machine& all = machine();
    const std::lock_guard lock(all.mutex);
    work.order = ++all.works;
    stream->work.push_back(std::move(work));
    all.changed.notify_all();
}

}  // namespace

Stream* make_stream(Order order) {
    auto* const stream = new Stream{order, {}, false};
    {
        const std::lock_guard lock(machine().mutex);
        machine().streams.push_back(stream);
    }
    std::thread(run, stream).detach();
    return stream;
}

void close_stream(Stream* stream) {
    const std::lock_guard lock(machine().mutex);
    stream->is_closed = true;
    machine().changed.notify_all();
}

Stream* legacy_stream() {
    static Stream* const stream = make_stream(Order::Legacy);
    return stream;
}

void push(Stream* stream, std::function<void()> work) {
    add(stream, {.order = 0, .run = std::move(work), .is_ready = {}, .reach = {}});
}

void record(Stream* stream, const std::shared_ptr<Event>& event) {
    std::uint64_t number = 0;
    {
        const std::lock_guard lock(machine().mutex);
        number = ++event->recorded;
    }
    add(stream, {.order = 0, .run = {}, .is_ready = {}, .reach = [event, number] {
                     event->reached = std::max(event->reached, number);
                     event->time = std::chrono::steady_clock::now();
                 }});
}

void wait_for(Stream* stream, const std::shared_ptr<Event>& event) {
    std::uint64_t number = 0;
    {
        const std::lock_guard lock(machine().mutex);
        number = event->recorded;
    }
    add(stream, {.order = 0,
                 .run = {},
                 .is_ready = [event, number] { return event->reached >= number; },
                 .reach = {}});
}

bool is_idle(Stream* stream) {
    const std::lock_guard lock(machine().mutex);
    return stream->work.empty();
}

bool is_reached(const Event& event) {
    const std::lock_guard lock(machine().mutex);
    return event.reached == event.recorded;
}

void wait_until_idle(Stream* stream) {
    std::unique_lock lock(machine().mutex);
    machine().changed.wait(lock, [stream] { return stream->work.empty(); });
}

void wait_until_all_idle() {
    std::unique_lock lock(machine().mutex);
    machine().changed.wait(lock, [] {
        return std::ranges::all_of(machine().streams,
                                   [](const Stream* stream) { return stream->work.empty(); });
    });
}

float milliseconds_between(const Event& start, const Event& end) {
    const std::lock_guard lock(machine().mutex);
    return std::chrono::duration<float, std::milli>(end.time - start.time).count();
}

}  // namespace warpwise::cuda::fake
