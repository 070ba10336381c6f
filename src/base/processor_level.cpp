// cpuid through the compiler's built-in checks, which also ask the operating system about the
// vector registers it saves.
#include "src/base/processor_level.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise {

bool is_processor_level(std::string_view name) noexcept {
    return std::ranges::find(kProcessorLevels, name) != kProcessorLevels.end();
}

std::string native_level() {
    // The built-in wants literals.
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4")) return "x86-64-v4";
    if (__builtin_cpu_supports("x86-64-v3")) return "x86-64-v3";
    if (__builtin_cpu_supports("x86-64-v2")) return "x86-64-v2";
    throw DeviceError(
        "this processor is older than x86-64-v2 (SSE4.2, POPCNT), which the CPU device needs");
}

std::string chosen_level(std::string_view setting) {
    std::string native = native_level();
    if (setting == "native") return native;
    if (!is_processor_level(setting)) {
        throw DeviceError(fmt::format("WARPWISE_CPU asks for {}; choose native, {}", quote(setting),
                                      fmt::join(kProcessorLevels, ", ")));
    }
    if (setting > native) {
        throw DeviceError(fmt::format(
            "WARPWISE_CPU asks for {}, but this processor only has {}; choose that or 'native'",
            setting, native));
    }
    return std::string(setting);
}

}  // namespace warpwise
