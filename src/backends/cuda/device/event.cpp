// One driver event each.
#include "src/backends/cuda/device/event.hpp"

#include "src/backends/cuda/device/waiting.hpp"

namespace warpwise::cuda {

CudaEvent::CudaEvent(PrimaryContext& context, bool timing) : context_(context) {
    const PrimaryContext::Scope scope(context_);
    context_.check(driver().event_create(&handle_, timing ? 0 : kEventDisableTiming),
                   "make an event");
}

CudaEvent::~CudaEvent() {
    context_.ignoring_errors([this](const Driver& driver) { driver.event_destroy(handle_); });
}

bool CudaEvent::has_passed() const {
    return driver().event_query(handle_) == Status::Success;
}

// Queried where nothing may be thrown: by destructors that give memory back.
bool CudaEvent::is_done(runtime::Wait wait) {
    const auto ask = [this] {
        bool is_pending = false;
        context_.ignoring_errors([&](const Driver& driver) {
            is_pending = driver.event_query(handle_) == Status::NotReady;
        });
        return !is_pending;
    };
    if (wait == runtime::Wait::No) return ask();
    wait_until(ask);
    return true;
}

double CudaEvent::milliseconds_until(const runtime::EventImpl& end) {
    const PrimaryContext::Scope scope(context_);
    float milliseconds = 0;
    context_.check(
        driver().event_elapsed(&milliseconds, handle_, static_cast<const CudaEvent&>(end).handle_),
        "measure the time between two events");
    return milliseconds;
}

}  // namespace warpwise::cuda
