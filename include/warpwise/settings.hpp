// Settings: environment variables, read once at first use.
//
//   const Settings& s = settings();
//   if (s.device.empty()) ...  // WARPWISE_DEVICE is not set
//   for (const SettingRow& row : setting_rows()) print(row.variable, row.value, row.meaning);
//
// docs/reference/settings.md lists the variables with their values and defaults.
//
// CUDA_DEVICE, PYCUDA_DEFAULT_NVCC_FLAGS and NUMBA_ENABLE_CUDASIM=1 are honoured where a migrating
// user has set them.
// Errors: a value that cannot be understood raises ArgumentError naming variable and value, at the
// first call that reads settings.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/export.hpp"

namespace warpwise {

struct Settings {
    std::string device;                          // WARPWISE_DEVICE; empty: not set
    std::optional<unsigned> num_threads;         // WARPWISE_NUM_THREADS
    std::string cache_dir;                       // WARPWISE_CACHE_DIR
    std::uint64_t cache_size = 0;                // WARPWISE_CACHE_SIZE, bytes
    std::string log_level;                       // WARPWISE_LOG
    std::string cpu;                             // WARPWISE_CPU
    std::string executor;                        // WARPWISE_EXECUTOR
    std::string tier;                            // WARPWISE_TIER
    std::string skip_pass;                       // WARPWISE_SKIP_PASS; names, at commas
    std::string dump;                            // WARPWISE_DUMP; empty: none
    std::string dump_folder;                     // WARPWISE_DUMP_FOLDER
    bool verify = false;                         // WARPWISE_VERIFY
    std::string pool;                            // WARPWISE_POOL
    std::chrono::seconds watchdog{};             // WARPWISE_WATCHDOG; 0: none
    std::chrono::duration<double> time_limit{};  // WARPWISE_TIME_LIMIT, seconds; 0: none
    std::chrono::duration<double> exit_wait{};   // WARPWISE_EXIT_WAIT, seconds
    std::string cuda_driver;                     // WARPWISE_CUDA_DRIVER; empty: libcuda.so.1
    std::string nvrtc;                           // WARPWISE_NVRTC; empty: searched for
    std::string cupti;                           // WARPWISE_CUPTI; empty: searched for
    std::optional<unsigned> compile_processes;   // WARPWISE_COMPILE_PROCESSES
    std::optional<unsigned> launch_graphs;       // WARPWISE_LAUNCH_GRAPHS
    std::vector<std::string> default_options;    // PYCUDA_DEFAULT_NVCC_FLAGS
};

// One row of `warpwise info`: the variable, its value now, whether the user set it, what it does.
struct SettingRow {
    std::string variable;
    std::string value;
    bool is_set = false;
    std::string meaning;
};

WARPWISE_API const Settings& settings();
WARPWISE_API std::vector<SettingRow> setting_rows();

}  // namespace warpwise
