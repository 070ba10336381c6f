// The settings of the run time: the default device, its memory, options of compiles, and what users
// of other tools have set.
#include "src/base/settings/settings.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>

#include "src/base/settings/setting_values.hpp"
#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise {
namespace {

bool is_ordinal(std::string_view text) {
    const std::optional<std::uint64_t> number = parse_number(text);
    return number && *number <= std::numeric_limits<int>::max();
}

bool parse_device(Settings& settings, std::string_view value) {
    constexpr std::string_view kOrdinalPrefix = "cuda:";
    const bool is_name = value == "cpu" || value == "cuda" || value == "null";
    const bool is_gpu =
        value.starts_with(kOrdinalPrefix) && is_ordinal(value.substr(kOrdinalPrefix.size()));
    if (is_name || is_gpu) settings.device = value;
    return is_name || is_gpu;
}

bool parse_cuda_device(Settings& settings, std::string_view value) {
    if (!is_ordinal(value)) return false;
    settings.device = fmt::format("cuda:{}", *parse_number(value));
    return true;
}

bool parse_simulator(Settings& settings, std::string_view value) {
    const std::optional<bool> is_on = parse_switch(value);
    if (is_on == true) settings.device = "cpu";
    return is_on.has_value();
}

bool parse_checks(Settings&, std::string_view value) {
    const std::optional<bool> is_on = parse_switch(value);
    if (is_on != true) return is_on.has_value();
    throw UnsupportedError(
        "WARPWISE_CHECK is set, but checked mode is not in this version of Warpwise; unset "
        "WARPWISE_CHECK to run unchecked");
}

bool parse_options(Settings& settings, std::string_view value) {
    settings.default_options = split_at_blanks(value);
    return true;
}

std::string options_text(const Settings& settings) {
    return join(settings.default_options, " ");
}

const SettingGroup kSettings(
    SettingGroup::Owner::Runtime,
    {{"WARPWISE_DEVICE", "cpu, cuda, cuda:N with N = 0, 1, ..., or null", "the first GPU, else cpu",
      "default device", parse_device, text_of(&Settings::device), kNoPreset},
     {"WARPWISE_POOL", "segments, reserved, none, guard", "segments",
      "how device memory is pooled: kept and cut into buffers; likewise, behind reserved "
      "addresses; not at all; not at all, and an access past a buffer's end fails (CPU)",
      choice(&Settings::pool, {"segments", "reserved", "none", "guard"}), text_of(&Settings::pool)},
     {"WARPWISE_TIME_LIMIT", kSecondsValues, "0",
      "how long one kernel may run, where its stream has no limit of its own; 0: without end",
      seconds(&Settings::time_limit), text_of(&Settings::time_limit)},
     {"WARPWISE_EXIT_WAIT", kSecondsValues, "10",
      "how long the end of the process waits for queued work", seconds(&Settings::exit_wait),
      text_of(&Settings::exit_wait)},
     {"WARPWISE_CHECK",
      kSwitchValues,
      "0",
      "refused: checked mode is not in this version",
      parse_checks,
      {}}});

const SettingGroup kOtherTools(SettingGroup::Owner::OtherTools,
                               {{"NUMBA_ENABLE_CUDASIM",
                                 kSwitchValues,
                                 "0",
                                 "chooses the CPU device, where WARPWISE_DEVICE is not set",
                                 parse_simulator,
                                 {}},
                                {"CUDA_DEVICE",
                                 "the number of a GPU: 0, 1, ...",
                                 "not set",
                                 "chooses a GPU, where neither of these is set",
                                 parse_cuda_device,
                                 {},
                                 kNoPreset},
                                {"PYCUDA_DEFAULT_NVCC_FLAGS", "options, separated by blanks",
                                 "none", "options put before those of each compile", parse_options,
                                 options_text, kNoPreset}});

}  // namespace
}  // namespace warpwise
