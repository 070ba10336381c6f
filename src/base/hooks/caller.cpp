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

namespace hooks {
std::atomic<std::uint64_t (*)() noexcept> g_mark_place{nullptr};
}
namespace {
std::atomic<std::string (*)(std::uint64_t)> g_name_place{nullptr};
}

CallerPlaces set_caller_places(CallerPlaces places) {
    return {.mark = hooks::g_mark_place.exchange(places.mark),
            .name = g_name_place.exchange(places.name)};
}

std::string name_of_place(std::uint64_t place) {
    const auto name = g_name_place.load();
    return name != nullptr && place != 0 ? name(place) : std::string();
}

}  // namespace warpwise
