// Reads the environment strictly: an empty variable counts as not set, any other value must be one
// of the allowed forms, which the error names.
#include "src/base/settings.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <string_view>

#include "src/base/log.hpp"
#include "src/base/processor_level.hpp"
#include "src/base/text.hpp"
#include "warpwise/error.hpp"

namespace warpwise {
namespace {

constexpr unsigned kMaxThreads = 4096;

[[noreturn]] void refuse(std::string_view variable, std::string_view value,
                         std::string_view allowed) {
    throw ArgumentError(ArgumentError::Kind::Value,
                        fmt::format("the environment variable {} is {}; allowed: {}", variable,
                                    quote(value), allowed));
}

std::optional<std::string> get(const Environment& environment, const std::string& variable) {
    std::optional<std::string> value = environment(variable);
    if (value && value->empty()) value.reset();
    return value;
}

// Digits only: no sign, no blanks, no overflow.
std::optional<std::uint64_t> parse_number(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

bool read_switch(const Environment& environment, const std::string& variable) {
    const std::optional<std::string> value = get(environment, variable);
    if (!value || *value == "0" || *value == "false" || *value == "off" || *value == "no") {
        return false;
    }
    if (*value == "1" || *value == "true" || *value == "on" || *value == "yes") return true;
    refuse(variable, *value, "1, true, on, yes, or 0, false, off, no");
}

std::optional<std::uint64_t> parse_ordinal(std::string_view text) {
    const std::optional<std::uint64_t> number = parse_number(text);
    return number && *number <= std::numeric_limits<int>::max() ? number : std::nullopt;
}

bool is_device_name(std::string_view name) {
    constexpr std::string_view kOrdinalPrefix = "cuda:";
    if (name == "cpu" || name == "cuda" || name == "null") return true;
    return name.starts_with(kOrdinalPrefix) &&
           parse_ordinal(name.substr(kOrdinalPrefix.size())).has_value();
}

std::optional<std::uint64_t> read_cuda_device(const Environment& environment) {
    const std::optional<std::string> value = get(environment, "CUDA_DEVICE");
    if (!value) return std::nullopt;
    const std::optional<std::uint64_t> ordinal = parse_ordinal(*value);
    if (!ordinal) refuse("CUDA_DEVICE", *value, "the number of a GPU: 0, 1, ...");
    return ordinal;
}

std::string read_device(const Environment& environment) {
    const std::optional<std::string> device = get(environment, "WARPWISE_DEVICE");
    const bool simulates = read_switch(environment, "NUMBA_ENABLE_CUDASIM");
    const std::optional<std::uint64_t> ordinal = read_cuda_device(environment);
    if (device) {
        if (!is_device_name(*device)) {
            refuse("WARPWISE_DEVICE", *device, "cpu, cuda, cuda:N with N = 0, 1, ..., or null");
        }
        return *device;
    }
    if (simulates) return "cpu";
    return ordinal ? fmt::format("cuda:{}", *ordinal) : std::string();
}

std::optional<unsigned> read_num_threads(const Environment& environment) {
    const std::optional<std::string> value = get(environment, "WARPWISE_NUM_THREADS");
    if (!value) return std::nullopt;
    const std::optional<std::uint64_t> number = parse_number(*value);
    if (!number || *number < 1 || *number > kMaxThreads) {
        refuse("WARPWISE_NUM_THREADS", *value, fmt::format("a number from 1 to {}", kMaxThreads));
    }
    return static_cast<unsigned>(*number);
}

std::optional<unsigned> read_compile_processes(const Environment& environment) {
    constexpr std::uint64_t kMost = 256;
    const std::optional<std::string> value = get(environment, "WARPWISE_COMPILE_PROCESSES");
    if (!value) return std::nullopt;
    const std::optional<std::uint64_t> number = parse_number(*value);
    if (!number || *number > kMost) {
        refuse("WARPWISE_COMPILE_PROCESSES", *value, fmt::format("a number from 0 to {}", kMost));
    }
    return static_cast<unsigned>(*number);
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
    constexpr std::string_view kUnits = "KMGT";
    constexpr std::string_view kLowerUnits = "kmgt";
    unsigned shift = 0;
    if (!text.empty()) {
        std::size_t unit = kUnits.find(text.back());
        if (unit == std::string_view::npos) unit = kLowerUnits.find(text.back());
        if (unit != std::string_view::npos) {
            shift = 10 * (static_cast<unsigned>(unit) + 1);
            text.remove_suffix(1);
        }
    }
    const std::optional<std::uint64_t> number = parse_number(text);
    if (!number || *number > std::numeric_limits<std::uint64_t>::max() >> shift)
        return std::nullopt;
    return *number << shift;
}

std::uint64_t read_cache_size(const Environment& environment) {
    const std::optional<std::string> value = get(environment, "WARPWISE_CACHE_SIZE");
    if (!value) return Settings().cache_size;
    const std::optional<std::uint64_t> size = parse_size(*value);
    if (!size) {
        refuse("WARPWISE_CACHE_SIZE", *value,
               "bytes, or a whole number with K, M, G or T (500M, 2G), or 0 for no cache");
    }
    return *size;
}

// Empty when the user has none: a service account, a container without a passwd file.
std::string home_folder(const Environment& environment) {
    if (const auto home = get(environment, "HOME")) return *home;
    std::array<char, 4096> buffer{};
    passwd entry{};
    passwd* found = nullptr;
    if (getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found) != 0) return {};
    return found != nullptr && found->pw_dir != nullptr ? found->pw_dir : "";
}

std::string read_cache_dir(const Environment& environment) {
    namespace fs = std::filesystem;
    if (const auto folder = get(environment, "WARPWISE_CACHE_DIR")) {
        return fs::absolute(*folder).lexically_normal().string();
    }
    // The XDG base directory specification: a relative path is to be ignored.
    const auto cache_home = get(environment, "XDG_CACHE_HOME");
    if (cache_home && fs::path(*cache_home).is_absolute()) {
        return (fs::path(*cache_home) / "warpwise").string();
    }
    const fs::path home = home_folder(environment);
    if (home.is_absolute()) return (home / ".cache" / "warpwise").string();
    // The cache refuses a folder somebody else has put there.
    return fmt::format("/tmp/warpwise-{}", geteuid());
}

std::string read_log_level(const Environment& environment) {
    const std::optional<std::string> value = get(environment, "WARPWISE_LOG");
    if (!value) return Settings().log_level;
    if (!log::parse_level(*value)) {
        refuse("WARPWISE_LOG", *value, "error, warning, info, debug");
    }
    return *value;
}

std::string read_cpu(const Environment& environment) {
    const std::optional<std::string> value = get(environment, "WARPWISE_CPU");
    if (!value) return Settings().cpu;
    if (*value != "native" && !is_processor_level(*value)) {
        refuse("WARPWISE_CPU", *value,
               fmt::format("{}, native", fmt::join(kProcessorLevels, ", ")));
    }
    return *value;
}

std::chrono::seconds read_watchdog(const Environment& environment) {
    constexpr std::uint64_t kMost = 1'000'000;
    const std::optional<std::string> value = get(environment, "WARPWISE_WATCHDOG");
    if (!value) return Settings().watchdog;
    const std::optional<std::uint64_t> number = parse_number(*value);
    if (!number || *number > kMost) {
        refuse("WARPWISE_WATCHDOG", *value, fmt::format("seconds, from 0 (never) to {}", kMost));
    }
    return std::chrono::seconds(*number);
}

std::string read_choice(const Environment& environment, const std::string& variable,
                        const std::string& usual, std::initializer_list<std::string_view> choices) {
    const std::optional<std::string> value = get(environment, variable);
    if (!value) return usual;
    if (std::ranges::find(choices, *value) == choices.end()) {
        refuse(variable, *value, fmt::format("{}", fmt::join(choices, ", ")));
    }
    return *value;
}

void refuse_checked_mode(const Environment& environment) {
    if (read_switch(environment, "WARPWISE_CHECK")) {
        throw UnsupportedError(
            "WARPWISE_CHECK is set, but checked mode is not in this version of Warpwise; unset "
            "WARPWISE_CHECK to run unchecked");
    }
}

std::optional<std::string> process_environment(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
}

}  // namespace

Settings read_settings(const Environment& environment) {
    refuse_checked_mode(environment);
    Settings settings;
    settings.device = read_device(environment);
    settings.num_threads = read_num_threads(environment);
    settings.cache_dir = read_cache_dir(environment);
    settings.cache_size = read_cache_size(environment);
    settings.log_level = read_log_level(environment);
    settings.cpu = read_cpu(environment);
    settings.executor = read_choice(environment, "WARPWISE_EXECUTOR", settings.executor,
                                    {"auto", "reference", "gang", "regions"});
    settings.tier =
        read_choice(environment, "WARPWISE_TIER", settings.tier, {"auto", "quick", "full"});
    settings.pool =
        read_choice(environment, "WARPWISE_POOL", settings.pool, {"segments", "reserved", "none"});
    settings.watchdog = read_watchdog(environment);
    settings.cuda_driver = get(environment, "WARPWISE_CUDA_DRIVER").value_or("");
    settings.nvrtc = get(environment, "WARPWISE_NVRTC").value_or("");
    settings.compile_processes = read_compile_processes(environment);
    settings.cupti = get(environment, "WARPWISE_CUPTI").value_or("");
    settings.default_options =
        split_at_blanks(environment("PYCUDA_DEFAULT_NVCC_FLAGS").value_or(""));
    return settings;
}

std::vector<SettingRow> setting_rows(const Environment& environment) {
    const Settings s = read_settings(environment);
    const auto row = [&](const char* variable, std::string value, const char* meaning) {
        return SettingRow{variable, std::move(value), get(environment, variable).has_value(),
                          meaning};
    };
    const auto as_given = [&](const char* variable) {
        return get(environment, variable).value_or("");
    };
    return {
        row("WARPWISE_DEVICE", s.device.empty() ? "the first GPU, else cpu" : s.device,
            "default device: cpu, cuda, cuda:N, null"),
        row("WARPWISE_NUM_THREADS", s.num_threads ? std::to_string(*s.num_threads) : "automatic",
            "threads of the CPU device; automatic: as affinity and cgroup allow"),
        row("WARPWISE_CACHE_DIR", s.cache_dir, "folder of compiled programs"),
        row("WARPWISE_CACHE_SIZE", s.cache_size == 0 ? "0 (off)" : human_bytes(s.cache_size),
            "its limit: bytes, or 500M, 2G; 0 switches the cache off"),
        row("WARPWISE_CHECK", "0", "checked mode: not in this version"),
        row("WARPWISE_LOG", s.log_level, "error, warning, info, debug"),
        row("WARPWISE_CPU", s.cpu, "processor compiled for: x86-64-v2, -v3, -v4, native"),
        row("WARPWISE_EXECUTOR", s.executor,
            "how the CPU device runs kernels: auto, reference, gang, regions"),
        row("WARPWISE_TIER", s.tier,
            "how kernels are compiled: quick, full, or auto: quick first, in full what runs often"),
        row("WARPWISE_WATCHDOG", fmt::format("{}", s.watchdog.count()),
            "seconds the CPU device lets a grid do nothing but wait for memory; 0: for ever"),
        row("WARPWISE_POOL", s.pool,
            "segments or reserved: memory is kept and cut; none: each buffer is an allocation"),
        row("WARPWISE_CUDA_DRIVER", s.cuda_driver.empty() ? "libcuda.so.1" : s.cuda_driver,
            "file of the CUDA driver"),
        row("WARPWISE_NVRTC", s.nvrtc.empty() ? "searched for" : s.nvrtc,
            "file of NVRTC, which compiles for GPUs"),
        row("WARPWISE_COMPILE_PROCESSES",
            s.compile_processes ? std::to_string(*s.compile_processes) : "automatic",
            "processes that compile for GPUs beside this one, where several compiles meet"),
        row("WARPWISE_CUPTI", s.cupti.empty() ? "searched for" : s.cupti,
            "file of CUPTI, which times what GPUs do for profiles"),
        row("CUDA_DEVICE", as_given("CUDA_DEVICE"),
            "PyCUDA's choice of a GPU, where WARPWISE_DEVICE is not set"),
        row("PYCUDA_DEFAULT_NVCC_FLAGS", join(s.default_options, " "),
            "options put before those of each compile"),
        row("NUMBA_ENABLE_CUDASIM", as_given("NUMBA_ENABLE_CUDASIM"),
            "1 chooses the CPU device, where WARPWISE_DEVICE is not set"),
    };
}

const Settings& settings() {
    // When reading throws, the next call reads again and throws again. Never destroyed: threads may
    // still read while the process ends.
    static const Settings* const instance = new Settings(read_settings(process_environment));
    return *instance;
}

std::vector<SettingRow> setting_rows() {
    return setting_rows(process_environment);
}

}  // namespace warpwise
