// Choosing among the levels of the host.
#include "src/base/processor_level.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise {

bool is_processor_level(std::string_view name) noexcept {
    return std::ranges::find(processor_levels(), name) != processor_levels().end();
}

std::string_view level_of(std::string_view target) noexcept {
    return target.substr(0, target.find(','));
}

std::string chosen_level(std::string_view setting) {
    std::string native = native_level();
    if (setting == "native") return native;
    if (!is_processor_level(setting)) {
        throw DeviceError(fmt::format("WARPWISE_CPU is {}; choose native, {}", quote(setting),
                                      fmt::join(processor_levels(), ", ")));
    }
    if (setting > native) {
        throw DeviceError(fmt::format(
            "WARPWISE_CPU is {}, but this processor only has {}; choose that or 'native'", setting,
            native));
    }
    return std::string(setting);
}

}  // namespace warpwise
