// How settings are read from an environment: settings() without the process's own one, for tests.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/settings.hpp"

namespace warpwise {

// The value of a variable, or nothing.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// Throws ArgumentError for a value that cannot be understood, UnsupportedError for WARPWISE_CHECK.
Settings read_settings(const Environment& environment);
std::vector<SettingRow> setting_rows(const Environment& environment);

}  // namespace warpwise
