// The handler that names the calling line.
#include "src/base/hooks/caller.hpp"

#include <utility>

#include "src/base/hooks/handler_slot.hpp"
#include "warpwise/output.hpp"

namespace warpwise {
namespace {

// Never destroyed: threads may call the library while the process ends.
HandlerSlot<CallerHandler>& caller_slot() {
    static auto* slot = new HandlerSlot<CallerHandler>;
    return *slot;
}

}  // namespace

CallerHandler set_caller_handler(CallerHandler handler) {
    return caller_slot().exchange(std::move(handler));
}

std::string caller_line() {
    const auto handler = caller_slot().get();
    return handler ? (*handler)() : std::string();
}

}  // namespace warpwise
