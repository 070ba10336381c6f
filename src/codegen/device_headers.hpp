// The CUDA headers of device code, as text inside libwarpwise. Both compilers read them from here:
// clang for the CPU, NVRTC for GPUs, which therefore needs no compiler library.
//
// Names are paths below src/codegen/device/: "include/cuda_fp16.h" is what #include <cuda_fp16.h>
// finds, "warpwise_device.cuh" is the prelude that every source sees first on the CPU,
// "warpwise_nvrtc.cuh" that of GPUs.
#pragma once

#include <span>
#include <string_view>

#include "warpwise/export.hpp"

namespace warpwise::codegen {

struct DeviceHeader {
    std::string_view name;
    std::string_view text;
};

// In alphabetical order of names.
WARPWISE_API std::span<const DeviceHeader> device_headers() noexcept;

}  // namespace warpwise::codegen
