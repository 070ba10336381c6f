// Units of time and conversions between them (NumPy's rules for datetime64 and timedelta64).
#include "src/script/times.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <numeric>

namespace warpwise::script {
namespace {

__extension__ using Wide = __int128;

constexpr auto kUnits = std::to_array<std::string_view>(
    {"", "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"});

bool is_calendar(TimeUnit unit) noexcept {
    return unit == TimeUnit::Year || unit == TimeUnit::Month;
}

std::int64_t count_of(Type type) noexcept {
    return type->rank;
}

// How many attoseconds a unit of fixed length has.
Wide length_of(TimeUnit unit) noexcept {
    Wide length = 1;
    for (auto at = TimeUnit::Atto; at > unit; at = static_cast<TimeUnit>(int(at) - 1)) {
        length *= at > TimeUnit::Second  ? 1000
                  : at > TimeUnit::Hour  ? 60
                  : at == TimeUnit::Hour ? 24
                                         : 7;
    }
    return length;
}

// How many of `to` one of `from` is, both of fixed length or both of the calendar.
std::optional<std::int64_t> ratio(TimeUnit from, TimeUnit to) noexcept {
    if (from > to) return std::nullopt;
    if (is_calendar(from)) return from == to ? 1 : 12;
    const Wide many = length_of(from) / length_of(to);
    if (many > INT64_MAX) return std::nullopt;
    return static_cast<std::int64_t>(many);
}

// Days from 1970-01-01 to a date of the Gregorian calendar.
std::int64_t days_of(std::int64_t year, std::int64_t month, std::int64_t day) noexcept {
    year -= month <= 2 ? 1 : 0;
    const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
    const std::int64_t of_era = year - era * 400;
    const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

// Digits of a date, one field after the other.
class DateReader {
  public:
    explicit DateReader(std::string_view text) : text_(text) {}

    bool at_end() const noexcept { return at_ == text_.size(); }
    bool take(char c) noexcept {
        if (at_end() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    // So many digits, of a number from `least` to `most`.
    std::optional<std::int64_t> number(std::size_t digits, std::int64_t least, std::int64_t most) {
        if (at_ + digits > text_.size()) return std::nullopt;
        std::int64_t value = 0;
        const char* const begin = text_.data() + at_;
        const auto [end, error] = std::from_chars(begin, begin + digits, value);
        if (error != std::errc() || end != begin + digits || *begin == '-') return std::nullopt;
        if (value < least || value > most) return std::nullopt;
        at_ += digits;
        return value;
    }
    std::size_t left() const noexcept { return text_.size() - at_; }

  private:
    std::string_view text_;
    std::size_t at_ = 0;
};

std::optional<ParsedDate> date_of(TimeUnit unit, std::int64_t value) {
    return ParsedDate{.type = time_type(true, unit), .value = value};
}

// What follows the day: T12, T12:30, T12:30:15, T12:30:15.25.
std::optional<ParsedDate> parse_clock(DateReader& reader, std::int64_t days) {
    const auto hour = reader.number(2, 0, 23);
    if (!hour) return std::nullopt;
    std::int64_t value = days * 24 + *hour;
    if (reader.at_end()) return date_of(TimeUnit::Hour, value);
    for (const TimeUnit unit : {TimeUnit::Minute, TimeUnit::Second}) {
        const auto part = reader.take(':') ? reader.number(2, 0, 59) : std::nullopt;
        if (!part) return std::nullopt;
        value = value * 60 + *part;
        if (reader.at_end()) return date_of(unit, value);
    }
    if (!reader.take('.')) return std::nullopt;
    TimeUnit unit = TimeUnit::Second;
    while (!reader.at_end() && unit < TimeUnit::Atto) {
        std::int64_t part = 0;
        for (int digit = 0; digit < 3; ++digit) {
            const auto next =
                reader.at_end() ? std::optional<std::int64_t>(0) : reader.number(1, 0, 9);
            if (!next) return std::nullopt;
            part = part * 10 + *next;
        }
        if (__builtin_mul_overflow(value, 1000, &value) ||
            __builtin_add_overflow(value, part, &value)) {
            return std::nullopt;
        }
        unit = static_cast<TimeUnit>(static_cast<int>(unit) + 1);
    }
    return reader.at_end() && unit > TimeUnit::Second ? date_of(unit, value) : std::nullopt;
}

}  // namespace

Type time_type(bool is_date, TimeUnit unit, std::int64_t count) {
    return intern({.family = Family::Time,
                   .kind = Kind::Int64,
                   .rank = static_cast<int>(count),
                   .name = is_date ? "datetime64" : "timedelta64",
                   .number = static_cast<std::size_t>(unit)});
}

bool is_date(Type type) noexcept {
    return type->is_time() && type->name == "datetime64";
}

TimeUnit unit_of(Type type) noexcept {
    return static_cast<TimeUnit>(type->number);
}

std::string time_text(Type type) {
    if (unit_of(type) == TimeUnit::Generic) return type->name;
    const std::string count = count_of(type) == 1 ? "" : std::to_string(count_of(type));
    return fmt::format("{}[{}{}]", type->name, count, kUnits[type->number]);
}

std::optional<Type> parse_time(bool is_date, std::string_view unit) {
    if (unit.empty()) return time_type(is_date, TimeUnit::Generic);
    std::int64_t count = 1;
    const auto [end, error] = std::from_chars(unit.data(), unit.data() + unit.size(), count);
    if (error == std::errc()) unit.remove_prefix(static_cast<std::size_t>(end - unit.data()));
    if (error == std::errc::result_out_of_range || count < 1 || count > INT32_MAX) {
        return std::nullopt;
    }
    for (std::size_t i = 1; i < kUnits.size(); ++i) {
        if (kUnits[i] == unit) return time_type(is_date, static_cast<TimeUnit>(i), count);
    }
    return std::nullopt;
}

std::optional<Type> joint_time(Type a, Type b, bool is_date) {
    const TimeUnit first = unit_of(a), second = unit_of(b);
    if (first == TimeUnit::Generic) return time_type(is_date, second, count_of(b));
    if (second == TimeUnit::Generic) return time_type(is_date, first, count_of(a));
    const TimeUnit fine = std::max(first, second);
    std::int64_t counts[] = {count_of(a), count_of(b)};
    if (is_calendar(first) != is_calendar(second)) {
        // Dates have a place in the calendar, spans of months have no length in days.
        if (!script::is_date(is_calendar(first) ? a : b)) return std::nullopt;
    }
    for (std::size_t i = 0; i < 2; ++i) {
        TimeUnit unit = i == 0 ? first : second;
        // NumPy takes whole weeks for months and years here.
        if (is_calendar(unit) && !is_calendar(fine)) unit = TimeUnit::Week;
        const auto many = ratio(unit, fine);
        if (!many || __builtin_mul_overflow(counts[i], *many, &counts[i])) return std::nullopt;
    }
    const std::int64_t count = std::gcd(counts[0], counts[1]);
    if (count > INT32_MAX) return std::nullopt;
    return time_type(is_date, fine, count);
}

std::optional<std::string> time_conversion(Type from, Type to) {
    const TimeUnit first = unit_of(from), second = unit_of(to);
    if (first == TimeUnit::Generic) return "{0}";
    if (second == TimeUnit::Generic) return std::nullopt;
    if (is_calendar(first) && !is_calendar(second)) {
        if (!is_date(from)) return std::nullopt;
        const std::int64_t months = count_of(from) * (first == TimeUnit::Year ? 12 : 1);
        const bool are_weeks = second == TimeUnit::Week;
        const auto parts =
            are_weeks ? std::optional<std::int64_t>(1) : ratio(TimeUnit::Day, second);
        if (!parts) return std::nullopt;
        return fmt::format("__ww_py_time_of_months({{0}}, {}, {}LL, {}LL)", months, *parts,
                           count_of(to) * (are_weeks ? 7 : 1));
    }
    std::int64_t many = 0;
    const auto units =
        is_calendar(first) == is_calendar(second) ? ratio(first, second) : std::nullopt;
    if (!units || __builtin_mul_overflow(*units, count_of(from), &many) ||
        many % count_of(to) != 0) {
        return std::nullopt;
    }
    many /= count_of(to);
    return many == 1 ? "{0}" : fmt::format("__ww_py_time_times({{0}}, {}LL)", many);
}

std::optional<ParsedDate> parse_date(std::string_view text) {
    if (text == "NaT" || text == "nat" || text == "NAT" || text.empty()) {
        return date_of(TimeUnit::Generic, INT64_MIN);
    }
    if (text.ends_with('Z')) return std::nullopt;  // NumPy warns of time zones
    DateReader reader(text);
    const auto year = reader.number(4, 0, 9999);
    if (!year) return std::nullopt;
    if (reader.at_end()) return date_of(TimeUnit::Year, *year - 1970);
    const auto month = reader.take('-') ? reader.number(2, 1, 12) : std::nullopt;
    if (!month) return std::nullopt;
    if (reader.at_end()) return date_of(TimeUnit::Month, (*year - 1970) * 12 + *month - 1);
    const auto day = reader.take('-') ? reader.number(2, 1, 31) : std::nullopt;
    if (!day) return std::nullopt;
    const bool is_last = *month == 12;
    const std::int64_t next = days_of(is_last ? *year + 1 : *year, is_last ? 1 : *month + 1, 1);
    const std::int64_t days = days_of(*year, *month, *day);
    if (days >= next) return std::nullopt;
    if (reader.at_end()) return date_of(TimeUnit::Day, days);
    if (!reader.take('T') && !reader.take(' ')) return std::nullopt;
    return parse_clock(reader, days);
}

}  // namespace warpwise::script
