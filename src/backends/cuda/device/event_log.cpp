// Pairs of events, and their store.
#include "src/backends/cuda/device/event_log.hpp"

#include <new>
#include <utility>

#include "src/backends/cuda/device/waiting.hpp"
#include "src/runtime/ranges.hpp"

namespace warpwise::cuda {
namespace {

// So many operations run before those that have passed are read.
constexpr std::size_t kReadAt = 1024;

}  // namespace

void EventLog::start() {
    const PrimaryContext::Scope scope(context_);
    const EventHandle base = take_event();
    const std::int64_t before = runtime::host_now();
    try {
        context_.check(driver().event_record(base, kLegacyStream), "record an event");
        wait_until([&] { return driver().event_query(base) != Status::NotReady; });
        context_.check(driver().event_query(base), "wait for an event");
    } catch (...) {
        release(base);
        throw;
    }
    const std::int64_t after = runtime::host_now();
    MutexLock lock(mutex_);
    base_ = base;
    base_time_ = before + (after - before) / 2;
    store_running();
    records_.clear();
    streams_.clear();
    lost_.store(0);
    is_on_.store(true);
}

std::vector<ProfileRecord> EventLog::finish() noexcept {
    is_on_.store(false);
    MutexLock lock(mutex_);
    context_.ignoring_errors([this](const Driver&) WARPWISE_NO_THREAD_SAFETY_ANALYSIS { read(); });
    lost_ += running_.size();
    store_running();
    if (base_ != nullptr) store_.push_back(std::exchange(base_, nullptr));
    context_.ignoring_errors([this](const Driver& driver) WARPWISE_NO_THREAD_SAFETY_ANALYSIS {
        for (const EventHandle event : store_) driver.event_destroy(event);
    });
    store_.clear();
    return std::exchange(records_, {});
}

void EventLog::store_running() {
    for (const Timed& timed : running_) {
        store_.push_back(timed.begin);
        store_.push_back(timed.end);
    }
    running_.clear();
}

EventHandle EventLog::take_event() {
    {
        MutexLock lock(mutex_);
        if (!store_.empty()) {
            const EventHandle event = store_.back();
            store_.pop_back();
            return event;
        }
    }
    EventHandle event = nullptr;
    context_.check(driver().event_create(&event, 0), "make an event");
    return event;
}

void EventLog::release(EventHandle event) noexcept {
    MutexLock lock(mutex_);
    if (is_on()) {
        store_.push_back(event);
    } else {
        context_.ignoring_errors([event](const Driver& driver) { driver.event_destroy(event); });
    }
}

void EventLog::add(Timed timed) {
    MutexLock lock(mutex_);
    if (running_.size() >= kReadAt) read();
    timed.record.stream = streams_.try_emplace(timed.stream, streams_.size() + 1).first->second;
    running_.push_back(std::move(timed));
}

bool EventLog::read_one(Timed& timed) {
    const Driver& driver = cuda::driver();
    float start = 0;
    float duration = 0;
    if (driver.event_elapsed(&start, base_, timed.begin) != Status::Success ||
        driver.event_elapsed(&duration, timed.begin, timed.end) != Status::Success) {
        return false;
    }
    timed.record.start = base_time_ + static_cast<std::int64_t>(double{start} * 1e6);
    timed.record.duration = static_cast<std::int64_t>(double{duration} * 1e6);
    records_.push_back(std::move(timed.record));
    return true;
}

void EventLog::read() {
    std::deque<Timed> left;
    for (Timed& timed : running_) {
        const Status status = driver().event_query(timed.end);
        if (status == Status::NotReady) {
            left.push_back(std::move(timed));
            continue;
        }
        if (status != Status::Success || !read_one(timed)) ++lost_;
        store_.push_back(timed.begin);
        store_.push_back(timed.end);
    }
    running_ = std::move(left);
}

void EventLog::Timing::begin() {
    const PrimaryContext::Scope scope(log_.context_);
    begin_ = log_.take_event();
    try {
        end_ = log_.take_event();
        log_.context_.check(driver().event_record(begin_, stream_), "record an event");
    } catch (...) {
        release();
        throw;
    }
}

void EventLog::Timing::release() noexcept {
    log_.release(std::exchange(begin_, nullptr));
    if (end_ != nullptr) log_.release(std::exchange(end_, nullptr));
}

void EventLog::Timing::end(ProfileRecord record) noexcept {
    bool is_recorded = false;
    log_.context_.ignoring_errors([&](const Driver& driver) {
        is_recorded = driver.event_record(end_, stream_) == Status::Success;
    });
    try {
        if (is_recorded) {
            log_.add({begin_, end_, stream_, std::move(record)});
            begin_ = end_ = nullptr;
            return;
        }
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): counted below
    }
    ++log_.lost_;
}

}  // namespace warpwise::cuda
