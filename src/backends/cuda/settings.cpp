// The settings of the CUDA back end: files of NVIDIA's libraries, compiles beside each other, and
// launches.
#include "src/base/settings/settings.hpp"

#include <fmt/format.h>

#include "src/base/settings/setting_values.hpp"

namespace warpwise::cuda {
namespace {

constexpr std::uint64_t kMostProcesses = 256;

const SettingGroup kSettings(
    SettingGroup::Owner::Cuda,
    {{"WARPWISE_CUDA_DRIVER", "a file", "libcuda.so.1", "file of the CUDA driver",
      any_text(&Settings::cuda_driver), text_of(&Settings::cuda_driver), kNoPreset},
     {"WARPWISE_NVRTC", "a file", "searched for", "file of NVRTC, which compiles for GPUs",
      any_text(&Settings::nvrtc), text_of(&Settings::nvrtc), kNoPreset},
     {"WARPWISE_COMPILE_PROCESSES", fmt::format("a number from 0 to {}", kMostProcesses),
      "automatic",
      "processes that compile for GPUs beside this one, where several compiles run at once; "
      "automatic: one fewer than processors, up to 32",
      number(&Settings::compile_processes, 0, kMostProcesses),
      text_of(&Settings::compile_processes), kNoPreset},
     {"WARPWISE_LAUNCH_GRAPHS", "0 or 1", "automatic",
      "whether kernels that are launched again and again are given to GPUs as graphs of the "
      "driver, "
      "which takes it half the time; automatic: with drivers of CUDA 13",
      number(&Settings::launch_graphs, 0, 1), text_of(&Settings::launch_graphs), kNoPreset},
     {"WARPWISE_CUPTI", "a file", "searched for",
      "file of CUPTI, which times what GPUs do for profiles", any_text(&Settings::cupti),
      text_of(&Settings::cupti), kNoPreset}});

}  // namespace
}  // namespace warpwise::cuda
