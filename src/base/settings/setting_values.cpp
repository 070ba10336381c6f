// The parsers that several settings share.
#include "src/base/settings/setting_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace warpwise {

std::optional<std::uint64_t> parse_number(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<bool> parse_switch(std::string_view text) {
    if (text == "0" || text == "false" || text == "off" || text == "no") return false;
    if (text == "1" || text == "true" || text == "on" || text == "yes") return true;
    return std::nullopt;
}

SettingParser choice(std::string Settings::* member, std::vector<std::string> words) {
    return [member, words = std::move(words)](Settings& settings, std::string_view value) {
        if (std::ranges::find(words, value) == words.end()) return false;
        settings.*member = value;
        return true;
    };
}

SettingParser any_text(std::string Settings::* member) {
    return [member](Settings& settings, std::string_view value) {
        settings.*member = value;
        return true;
    };
}

SettingParser number(std::optional<unsigned> Settings::* member, std::uint64_t least,
                     std::uint64_t most) {
    return [=](Settings& settings, std::string_view value) {
        const std::optional<std::uint64_t> parsed = parse_number(value);
        if (!parsed || *parsed < least || *parsed > most) return false;
        settings.*member = static_cast<unsigned>(*parsed);
        return true;
    };
}

SettingParser byte_size(std::uint64_t Settings::* member) {
    return [member](Settings& settings, std::string_view value) {
        constexpr std::string_view kUnits = "KkMmGgTt";
        unsigned shift = 0;
        const std::size_t unit = value.empty() ? kUnits.npos : kUnits.find(value.back());
        if (unit != kUnits.npos) {
            shift = 10 * (static_cast<unsigned>(unit / 2) + 1);
            value.remove_suffix(1);
        }
        const std::optional<std::uint64_t> parsed = parse_number(value);
        if (!parsed || *parsed > std::numeric_limits<std::uint64_t>::max() >> shift) return false;
        settings.*member = *parsed << shift;
        return true;
    };
}

SettingParser seconds(std::chrono::duration<double> Settings::* member) {
    return [member](Settings& settings, std::string_view value) {
        constexpr double kMost = 1'000'000;
        double parsed = -1;
        const auto [last, error] =
            std::from_chars(value.data(), value.data() + value.size(), parsed);
        const bool is_whole = error == std::errc() && last == value.data() + value.size();
        // Not a number is neither.
        if (!is_whole || !(parsed >= 0 && parsed <= kMost)) return false;
        settings.*member = std::chrono::duration<double>(parsed);
        return true;
    };
}

SettingText text_of(std::string Settings::* member) {
    return [member](const Settings& settings) { return settings.*member; };
}

SettingText text_of(std::chrono::duration<double> Settings::* member) {
    return [member](const Settings& settings) {
        return fmt::format("{}", (settings.*member).count());
    };
}

SettingText text_of(std::optional<unsigned> Settings::* member) {
    return [member](const Settings& settings) {
        const std::optional<unsigned>& value = settings.*member;
        return value ? std::to_string(*value) : std::string();
    };
}

}  // namespace warpwise
