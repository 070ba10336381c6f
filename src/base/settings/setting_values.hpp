// How values of settings are read and shown: the parts of a SettingDefinition.
//
// Threading: pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/settings.hpp"

namespace warpwise {

using SettingParser = std::function<bool(Settings& settings, std::string_view value)>;
using SettingText = std::function<std::string(const Settings& settings)>;

// Digits only: no sign, no blanks, no overflow.
std::optional<std::uint64_t> parse_number(std::string_view text);
// 1, true, on, yes or 0, false, off, no; kSwitchValues names them.
std::optional<bool> parse_switch(std::string_view text);
inline constexpr const char* kSwitchValues = "1, true, on, yes, or 0, false, off, no";

// One of a few words.
SettingParser choice(std::string Settings::* member, std::vector<std::string> words);
// Any text.
SettingParser any_text(std::string Settings::* member);
// A number within bounds.
SettingParser number(std::optional<unsigned> Settings::* member, std::uint64_t least,
                     std::uint64_t most);
// Bytes, or a whole number with K, M, G or T.
SettingParser byte_size(std::uint64_t Settings::* member);

// Seconds, with or without a fraction, up to a million.
SettingParser seconds(std::chrono::duration<double> Settings::* member);
inline constexpr const char* kSecondsValues = "seconds, from 0 to 1000000";

SettingText text_of(std::string Settings::* member);
SettingText text_of(std::chrono::duration<double> Settings::* member);
SettingText text_of(std::optional<unsigned> Settings::* member);

// For SettingDefinition::set_preset, where the default is no value: nothing is stored.
inline constexpr auto kNoPreset = [](Settings&, const auto&) {};

}  // namespace warpwise
