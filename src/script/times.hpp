// Dates and spans of time as NumPy has them: datetime64 and timedelta64, whole numbers of a unit.
//
// Threading: any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/script/type.hpp"

namespace warpwise::script {

// From coarse to fine. Generic: of a number, or of NaT, that takes the unit of what it meets.
enum class TimeUnit : std::uint8_t {
    Generic,
    Year,
    Month,
    Week,
    Day,
    Hour,
    Minute,
    Second,
    Milli,
    Micro,
    Nano,
    Pico,
    Femto,
    Atto,
};

// `count` units: datetime64[25s].
Type time_type(bool is_date, TimeUnit unit, std::int64_t count = 1);
bool is_date(Type type) noexcept;
TimeUnit unit_of(Type type) noexcept;
std::string time_text(Type type);
// "D", "25s", "" for none: nothing where there is no such unit.
std::optional<Type> parse_time(bool is_date, std::string_view unit);

// A type of which both are whole multiples, a date where `is_date` holds; nothing where years or
// months meet spans of fixed length.
std::optional<Type> joint_time(Type a, Type b, bool is_date);
// How a value is converted, "{0}" for the value itself; nothing where digits would be lost.
std::optional<std::string> time_conversion(Type from, Type to);

// "2026-11-27", "2026-11-27T12:30": the value in the unit that its digits give; nothing where the
// text is no date.
struct ParsedDate {
    Type type = nullptr;
    std::int64_t value = 0;
};
std::optional<ParsedDate> parse_date(std::string_view text);

}  // namespace warpwise::script
