// The registry of settings. A component registers its own, each in one row: the variable, the
// values it takes, its default, what it means, and how it reads into Settings. From the rows come
// read_settings(), the texts of errors, `warpwise info` and the table of
// docs/reference/settings.md.
//
//   const SettingGroup kSettings(SettingGroup::Owner::Cpu, {
//       {"WARPWISE_TIER", "auto, quick, full", "auto", "how kernels are compiled",
//        choice(&Settings::tier, {"auto", "quick", "full"}), text_of(&Settings::tier)},
//   });
//
// Threading: groups register while the library is loaded; everything else from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/environment.hpp"
#include "warpwise/settings.hpp"

namespace warpwise {

struct SettingDefinition {
    std::string variable;
    std::string values;  // for errors and documentation: "a number from 1 to 4096"
    std::string preset;  // the default: a value, or what happens without one
    std::string meaning;
    // Stores a value; false when it is none of the allowed ones. May throw what else is wrong.
    std::function<bool(Settings& settings, std::string_view value)> parse;
    // The value in effect; empty where there is none, and `preset` says what happens.
    std::function<std::string(const Settings& settings)> show;
    // Stores the default. By default parses `preset`; see kNoPreset.
    std::function<void(Settings& settings, const Environment& environment)> set_preset = {};
};

class SettingGroup {
  public:
    // In the order of listings. Of settings that store one member, the first listed decides.
    enum class Owner : std::uint8_t { Runtime, Cpu, Cuda, Base, OtherTools };

    SettingGroup(Owner owner, std::vector<SettingDefinition> definitions);
};

// All that are registered, in the order of listings.
std::vector<SettingDefinition> setting_definitions();

// Throws ArgumentError for a value that cannot be understood, UnsupportedError for WARPWISE_CHECK.
Settings read_settings(const Environment& environment);
std::vector<SettingRow> setting_rows(const Environment& environment);
// A warning for each variable ("NAME=value") whose name is close to that of a setting.
std::vector<std::string> misspelt_settings(std::span<const std::string> variables);

}  // namespace warpwise
