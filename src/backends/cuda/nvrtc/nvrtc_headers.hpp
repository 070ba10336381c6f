// The headers that NVRTC, which brings none, gets as texts: our device headers, and those of
// NVIDIA's that do not agree with them, fixed.
//
// The C++ library, Thrust, and what only host code needs of CUDA are ours always. What is for GPUs
// only (cooperative groups, half precision, CUB, libcu++, cuRAND's device side) is NVIDIA's where
// it is installed; else ours as far as NVRTC takes it, or an error that says what to install.
//
// Threading: any thread.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/backends/cuda/nvrtc/nvrtc.hpp"

namespace warpwise::cuda {

// What decides which texts are chosen.
struct HeaderRequest {
    std::vector<std::filesystem::path> folders;  // with NVIDIA's headers
    // What NVRTC gets as text goes before what lies on disk, so that names which the user has there
    // are left out.
    std::vector<std::string> own_folders;
    std::span<const std::pair<std::string, std::string>> own;  // name, text: these go first
    std::vector<std::string_view> texts;                       // the source
    std::vector<std::string> forced;                           // names that options include
    bool needs_all = false;
};

struct ChosenHeaders {
    // Of `own` and of tables that live for ever.
    std::vector<HeaderView> headers;
    bool is_all = true;
    // See choose_headers().
    bool may_use_runtime_api = true;
};

ChosenHeaders nvrtc_headers(const HeaderRequest& request);

// The one of them that every source begins with.
inline constexpr std::string_view kPrelude = "__warpwise__/warpwise_nvrtc.cuh";

}  // namespace warpwise::cuda
