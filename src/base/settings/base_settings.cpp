// The settings of this layer: the disk cache and the log.
#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>
#include <system_error>

#include "src/base/log.hpp"
#include "src/base/settings/setting_values.hpp"
#include "src/base/settings/settings.hpp"
#include "src/base/text.hpp"

namespace warpwise {
namespace {

namespace fs = std::filesystem;

// Empty when the user has none: a service account, a container without a passwd file.
std::string home_folder(const Environment& environment) {
    const auto home = environment("HOME");
    if (home && !home->empty()) return *home;
    std::array<char, 4096> buffer{};
    passwd entry{};
    passwd* found = nullptr;
    if (getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found) != 0) return {};
    return found != nullptr && found->pw_dir != nullptr ? found->pw_dir : "";
}

// The XDG base directory specification: a relative path is to be ignored.
void set_usual_cache_dir(Settings& settings, const Environment& environment) {
    const auto cache_home = environment("XDG_CACHE_HOME");
    const fs::path home = home_folder(environment);
    if (cache_home && fs::path(*cache_home).is_absolute()) {
        settings.cache_dir = (fs::path(*cache_home) / "warpwise").string();
    } else if (home.is_absolute()) {
        settings.cache_dir = (home / ".cache" / "warpwise").string();
    } else {
        // The cache refuses a folder that belongs to another user.
        settings.cache_dir = fmt::format("/tmp/warpwise-{}", geteuid());
    }
}

bool parse_cache_dir(Settings& settings, std::string_view value) {
    std::error_code error;  // a relative path, and the working folder was deleted
    settings.cache_dir = fs::absolute(value, error).lexically_normal().string();
    return !error;
}

std::string cache_size_text(const Settings& settings) {
    return settings.cache_size == 0 ? "0 (off)" : human_bytes(settings.cache_size);
}

bool parse_log_level(Settings& settings, std::string_view value) {
    if (!log::parse_level(value)) return false;
    settings.log_level = value;
    return true;
}

const SettingGroup kSettings(
    SettingGroup::Owner::Base,
    {{"WARPWISE_CACHE_DIR", "a folder", "$XDG_CACHE_HOME/warpwise", "folder of compiled programs",
      parse_cache_dir, text_of(&Settings::cache_dir), set_usual_cache_dir},
     {"WARPWISE_CACHE_SIZE",
      "bytes, or a whole number with K, M, G or T (500M, 2G), or 0 for no cache", "1G",
      "limit of that folder", byte_size(&Settings::cache_size), cache_size_text},
     {"WARPWISE_LOG", "error, warning, info, debug", "warning", "the least important lines shown",
      parse_log_level, text_of(&Settings::log_level)}});

}  // namespace
}  // namespace warpwise
