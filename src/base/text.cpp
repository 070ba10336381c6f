// Helpers that write parts of messages.
#include "src/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace warpwise {
namespace {

template <class Parts>
std::string join_parts(const Parts& parts, std::string_view separator) {
    std::string joined;
    bool is_first = true;
    for (const auto& part : parts) {
        if (!is_first) joined += separator;
        joined += part;
        is_first = false;
    }
    return joined;
}

constexpr unsigned kEditCost = 3;

unsigned replacement_cost(char a, char b) {
    if (a == b) return 0;
    const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    return lower(a) == lower(b) ? 1 : kEditCost;
}

// Levenshtein's distance in thirds of an edit.
unsigned edit_distance(std::string_view a, std::string_view b) {
    std::vector<unsigned> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<unsigned>(j) * kEditCost;
    for (std::size_t i = 0; i < a.size(); ++i) {
        unsigned diagonal = row[0];
        row[0] += kEditCost;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const unsigned replaced = diagonal + replacement_cost(a[i], b[j]);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + kEditCost, row[j + 1] + kEditCost});
        }
    }
    return row[b.size()];
}

std::vector<std::string> split_at(std::string_view text, std::string_view separators) {
    std::vector<std::string> words;
    std::size_t begin = text.find_first_not_of(separators);
    while (begin != std::string_view::npos) {
        const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
        words.emplace_back(text.substr(begin, end - begin));
        begin = text.find_first_not_of(separators, end);
    }
    return words;
}

}  // namespace

std::string quote(std::string_view value, std::size_t limit) {
    std::string text = "'";
    for (const char c : value.substr(0, limit)) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '\n') {
            text += "\\n";
        } else if (c == '\t') {
            text += "\\t";
        } else if (code < 0x20 || code == 0x7f) {
            text += fmt::format("\\x{:02x}", code);
        } else {
            text += c;
        }
    }
    if (value.size() > limit) text += "...";
    return text + "'";
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
    return join_parts(parts, separator);
}

std::string join(std::initializer_list<std::string_view> parts, std::string_view separator) {
    return join_parts(parts, separator);
}

std::string human_bytes(std::uint64_t bytes) {
    if (bytes == 1) return "1 byte";
    if (bytes < 1024) return fmt::format("{} bytes", bytes);
    constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    // What one decimal would show as 1024.0 belongs to the next unit.
    while (value >= 1023.95 && unit + 1 < kUnits.size()) {
        value /= 1024;
        ++unit;
    }
    return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string text_of_error(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& known) {
        return known.what();
    }
}

std::vector<std::string> split_at_blanks(std::string_view text) {
    return split_at(text, " \t\r\n\f\v");
}

std::vector<std::string> split_at_commas(std::string_view text) {
    return split_at(text, ", \t\r\n\f\v");
}

std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates) {
    const std::string* nearest = nullptr;
    // Two fifths of the name may be wrong, one character of a very short one.
    const auto length = static_cast<unsigned>(std::max<std::size_t>(name.size(), 3));
    unsigned best = length * kEditCost * 2 / 5 + 1;
    for (const std::string& candidate : candidates) {
        const unsigned distance = edit_distance(name, candidate);
        if (distance < best) {
            best = distance;
            nearest = &candidate;
        }
    }
    if (nearest == nullptr) return std::nullopt;
    return *nearest;
}

std::string suggestion(std::string_view name, std::span<const std::string> candidates) {
    const std::optional<std::string> nearest = nearest_name(name, candidates);
    return nearest ? fmt::format("; did you mean {}?", quote(*nearest)) : std::string();
}

}  // namespace warpwise
