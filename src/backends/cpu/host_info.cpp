// cpuid through the compiler's built-in checks, which also ask the operating system about the
// vector registers it saves.
#include "src/backends/cpu/host_info.hpp"

#include <array>
#include <charconv>
#include <fstream>
#include <sstream>

#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu {
namespace {

constexpr std::array<std::string_view, 3> kLevels = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};

std::string read_file(const char* path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

int native_level_index() {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4")) return 2;
    if (__builtin_cpu_supports("x86-64-v3")) return 1;
    return __builtin_cpu_supports("x86-64-v2") ? 0 : -1;
}

void remove_all(std::string& text, std::string_view part) {
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part)) {
        text.erase(at, part.size());
    }
}

}  // namespace

std::string processor_name_in(std::string_view cpuinfo) {
    auto at = cpuinfo.find("model name");
    if (at == std::string_view::npos) return {};
    at = cpuinfo.find(':', at);
    if (at == std::string_view::npos) return {};
    std::string name(cpuinfo.substr(at + 1, cpuinfo.find('\n', at) - at - 1));
    for (std::string_view mark : {"(R)", "(TM)", "(tm)", " CPU", " Processor"}) {
        remove_all(name, mark);
    }
    return join(split_at_blanks(name), " ");
}

std::string processor_name() {
    std::string name = processor_name_in(read_file("/proc/cpuinfo"));
    return name.empty() ? "x86-64 processor" : name;
}

std::uint32_t clock_khz() {
    const std::string text = read_file("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
    std::uint32_t khz = 0;
    std::from_chars(text.data(), text.data() + text.size(), khz);
    return khz;
}

std::string native_level() {
    const int index = native_level_index();
    if (index < 0) {
        throw DeviceError(
            "this processor is older than x86-64-v2 (SSE4.2, POPCNT), which the CPU device needs");
    }
    return std::string(kLevels[static_cast<std::size_t>(index)]);
}

std::string chosen_level(std::string_view setting) {
    const std::string native = native_level();
    if (setting == "native") return native;
    for (std::string_view level : kLevels) {
        if (level != setting) continue;
        if (level > native) {
            throw DeviceError("WARPWISE_CPU asks for " + std::string(level) +
                              ", but this processor only has " + native +
                              "; choose that or 'native'");
        }
        return std::string(level);
    }
    throw DeviceError("WARPWISE_CPU asks for " + quote(setting) + "; choose native, " +
                      join({kLevels[0], kLevels[1], kLevels[2]}));
}

}  // namespace warpwise::cpu
