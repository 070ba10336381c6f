// Affinity mask and cgroup quota. Unreadable files mean no limit: a container may hide them.
#include "src/base/processors.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <string>

#include "src/base/file.hpp"

namespace warpwise {
namespace {

std::optional<std::int64_t> leading_number(std::string_view text) {
    std::int64_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc{}) return std::nullopt;
    return value;
}

std::optional<unsigned> whole_processors(std::int64_t quota, std::int64_t period) {
    if (quota <= 0 || period <= 0) return std::nullopt;
    return static_cast<unsigned>(std::max<std::int64_t>(1, (quota + period - 1) / period));
}

unsigned affinity_count() {
    // The kernel refuses masks smaller than its own: grow until it accepts.
    for (std::size_t cpus = 1024; cpus <= (1u << 20); cpus *= 2) {
        cpu_set_t* set = CPU_ALLOC(cpus);
        if (set == nullptr) break;
        const std::size_t size = CPU_ALLOC_SIZE(cpus);
        const int status = sched_getaffinity(0, size, set);
        const int count = status == 0 ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (count > 0) return static_cast<unsigned>(count);
    }
    return static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

std::optional<unsigned> smaller(std::optional<unsigned> a, std::optional<unsigned> b) {
    if (!a) return b;
    if (!b) return a;
    return std::min(*a, *b);
}

// A limit may stand in any ancestor group: walks from the process's own group to the root.
template <class Read>
std::optional<unsigned> tightest(std::string group, Read read) {
    std::optional<unsigned> limit;
    for (;;) {
        limit = smaller(limit, read(group));
        if (group.empty()) return limit;
        group.resize(group.find_last_of('/') == std::string::npos ? 0 : group.find_last_of('/'));
    }
}

std::optional<unsigned> quota_v2(const std::string& group) {
    const auto text = read_file_if_there("/sys/fs/cgroup" + group + "/cpu.max");
    return text ? parse_cpu_max(*text) : std::nullopt;
}

std::optional<unsigned> quota_v1(const std::string& group) {
    for (const char* root : {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"}) {
        const auto quota = read_file_if_there(root + group + "/cpu.cfs_quota_us");
        const auto period = read_file_if_there(root + group + "/cpu.cfs_period_us");
        if (!quota || !period) continue;
        const auto a = leading_number(*quota);
        const auto b = leading_number(*period);
        if (a && b) return whole_processors(*a, *b);
    }
    return std::nullopt;
}

std::optional<unsigned> cgroup_quota() {
    std::ifstream file("/proc/self/cgroup");
    std::optional<unsigned> limit;
    for (std::string line; std::getline(file, line);) {
        const auto first = line.find(':');
        const auto second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        std::string group = line.substr(second + 1);
        if (group == "/") group.clear();
        if (controllers.empty()) limit = smaller(limit, tightest(group, quota_v2));
        if (("," + controllers + ",").find(",cpu,") != std::string::npos) {
            limit = smaller(limit, tightest(group, quota_v1));
        }
    }
    return limit;
}

}  // namespace

std::optional<unsigned> parse_cpu_max(std::string_view text) {
    const auto quota = leading_number(text);  // "max" is no number: unlimited
    const auto blank = text.find(' ');
    if (!quota || blank == std::string_view::npos) return std::nullopt;
    const auto period = leading_number(text.substr(blank + 1));
    return period ? whole_processors(*quota, *period) : std::nullopt;
}

unsigned usable_processors() {
    const unsigned mask = affinity_count();
    const auto quota = cgroup_quota();
    return quota ? std::min(mask, *quota) : mask;
}

}  // namespace warpwise
