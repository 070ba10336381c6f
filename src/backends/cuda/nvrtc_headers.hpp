// The headers that NVRTC, which brings none, gets as texts: our device headers, and those of
// NVIDIA's that do not agree with them, mended.
//
// The C++ library, Thrust, and what only host code needs of CUDA are ours always. What is for GPUs
// only (cooperative groups, half precision, CUB, libcu++, cuRAND's device side) is NVIDIA's where
// it is installed; else ours as far as NVRTC takes it, or an error that says what to install.
//
// Threading: any thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpwise::cuda {

using HeaderText = std::pair<std::string, std::string>;  // name, text

// With NVIDIA's headers in `folders`. What NVRTC gets as text goes before what lies on disk, so
// that names which the user has in `own_folders` are left out. Opens the compiler library.
std::vector<HeaderText> nvrtc_headers(const std::vector<std::filesystem::path>& folders,
                                      const std::vector<std::string>& own_folders);

// The one of them that every source begins with.
inline constexpr std::string_view kPrelude = "__warpwise__/warpwise_nvrtc.cuh";

}  // namespace warpwise::cuda
