// Where an event was recorded last: on a stream, or in a capture that is open.
#include "src/runtime/queue/event_state.hpp"

#include <utility>

#include "src/runtime/context.hpp"

namespace warpwise::runtime {

EventState::EventState(std::shared_ptr<Context> context, bool timing)
    : context_(std::move(context)),
      impl_(context_->backend().make_event(context_->ordinal(), timing)),
      timing_(timing) {}

std::shared_ptr<StreamCore> EventState::core() const {
    MutexLock lock(mutex_);
    return core_;
}

void EventState::set_capture(std::weak_ptr<Capture> capture) {
    MutexLock lock(mutex_);
    holder_ = capture.lock().get();
    capture_ = std::move(capture);
    is_captured_.store(holder_ != nullptr, std::memory_order_release);
}

void EventState::leave_capture(const Capture& capture) noexcept {
    MutexLock lock(mutex_);
    if (holder_ != &capture) return;
    holder_ = nullptr;
    capture_.reset();
    is_captured_.store(false, std::memory_order_release);
}

std::shared_ptr<Capture> EventState::open_capture() const {
    MutexLock lock(mutex_);
    return capture_.lock();
}

void EventState::set_core(std::shared_ptr<StreamCore> core) {
    MutexLock lock(mutex_);
    core_.swap(core);
    core_id_.store(core_->id(), std::memory_order_release);
}

}  // namespace warpwise::runtime
