// What Linux reports of its processors, in /proc and /sys; a container may hide both.
#include "src/backends/cpu/host/host_info.hpp"

#include <charconv>

#include "src/backends/cpu/host/relocations.hpp"
#include "src/base/file.hpp"
#include "src/base/text.hpp"

namespace warpwise::cpu {
namespace {

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
    std::string name = processor_name_in(read_file_if_there("/proc/cpuinfo").value_or(""));
    return name.empty() ? std::string(kElfMachineName) + " processor" : name;
}

std::uint32_t clock_khz() {
    const std::string text =
        read_file_if_there("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq").value_or("");
    std::uint32_t khz = 0;
    std::from_chars(text.data(), text.data() + text.size(), khz);
    return khz;
}

}  // namespace warpwise::cpu
