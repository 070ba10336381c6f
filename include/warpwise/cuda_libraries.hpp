// NVIDIA's software on this machine: the driver, and the libraries of the CUDA toolkit, none of
// which is linked. Each is looked for where the dynamic linker would find it, in a toolkit, and in
// NVIDIA's Python packages.
//
// Threading: every function may be called from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warpwise/export.hpp"

namespace warpwise {

struct CudaDriver {
    bool is_usable = false;
    std::string reason;   // why it is not
    std::string version;  // NVIDIA's own: "580.95.05"; empty where the system does not report it
    std::string cuda;     // the newest CUDA it supports: "13.0"
    std::string path;     // of the library
};

WARPWISE_API CudaDriver cuda_driver();

struct CudaLibrary {
    std::string name;     // "cublas"
    std::string title;    // "cuBLAS"
    std::string version;  // "13.1.0"; empty when it is not usable
    std::string path;     // empty when it is not found
    std::string reason;   // why it is not usable, and what to install; else empty
};

// All that Warpwise knows: NVRTC, nvJitLink, CUPTI, cuBLAS, cuFFT, cuRAND, cuSPARSE, cuSOLVER.
// Opens those it finds, to ask for their versions.
WARPWISE_API std::vector<CudaLibrary> cuda_libraries();

// One, by name: "cublas". Throws ArgumentError for a name that is none of them, DeviceError with
// what to install when it is not there or cannot be opened.
WARPWISE_API CudaLibrary cuda_library(std::string_view name);

}  // namespace warpwise
