// Sums by name, and columns.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "src/runtime/profile/profile_text.hpp"

namespace warpwise::runtime {
namespace {

using Kind = ProfileRecord::Kind;

struct Sum {
    std::string name;
    std::size_t count = 0;
    std::int64_t total = 0;  // nanoseconds
    std::uint64_t bytes = 0;
};

// Three significant digits or more, in a unit that suits the number.
std::string time_text(double nanoseconds) {
    if (nanoseconds < 1e3) return fmt::format("{:.0f} ns", nanoseconds);
    if (nanoseconds < 1e6) return fmt::format("{:.2f} us", nanoseconds / 1e3);
    if (nanoseconds < 1e9) return fmt::format("{:.3f} ms", nanoseconds / 1e6);
    return fmt::format("{:.3f} s", nanoseconds / 1e9);
}

bool is_of_host(const ProfileRecord& record) {
    return record.kind == Kind::Range || record.kind == Kind::Mark;
}

std::vector<Sum> sums_of(std::span<const ProfileRecord> records, bool of_host) {
    std::map<std::pair<Kind, std::string>, Sum> by_name;
    for (const ProfileRecord& record : records) {
        if (is_of_host(record) != of_host) continue;
        Sum& sum = by_name[{record.kind, record.name}];
        sum.name = record.name;
        ++sum.count;
        sum.total += record.duration;
        sum.bytes += record.bytes;
    }
    std::vector<Sum> sums;
    sums.reserve(by_name.size());
    for (auto& [key, sum] : by_name) sums.push_back(std::move(sum));
    std::ranges::sort(sums, [](const Sum& one, const Sum& other) {
        return std::tie(other.total, one.name) < std::tie(one.total, other.name);
    });
    return sums;
}

std::string rate_text(const Sum& sum) {
    if (sum.bytes == 0 || sum.total == 0) return {};
    return fmt::format("{:.3g} GB/s",
                       static_cast<double>(sum.bytes) / static_cast<double>(sum.total));
}

void add_rows(std::string& text, const std::vector<Sum>& sums, std::int64_t all, const char* what) {
    std::size_t width = std::char_traits<char>::length(what);
    for (const Sum& sum : sums) width = std::max(width, sum.name.size());
    text += fmt::format("{:<{}}  {:>8}  {:>11}  {:>11}  {:>6}\n", what, width, "count", "total",
                        "mean", "share");
    for (const Sum& sum : sums) {
        const double share =
            all > 0 ? 100.0 * static_cast<double>(sum.total) / static_cast<double>(all) : 0;
        std::string row =
            fmt::format("{:<{}}  {:>8}  {:>11}  {:>11}  {:>5.1f}%  {}", sum.name, width, sum.count,
                        time_text(static_cast<double>(sum.total)),
                        time_text(static_cast<double>(sum.total) / static_cast<double>(sum.count)),
                        share, rate_text(sum));
        row.erase(row.find_last_not_of(' ') + 1);
        text += row + '\n';
    }
}

}  // namespace

std::string profile_table(const ProfileHead& head, std::span<const ProfileRecord> records) {
    std::string text = fmt::format("{} ({}), {} in all, times by {}\n", head.device, head.title,
                                   time_text(static_cast<double>(head.duration)), head.source);
    if (!head.note.empty()) text += head.note + '\n';
    const std::vector<Sum> work = sums_of(records, false);
    std::int64_t all = 0;
    for (const Sum& sum : work) all += sum.total;
    if (work.empty()) {
        text += "the device did nothing\n";
    } else {
        add_rows(text, work, all, "work");
    }
    // Of the whole time: ranges nest, and the device has a time of its own.
    const std::vector<Sum> ranges = sums_of(records, true);
    if (!ranges.empty()) add_rows(text += '\n', ranges, head.duration, "range");
    return text;
}

}  // namespace warpwise::runtime
