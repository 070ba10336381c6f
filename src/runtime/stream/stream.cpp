// Stream and StreamScope: the public face of StreamState.
#include "warpwise/stream.hpp"

#include <utility>

#include "src/runtime/context.hpp"
#include "src/runtime/record/graph_state.hpp"
#include "src/runtime/refuse.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "src/runtime/stream_handles.hpp"
#include "warpwise/graph.hpp"
#include "warpwise/settings.hpp"

namespace warpwise {
namespace {

int checked_priority(const Device& device, int priority) {
    if (priority == 0) return priority;
    const PriorityRange range = device.stream_priorities();
    const bool has_priorities = range.least != range.greatest;
    if (has_priorities && (priority > range.least || priority < range.greatest)) {
        runtime::refuse_value(
            "a stream of {} cannot have priority {}: they go from {} to {}, the most urgent",
            device.name(), priority, range.least, range.greatest);
    }
    return priority;
}

std::chrono::duration<double> checked_limit(const StreamOptions& options) {
    const auto limit = options.time_limit.value_or(settings().time_limit);
    if (!(limit.count() >= 0) || limit.count() > 1e9) {
        runtime::refuse_value("time_limit expects seconds from 0 (without end), got {}",
                              limit.count());
    }
    return limit;
}

}  // namespace

Stream::Stream(StreamOptions options) : Stream(Device(), options) {}

Stream::Stream(const Device& device, StreamOptions options)
    : state_(device.context().make_stream({.priority = checked_priority(device, options.priority),
                                           .non_blocking = options.non_blocking,
                                           .time_limit = checked_limit(options)})) {}

Stream::Stream(std::shared_ptr<runtime::StreamState> state) noexcept : state_(std::move(state)) {}

Stream Stream::current() {
    return Stream(runtime::current_stream(*runtime::current_context()));
}

Stream Stream::current(const Device& device) {
    return Stream(runtime::current_stream(device.context()));
}

Stream Stream::per_thread() {
    return Stream(runtime::thread_stream(*runtime::current_context()));
}

Stream Stream::per_thread(const Device& device) {
    return Stream(runtime::thread_stream(device.context()));
}

Stream Stream::from_handle(std::uint64_t handle, std::shared_ptr<const void> owner) {
    return from_handle(handle, Device(), std::move(owner));
}

Stream Stream::from_handle(std::uint64_t handle, const Device& device,
                           std::shared_ptr<const void> owner) {
    return Stream(device.context().wrap_stream(handle, std::move(owner)));
}

std::uint64_t Stream::handle() const {
    runtime::StreamHandles& handles = state_->context().stream_handles();
    state_->settle();
    return handles.handle(state_->core()->queue());
}

void Stream::synchronize() const {
    state_->synchronize();
}

bool Stream::is_done() const {
    return state_->is_done();
}

[[gnu::hot]] void Stream::wait(const Event& event) const {
    state_->wait(event.state());
}

Event Stream::record() const {
    Event event(device());
    event.record(*this);
    return event;
}

void Stream::call_host(std::function<void()> function) const {
    if (!function) runtime::refuse_type("call_host() was given an empty function");
    state_->call_host(std::move(function));
}

Device Stream::device() const {
    return Device(state_->context().shared());
}

bool Stream::is_default() const noexcept {
    return state_->core()->is_default();
}

void Stream::begin_capture() const {
    state_->begin_capture();
}

Graph Stream::end_capture() const {
    return Graph(state_->end_capture());
}

void Stream::discard_capture() const {
    state_->discard_capture();
}

std::uint64_t Stream::capture_id() const noexcept {
    return state_->capture_id();
}

bool Stream::is_capturing() const noexcept {
    return state_->is_capturing();
}

StreamScope::StreamScope(const Stream& stream)
    : device_(stream.device()),
      previous_(runtime::exchange_current_stream(stream.state()->context(), stream.state())) {}

StreamScope::~StreamScope() {
    // Scopes nest, so the current device is again the one of this scope's stream, which device_
    // ends after this. The slot exists since the constructor: nothing is allocated here.
    runtime::exchange_current_stream(*runtime::current_context(), std::move(previous_));
}

}  // namespace warpwise
