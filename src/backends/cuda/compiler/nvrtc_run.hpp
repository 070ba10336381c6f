// One source through NVRTC: the options, headers and names that it gets, and what it gives.
//
// The first try gives NVRTC only the headers that the source can reach, and leaves out what it
// declares of the runtime API where the source has no word of it (`--minimal`, a seventh of the
// time). If that does not compile, a second one leaves nothing out, and its errors count.
//
// Threading: any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/backends/cuda/nvrtc/nvrtc.hpp"
#include "src/compiler/compiler.hpp"

namespace warpwise::cuda {

constexpr std::string_view kRelocatable = "relocatable";  // format: a part for the linker

struct Outcome {
    NvrtcRequest requested;  // its headers are gone
    NvrtcResult made;
    bool left_out = false;  // something, so that another try may succeed
};

// The first try alone. `text`: what the source is to be taken as, if not as it is. `variables`:
// those that it defines, as NVRTC names them. An error in the source is a result. Throws
// ArgumentError for a GPU that NVRTC does not know, DeviceError when NVRTC itself fails.
Outcome try_nvrtc(const compiler::CompileRequest& request, std::string_view text,
                  const std::vector<std::string>& variables);

// Both, as far as needed.
Outcome run_nvrtc(const compiler::CompileRequest& request, std::string_view text,
                  const std::vector<std::string>& variables);

}  // namespace warpwise::cuda
