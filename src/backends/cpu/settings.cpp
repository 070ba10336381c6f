// The settings of the CPU device.
#include "src/base/settings/settings.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>

#include "src/base/processor_level.hpp"
#include "src/base/settings/setting_values.hpp"

namespace warpwise::cpu {
namespace {

constexpr std::uint64_t kMostThreads = 4096;
constexpr std::uint64_t kMostSeconds = 1'000'000;

bool parse_processor(Settings& settings, std::string_view value) {
    if (value != "native" && !is_processor_level(value)) return false;
    settings.cpu = value;
    return true;
}

bool parse_watchdog(Settings& settings, std::string_view value) {
    const std::optional<std::uint64_t> seconds = parse_number(value);
    if (!seconds || *seconds > kMostSeconds) return false;
    settings.watchdog = std::chrono::seconds(*seconds);
    return true;
}

bool parse_verify(Settings& settings, std::string_view value) {
    const std::optional<bool> is_on = parse_switch(value);
    if (is_on) settings.verify = *is_on;
    return is_on.has_value();
}

std::string verify_text(const Settings& settings) {
    return settings.verify ? "1" : "0";
}

std::string watchdog_text(const Settings& settings) {
    return std::to_string(settings.watchdog.count());
}

const SettingGroup kSettings(
    SettingGroup::Owner::Cpu,
    {{"WARPWISE_NUM_THREADS", fmt::format("a number from 1 to {}", kMostThreads), "automatic",
      "threads of the CPU device; automatic: as affinity and cgroup allow",
      number(&Settings::num_threads, 1, kMostThreads), text_of(&Settings::num_threads), kNoPreset},
     {"WARPWISE_CPU", fmt::format("{}, native", fmt::join(processor_levels(), ", ")), "native",
      "processor that kernels are compiled for", parse_processor, text_of(&Settings::cpu)},
     {"WARPWISE_EXECUTOR", "auto, reference, gang, regions", "auto",
      "how the CPU device runs kernels",
      choice(&Settings::executor, {"auto", "reference", "gang", "regions"}),
      text_of(&Settings::executor)},
     {"WARPWISE_TIER", "auto, quick, full", "auto",
      "how kernels are compiled; auto: quick first, in full what runs often or long",
      choice(&Settings::tier, {"auto", "quick", "full"}), text_of(&Settings::tier)},
     {"WARPWISE_SKIP_PASS", "names of passes, separated by commas", "none",
      "optional passes of the vectoriser to leave out", any_text(&Settings::skip_pass),
      text_of(&Settings::skip_pass), kNoPreset},
     {"WARPWISE_DUMP", "a pass of the vectoriser, or all", "none",
      "passes whose IR is written, before and after; compiles past the cache",
      any_text(&Settings::dump), text_of(&Settings::dump), kNoPreset},
     {"WARPWISE_DUMP_FOLDER", "a folder", "warpwise-dump", "folder of what WARPWISE_DUMP writes",
      any_text(&Settings::dump_folder), text_of(&Settings::dump_folder)},
     {"WARPWISE_VERIFY", kSwitchValues, "0", "checks the IR after each pass of the vectoriser",
      parse_verify, verify_text},
     {"WARPWISE_WATCHDOG", fmt::format("seconds, from 0 (never) to {}", kMostSeconds), "10",
      "how long a grid may do nothing but wait for memory", parse_watchdog, watchdog_text}});

}  // namespace
}  // namespace warpwise::cpu
