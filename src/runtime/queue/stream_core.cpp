// The order of streams, waiting, host functions, and the end of a stream that still has work.
#include "src/runtime/queue/stream_core.hpp"

#include <utility>

#include "src/runtime/context.hpp"
#include "src/runtime/refuse.hpp"

namespace warpwise::runtime {
namespace {

// The device whose host function this thread is in.
thread_local const Context* t_called_by = nullptr;

std::uint64_t next_id() noexcept {
    static std::atomic<std::uint64_t> counter{0};
    return ++counter;
}

}  // namespace

StreamCore::StreamCore(Context& context, std::unique_ptr<Queue> queue, const QueueOptions& options,
                       std::shared_ptr<const void> owner)
    : context_(context),
      id_(next_id()),
      options_(options),
      owner_(std::move(owner)),
      queue_(std::move(queue)),
      plain_queue_(queue_.get()) {}

bool StreamCore::follows(const StreamCore& other) const noexcept {
    if (id_ == other.id_) return true;
    // The default stream and the blocking ones are ordered with each other in both directions.
    if (&context_ != &other.context_) return false;
    return (is_default() && !other.options_.non_blocking) ||
           (other.is_default() && !options_.non_blocking);
}

std::shared_ptr<Queue> StreamCore::open_queue() {
    MutexLock lock(mutex_);
    return queue_;
}

void StreamCore::wait_until_done() {
    refuse_in_host_function(context_);
    is_done(Wait::Yes);
    context_.check_reports();
}

void refuse_in_host_function(const Context& context) {
    if (t_called_by != &context) return;
    refuse_value(
        "a host function given to call_host() waits for work of its own device ({}), which may "
        "be waiting for that function; copy and synchronize after it, or pass a stream, which "
        "does not wait",
        context.name());
}

std::function<void()> host_function_of(const Context& context, std::function<void()> function) {
    return [&context, function = std::move(function)] {
        struct Caller {
            explicit Caller(const Context* given) : outer(std::exchange(t_called_by, given)) {}
            ~Caller() { t_called_by = outer; }
            const Context* outer;
        } const caller(&context);
        function();
    };
}

bool StreamCore::is_done(Wait wait) {
    const std::uint64_t before = advance();
    const auto queue = open_queue();
    if (!queue) return true;
    const bool is_over = queue->is_done(wait);
    if (is_over) note_passed(before);
    return is_over;
}

void StreamCore::note_passed(std::uint64_t position) noexcept {
    std::uint64_t known = passed_.load();
    while (known < position && !passed_.compare_exchange_weak(known, position)) {
    }
}

void StreamCore::surface_error(const EventImpl& event) {
    if (const auto queue = open_queue()) {
        queue->is_done(Wait::No, &event);
    } else {
        context_.surface_remembered();
    }
}

bool StreamCore::record(EventImpl& event) {
    const auto queue = open_queue();
    if (!queue) return false;
    queue->record(event);
    return true;
}

bool StreamCore::close_if_done() noexcept {
    auto queue = open_queue();
    if (!queue) return true;
    try {
        if (!queue->is_done(Wait::No)) return false;
    } catch (...) {
        context_.remember_error(std::current_exception());
    }
    if (!closed_.exchange(true, std::memory_order_acq_rel)) context_.note_closed();
    std::shared_ptr<const void> owner;  // goes after the queue, and without the lock
    queue.reset();
    std::shared_ptr<Queue> last;
    MutexLock lock(mutex_);
    owner.swap(owner_);
    last.swap(queue_);
    return true;
}

}  // namespace warpwise::runtime
