// Events: points in streams, their times, and the errors that surface at them.
#include <utility>

#include "src/runtime/context.hpp"
#include "src/runtime/refuse.hpp"
#include "src/runtime/stream/capture.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "warpwise/stream.hpp"

namespace warpwise {
namespace {

void refuse_captured(const runtime::EventState& event) {
    if (event.is_captured()) {
        runtime::refuse_value(
            "the event was recorded on a stream that is being captured; "
            "end the capture and launch the graph first");
    }
}

void check_timed(const runtime::EventState& event, const char* which) {
    refuse_captured(event);
    if (!event.has_timing()) {
        runtime::refuse_value("the {} event was made without timing; make it with timing = true",
                              which);
    }
    if (!event.is_recorded()) {
        runtime::refuse_value("the {} event was never recorded; record() it on a stream first",
                              which);
    }
    if (!event.impl().is_done(runtime::Wait::No)) {
        runtime::refuse_value("the {} event is not done yet; synchronize() it first", which);
    }
}

}  // namespace

Event::Event(EventOptions options) : Event(Device(), options) {}

Event::Event(const Device& device, EventOptions options)
    : state_(options.interprocess ? runtime::EventState::interprocess(device.context().shared())
                                  : std::make_shared<runtime::EventState>(device.context().shared(),
                                                                          options.timing)) {}

Event::Event(std::shared_ptr<runtime::EventState> state) noexcept : state_(std::move(state)) {}

void Event::record() {
    runtime::current_stream(state_->context())->record(state_);
}

[[gnu::hot]] void Event::record(const Stream& stream) {
    stream.state()->record(state_);
}

bool Event::is_captured() const noexcept {
    return state_->is_captured();
}

bool Event::is_done() const {
    refuse_captured(*state_);
    return state_->impl().is_done(runtime::Wait::No);
}

void Event::synchronize() const {
    refuse_captured(*state_);
    runtime::refuse_in_host_function(state_->context());
    state_->impl().is_done(runtime::Wait::Yes);
    if (const auto core = state_->core()) core->surface_error(state_->impl());
    state_->context().check_reports();
}

double Event::time_till(const Event& end) const {
    check_timed(*state_, "first");
    check_timed(*end.state_, "second");
    if (&state_->context() != &end.state_->context()) {
        runtime::refuse_value("the events are of different devices ({} and {})",
                              state_->context().name(), end.state_->context().name());
    }
    return state_->impl().milliseconds_until(end.state_->impl());
}

Device Event::device() const {
    return Device(state_->shared_context());
}

}  // namespace warpwise
