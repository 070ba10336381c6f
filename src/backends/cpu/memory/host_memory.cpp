// RAM from /proc/meminfo, limits from cgroup v1 and v2 and of the process's addresses. What cannot
// be read is no limit.
#include "src/backends/cpu/memory/host_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace warpwise::cpu {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

std::optional<std::uint64_t> parse_number(const std::string& text) {
    std::uint64_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc{}) return std::nullopt;  // "max"
    return value;
}

std::optional<std::uint64_t> read_number(const std::string& path) {
    std::ifstream file(path);
    std::string text;
    if (!(file >> text)) return std::nullopt;
    return parse_number(text);
}

// The value behind `key` in a file of "key value" or "key: value kB" lines.
std::optional<std::uint64_t> read_row(const std::string& path, std::string_view key) {
    std::ifstream file(path);
    for (std::string name, value, line; file >> name >> value; std::getline(file, line)) {
        if (name == key) return parse_number(value);
    }
    return std::nullopt;
}

struct Group {
    std::string limit_file, usage_file, stat_file;
    std::string_view cache_key;
};

void tighten(MemoryInfo& info, const Group& group) {
    const auto limit = read_number(group.limit_file);
    if (!limit || *limit >= info.total) return;  // v1 writes "no limit" as a huge number
    const std::uint64_t usage = read_number(group.usage_file).value_or(0);
    const std::uint64_t cache =
        std::min(usage, read_row(group.stat_file, group.cache_key).value_or(0));
    const std::uint64_t used = usage - cache;
    info.total = std::min(info.total, *limit);
    info.free = std::min(info.free, *limit > used ? *limit - used : 0);
}

// Limits of ancestor groups hold as well.
void tighten_to_cgroups(MemoryInfo& info) {
    std::ifstream file("/proc/self/cgroup");
    for (std::string line; std::getline(file, line);) {
        const auto first = line.find(':');
        const auto second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        std::string path = line.substr(second + 1);
        const bool is_v2 = controllers == ",,";
        if (!is_v2 && controllers.find(",memory,") == std::string::npos) continue;
        for (;;) {
            if (path == "/") path.clear();
            const std::string v1 = "/sys/fs/cgroup/memory" + path;
            const std::string v2 = "/sys/fs/cgroup" + path;
            if (is_v2) {
                tighten(info, {v2 + "/memory.max", v2 + "/memory.current", v2 + "/memory.stat",
                               "inactive_file"});
            } else {
                tighten(info, {v1 + "/memory.limit_in_bytes", v1 + "/memory.usage_in_bytes",
                               v1 + "/memory.stat", "total_inactive_file"});
            }
            if (path.empty()) break;
            path.resize(path.find_last_of('/') == std::string::npos ? 0 : path.find_last_of('/'));
        }
    }
}

// Of the process's addresses (ulimit -v): all that is mapped counts, used or not.
void tighten_to_address_limit(MemoryInfo& info) {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur >= info.total) return;
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const std::uint64_t used = read_number("/proc/self/statm").value_or(0) * page;
    info.total = limit.rlim_cur;
    info.free = std::min(info.free, info.total > used ? info.total - used : 0);
}

}  // namespace

MemoryInfo host_memory() {
    constexpr std::uint64_t kKiB = 1024;
    MemoryInfo info{kUnlimited, kUnlimited};
    if (const auto total = read_row("/proc/meminfo", "MemTotal:")) info.total = *total * kKiB;
    if (const auto free = read_row("/proc/meminfo", "MemAvailable:")) info.free = *free * kKiB;
    if (info.total == kUnlimited) {
        const long pages = sysconf(_SC_PHYS_PAGES);
        if (pages > 0) info.total = static_cast<std::uint64_t>(pages) * sysconf(_SC_PAGESIZE);
    }
    info.free = std::min(info.free, info.total);
    tighten_to_cgroups(info);
    tighten_to_address_limit(info);
    return info;
}

}  // namespace warpwise::cpu
