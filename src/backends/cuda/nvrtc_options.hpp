// The options of nvcc, as users of PyCUDA write them, in terms of NVRTC.
//
// Threading: pure functions.
#pragma once

#include <string>
#include <vector>

namespace warpwise::cuda {

struct NvrtcOptions {
    std::vector<std::string> options;      // for NVRTC
    std::string architecture;              // "sm_80" or "compute_80" when one is asked for
    std::vector<std::string> passed_over;  // that NVRTC has no use for, and nvcc has
};

// Those of Warpwise itself (--warpwise-...) are for the CPU device and left out. Throws
// ArgumentError for an option that wants a value and has none.
NvrtcOptions nvrtc_options(const std::vector<std::string>& options);

}  // namespace warpwise::cuda
