// The CUDA headers of device code, as text: all of them inside the compiler library, for clang; a
// few inside the main one, for NVRTC, which has most of what they say by itself.
//
// Names are paths below src/codegen/device/: "include/cuda_fp16.h" is what #include <cuda_fp16.h>
// finds, "warpwise_device.cuh" is the prelude that every source sees first.
#pragma once

#include <span>
#include <string_view>

namespace warpwise::codegen {

struct DeviceHeader {
    std::string_view name;
    std::string_view text;
};

// In alphabetical order of names.
std::span<const DeviceHeader> device_headers() noexcept;
// Those for NVRTC.
std::span<const DeviceHeader> gpu_headers() noexcept;

}  // namespace warpwise::codegen
