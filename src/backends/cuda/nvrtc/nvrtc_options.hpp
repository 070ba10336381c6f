// The options of nvcc, as users of PyCUDA write them, in terms of NVRTC.
//
// Threading: pure functions.
#pragma once

#include <string>
#include <vector>

namespace warpwise::cuda {

struct NvrtcOptions {
    std::vector<std::string> options;          // for NVRTC, with those it may not know
    std::string architecture;                  // "sm_80" or "compute_80" when one is requested
    std::vector<std::string> front_end;        // those that clang's front end reads signatures by
    std::vector<std::string> passed_over;      // that NVRTC has no use for, and nvcc has
    std::vector<std::string> libraries;        // -l: for a linker; passed over as well
    std::vector<std::string> library_folders;  // -L: likewise
    bool is_relocatable = false;               // -rdc=true, -dc
    bool is_lto = false;                       // -dlto: LTO IR instead of machine code; relocatable
    bool uses_nvcc = false;                    // --nvcc: Warpwise's own, nvcc compiles
};

// Throws ArgumentError for an option that takes a value and has none.
NvrtcOptions nvrtc_options(const std::vector<std::string>& options);

}  // namespace warpwise::cuda
