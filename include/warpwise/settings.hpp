// Settings: environment variables, read once at first use.
//
//   WARPWISE_DEVICE       cpu | cuda | cuda:1 | null      default device
//   WARPWISE_NUM_THREADS  threads of the CPU device       default: affinity and cgroup limits
//   WARPWISE_CACHE_DIR    folder of compiled programs     default: $XDG_CACHE_HOME/warpwise
//   WARPWISE_CACHE_SIZE   its limit: bytes, or 500M, 2G   default: 1G; 0 switches the cache off
//   WARPWISE_CHECK        refused: checked mode is not in this version
//   WARPWISE_LOG          error | warning | info | debug  default: warning
//   WARPWISE_CPU          x86-64-v2 | -v3 | -v4 | native  default: native
//   WARPWISE_EXECUTOR     auto | reference | gang         default: auto
//   WARPWISE_TIER         auto | quick | full             default: auto
//   WARPWISE_POOL         segments | reserved | none      default: segments; none keeps nothing
//   WARPWISE_CUDA_DRIVER  file of the CUDA driver         default: libcuda.so.1
//   WARPWISE_NVRTC        file of NVRTC                   default: searched for
//   WARPWISE_CUPTI        file of CUPTI                   default: searched for
//   WARPWISE_WATCHDOG     seconds a grid may only spin    default: 10; 0 for ever
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
    std::string device;  // empty: not set
    std::optional<unsigned> num_threads;
    std::string cache_dir;
    std::uint64_t cache_size = std::uint64_t{1} << 30;
    std::string log_level = "warning";
    std::string cpu = "native";
    std::string executor = "auto";      // how the CPU device runs kernels
    std::string tier = "auto";          // when it compiles them for a shape of blocks
    std::string pool = "segments";      // how devices' memory is kept for later
    std::chrono::seconds watchdog{10};  // a grid of the CPU device that only spins; 0: none
    std::string cuda_driver;            // file of the CUDA driver; empty: libcuda.so.1
    std::string nvrtc;                  // file of NVRTC; empty: searched for
    std::string cupti;                  // file of CUPTI; empty: searched for
    // That compile for GPUs at once beside this one; 0: none. Not set: a processor's each.
    std::optional<unsigned> compile_processes;
    std::vector<std::string> default_options;  // PYCUDA_DEFAULT_NVCC_FLAGS, split at blanks
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
