// Streams: queueing, pending work and capture.
#include "src/runtime/stream/stream_state.hpp"

#include <utility>

#include "src/runtime/context.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "src/runtime/record/graph_state.hpp"
#include "src/runtime/refuse.hpp"
#include "src/runtime/stream/capture.hpp"

namespace warpwise::runtime {
namespace {

// Of zeroed_words(): reductions of large arrays to few results use as many.
constexpr std::size_t kZeroedWords = 4096;
constexpr std::size_t kWordBytes = 4;

void note_use(const std::shared_ptr<BufferState>& buffer, const std::shared_ptr<StreamCore>& core) {
    if (buffer) buffer->note_use(core);
}

[[gnu::hot]] void record_on(const std::shared_ptr<StreamCore>& core, EventState& event) {
    core->queue().record(event.impl());
    event.set_recorded(core);
}

[[gnu::hot]] void wait_on(const std::shared_ptr<StreamCore>& core,
                          const std::shared_ptr<EventState>& event) {
    if (&event->context().backend() == &core->context().backend()) {
        core->queue().wait(event->impl());
    } else {
        // Back ends know nothing of each other: the host stands between.
        core->queue().call_host([event] { event->impl().is_done(Wait::Yes); });
    }
}

}  // namespace

StreamState::StreamState(std::shared_ptr<StreamCore> core, bool is_ours) noexcept
    : core_(std::move(core)), is_ours_(is_ours) {}

StreamState::~StreamState() {
    // A capture that can no longer be ended; what else is in it goes on without.
    if (capture_ && capture_->capture().began_on(*capture_)) capture_->capture().abandon();
    core_->context().retire(core_);
}

[[gnu::hot]] void StreamState::copy(const Copy& copy, const std::shared_ptr<BufferState>& first,
                                    const std::shared_ptr<BufferState>& second) {
    if (copy.bytes == 0) return;
    runtime::settle(first);
    runtime::settle(second);
    if (capture([&](CaptureBranch& branch) { branch.add(copy, {first, second}); })) return;
    note_use(first, core_);
    note_use(second, core_);
    core_->queue().copy(copy.destination, copy.source, copy.bytes, copy.kind);
}

void StreamState::copy_and_wait(const Copy& copy, const std::shared_ptr<BufferState>& buffer) {
    refuse_to_wait("used for a blocking copy");
    if (copy.bytes == 0) return;
    note_use(buffer, core_);
    const std::uint64_t before = core_->advance();
    if (core_->queue().copy_now(copy.destination, copy.source, copy.bytes, copy.kind)) {
        core_->note_passed(before);
        context().check_reports();
    } else {
        core_->wait_until_done();
    }
}

void StreamState::fill(const Fill& fill, const std::shared_ptr<BufferState>& buffer) {
    if (fill.count == 0) return;
    runtime::settle(buffer);
    if (capture([&](CaptureBranch& branch) { branch.add(fill, {buffer}); })) return;
    note_use(buffer, core_);
    core_->queue().fill(fill.destination, fill.pattern, fill.pattern_bytes, fill.count);
}

std::shared_ptr<BufferState> StreamState::zeroed_words(std::size_t count) {
    const bool may_be_cut_off = context().info().shares_host_memory;
    if (count > kZeroedWords || !is_ours_ || may_be_cut_off || is_capturing()) return nullptr;
    {
        MutexLock lock(zeroed_mutex_);
        if (zeroed_) return zeroed_;
    }
    auto made = context().pool()->allocate(kZeroedWords * kWordBytes, core_);
    core_->queue().fill(made->address(), 0, kWordBytes, kZeroedWords);
    made->note_use(core_);
    MutexLock lock(zeroed_mutex_);
    // Another thread may have been here meanwhile.
    if (!zeroed_) zeroed_ = std::move(made);
    return zeroed_;
}

void StreamState::fill_behind_all(const Fill& fill) {
    if (capture([&](CaptureBranch& branch) { branch.add_behind_all(fill, {}); })) return;
    core_->queue().fill(fill.destination, fill.pattern, fill.pattern_bytes, fill.count);
}

void StreamState::queue_on(const std::shared_ptr<BufferState>& buffer,
                           const std::function<void(Queue&)>& work) {
    refuse_in_capture("used to move managed memory");
    runtime::settle(buffer);
    note_use(buffer, core_);
    work(core_->queue());
}

[[gnu::hot]] void StreamState::record(const std::shared_ptr<EventState>& event) {
    if (&event->context() != &context()) {
        refuse_value("an event of {} cannot be recorded on a stream of {}; make it on that device",
                     event->context().name(), context().name());
    }
    settle();
    if (capture([&](CaptureBranch& branch) { branch.add_record(event); })) return;
    if (const auto home = event->capture()) event->leave_capture(*home);
    record_on(core_, *event);
}

[[gnu::hot]] void StreamState::wait(const std::shared_ptr<EventState>& event) {
    settle();
    if (const auto home = event->capture()) return join(home, *event);
    if (capture([&](CaptureBranch& branch) { branch.add_wait(event); })) return;
    wait_on(core_, event);
}

void StreamState::join(const std::shared_ptr<Capture>& home, const EventState& event) {
    MutexLock lock(capture_mutex_);
    if (capture_) {
        if (&capture_->capture() == home.get()) return capture_->join(event);
        refuse_value(
            "the event was recorded in the capture of another stream; "
            "end that capture before waiting for the event here");
    }
    if (&home->context() != &context()) {
        refuse_value(
            "a stream of {} cannot join a capture on {} by waiting for its event: a graph is of "
            "one device; end the capture and launch the graph first",
            context().name(), home->context().name());
    }
    capture_ = home->join(*this, event);
    capturing_.store(true, std::memory_order_release);
}

void StreamState::call_host(std::function<void()> function) {
    settle();
    function = host_function_of(context(), std::move(function));
    const bool captured = capture([&](CaptureBranch& branch) {
        // All runs call one and the same function.
        const auto shared = std::make_shared<std::function<void()>>(std::move(function));
        branch.add(HostCall{[shared] { (*shared)(); }}, {});
    });
    if (!captured) core_->queue().call_host(std::move(function));
}

void StreamState::replay(const std::shared_ptr<GraphState>& graph) {
    if (&graph->context() != &context()) {
        refuse_value("a graph captured on {} cannot be launched on a stream of {}",
                     graph->context().name(), context().name());
    }
    if (is_capturing()) {
        graph->settle();
        if (capture([&](CaptureBranch& branch) { branch.add_all(*graph); })) return;
    }
    graph->run(core_);
}

void StreamState::synchronize() {
    refuse_to_wait("synchronized");
    settle();
    core_->wait_until_done();
}

void StreamState::wait_for_queue() {
    refuse_to_wait("synchronized");
    core_->wait_until_done();
}

void StreamState::set_pending(std::shared_ptr<PendingWork> work) {
    if (work) context().note_pending(weak_from_this());
    MutexLock lock(pending_mutex_);
    has_pending_.store(work != nullptr, std::memory_order_release);
    pending_.swap(work);  // what was there ends without the lock
}

std::shared_ptr<PendingWork> StreamState::pending() {
    MutexLock lock(pending_mutex_);
    return pending_;
}

bool StreamState::flush(FlushReason reason) {
    const auto work = pending();
    return work != nullptr && flush_once(*work, {.reason = reason});
}

bool StreamState::is_done() {
    refuse_in_capture("asked whether it is done");
    settle();
    return core_->is_done(Wait::No);
}

void StreamState::refuse_in_capture(const char* action) const {
    if (is_capturing()) {
        refuse_value(
            "a stream that is being captured cannot be {}: its work is recorded, not run; "
            "end the capture first",
            action);
    }
}

void StreamState::refuse_to_wait(const char* action) const {
    refuse_in_capture(action);
    refuse_in_host_function(context());
}

void StreamState::begin_capture() {
    // Of all streams: what is recorded must not compute what was written before, again and again.
    context().settle(FlushReason::Order);
    MutexLock lock(capture_mutex_);
    if (capture_) {
        refuse_value("this stream is being captured already; end the capture first");
    }
    capture_ = std::make_shared<Capture>(context())->begin(*this);
    capturing_.store(true, std::memory_order_release);
}

std::shared_ptr<CaptureBranch> StreamState::origin_of_capture(const char* action) {
    MutexLock lock(capture_mutex_);
    if (!capture_) refuse_value("no capture is open on this stream; call begin_capture() first");
    if (!capture_->capture().began_on(*capture_)) {
        refuse_value(
            "this stream joined the capture of another by waiting for its event; {} it on the "
            "stream that it began on",
            action);
    }
    return capture_;
}

std::shared_ptr<GraphState> StreamState::end_capture() {
    return settled_capture("end")->capture().end();
}

void StreamState::discard_capture() {
    settled_capture("discard")->capture().abandon();
}

std::shared_ptr<CaptureBranch> StreamState::settled_capture(const char* action) {
    auto origin = origin_of_capture(action);
    for (const auto& stream : origin->capture().streams()) stream->settle();
    return origin;
}

std::uint64_t StreamState::capture_id() {
    MutexLock lock(capture_mutex_);
    return capture_ ? capture_->capture().id() : 0;
}

void StreamState::leave_capture(const Capture& capture) noexcept {
    std::shared_ptr<CaptureBranch> branch;  // goes without the lock
    MutexLock lock(capture_mutex_);
    if (!capture_ || &capture_->capture() != &capture) return;
    branch.swap(capture_);
    capturing_.store(false, std::memory_order_release);
}

}  // namespace warpwise::runtime
