// The interrupt handler.
#include "src/base/hooks/interrupt.hpp"

#include <utility>

#include "src/base/hooks/handler_slot.hpp"
#include "src/base/thread_pool.hpp"
#include "warpwise/output.hpp"

namespace warpwise {
namespace {

// Never destroyed: a thread may still wait while the process ends.
HandlerSlot<InterruptHandler>& interrupt_slot() {
    static auto* slot = new HandlerSlot<InterruptHandler>;
    return *slot;
}

}  // namespace

InterruptHandler set_interrupt_handler(InterruptHandler handler) {
    return interrupt_slot().exchange(std::move(handler));
}

bool interrupt_requested() {
    const auto handler = interrupt_slot().get();
    return handler && (*handler)();
}

bool may_be_interrupted() {
    return !is_library_thread() && interrupt_slot().get() != nullptr;
}

}  // namespace warpwise
