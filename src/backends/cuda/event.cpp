// One driver event each.
#include "src/backends/cuda/event.hpp"

#include "src/backends/cuda/waiting.hpp"

namespace warpwise::cuda {

CudaEvent::CudaEvent(PrimaryContext& context, bool timing) : context_(context) {
    const PrimaryContext::Scope scope(context_);
    context_.check(driver().event_create(&handle_, timing ? 0 : kEventDisableTiming),
                   "make an event");
}

CudaEvent::~CudaEvent() {
    context_.release_quietly([this](const Driver& driver) { driver.event_destroy(handle_); });
}

bool CudaEvent::has_passed() const {
    return driver().event_query(handle_) != Status::NotReady;
}

bool CudaEvent::is_done(runtime::Wait wait) {
    if (context_.is_lost()) return true;
    const PrimaryContext::Scope scope(context_);
    if (wait == runtime::Wait::No) return has_passed();
    wait_until([this] { return has_passed(); });
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
